// API tokens of the organization: what each may do, on or off, and making new ones. The text of a new one is shown
// once, with the button to copy it.

import { Switch } from '@mantine/core'
import { useState } from 'react'
import { deleteToken, switchToken, type Token, useTokens } from '../api/tokens.js'
import { examples } from '../parts/examples.js'
import { countText, momentText } from '../parts/figures.js'
import { LastUsed } from '../parts/last-used.js'
import { MayButton } from '../parts/may-button.js'
import { isFound, SearchBox } from '../parts/search-box.js'
import { Empty, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { useChange } from '../parts/use-change.js'
import { useHere, useMay } from '../shell/here.js'
import { permissionLines, permissionsText } from './permissions-text.js'
import { TokenForm } from './token-form.js'

/** Rows that are drawn; the search narrows them down. */
const shownMax = 200

export function TokensTab() {
  const { org } = useHere()
  const found = useTokens(org.id)
  const { lacking } = useMay('write', 'authorizations')
  const { change } = useChange('tokens')
  const [search, setSearch] = useState('')
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="stack">
      <div className="row">
        <SearchBox label="Find a token" value={search} onChange={setSearch} />
        <MayButton lacking={lacking} icon="plus" onClick={() => setOpen(true)}>
          New token
        </MayButton>
      </div>
      <Loaded of={found} what="tokens">
        {(all) => {
          const matching = all.filter(({ description, user }) => isFound(search, description, user))
          if (all.length === 0)
            return (
              <Empty title="No token yet" example={examples.token(org.id)}>
                Programs and scripts sign in with tokens, each with rights of its own.
              </Empty>
            )
          if (matching.length === 0) return <Empty title="No token with this in its description" />
          return (
            <>
              <Tokens list={matching.slice(0, shownMax)} lacking={lacking} />
              {matching.length > shownMax && (
                <p className="muted small">
                  {shownMax} of {countText(matching.length)}
                </p>
              )}
            </>
          )
        }}
      </Loaded>
      <TokenForm
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onMade={() => void change(() => Promise.resolve())}
      />
    </div>
  )
}

interface TokensProps {
  readonly list: readonly Token[]
  readonly lacking: string | undefined
}

function Tokens({ list, lacking }: TokensProps) {
  const { change } = useChange('tokens')
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Description</th>
            <th>May</th>
            <th>User</th>
            <th>Made</th>
            <th>Last used</th>
            <th>On</th>
            <th>
              <span className="hidden-text">Delete</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((token) => (
            <tr key={token.id}>
              <td>{token.description === '' ? '–' : token.description}</td>
              <td>
                <Permissions token={token} />
              </td>
              <td>{token.user}</td>
              <td className="no-wrap">
                {token.createdAt === undefined ? '' : momentText(token.createdAt)}
              </td>
              <td className="no-wrap">
                <LastUsed at={token.lastUsedAt} />
              </td>
              <td>
                <Switch
                  aria-label={`${token.description} is on`}
                  checked={token.status === 'active'}
                  disabled={lacking !== undefined}
                  onChange={(event) => {
                    const isOn = event.currentTarget.checked
                    void change(
                      () => switchToken(token.id, isOn ? 'active' : 'inactive'),
                      `${token.description} is ${isOn ? 'on' : 'off'}`,
                    )
                  }}
                />
              </td>
              <td>
                <SureButton
                  label={`Delete ${token.description}`}
                  isDisabled={lacking !== undefined}
                  onSure={() =>
                    change(() => deleteToken(token.id), `${token.description} is deleted`)
                  }
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** In a few words; all of them on demand. */
function Permissions({ token }: { readonly token: Token }) {
  const [isOpen, setOpen] = useState(false)
  const lines = permissionLines(token.permissions)
  return (
    <>
      <button
        type="button"
        className="text-button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {permissionsText(token.permissions)}
      </button>
      {isOpen && (
        <ul className="permission-lines">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </>
  )
}
