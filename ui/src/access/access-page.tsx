// API tokens of the organization: what each may do, on or off, and making new ones. The text of a new one is shown
// once, with the button to copy it.

import { Button, Switch, TextInput, Tooltip } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteToken, switchToken, type Token, useTokens } from '../api/tokens.js'
import { momentText } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { Page } from '../parts/page.js'
import { Empty, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { done, failed } from '../parts/toasts.js'
import { useHere, useMay } from '../shell/here.js'
import { permissionsText } from './permissions-text.js'
import { TokenForm } from './token-form.js'

export function AccessPage() {
  const { org } = useHere()
  const client = useQueryClient()
  const found = useTokens(org.id)
  const { isAllowed, lacking } = useMay('write', 'authorizations')
  const [search, setSearch] = useState('')
  const [isOpen, setOpen] = useState(false)
  const again = () => void client.invalidateQueries({ queryKey: ['tokens'] })
  const add = (
    <Tooltip label={lacking} disabled={isAllowed}>
      <Button
        disabled={!isAllowed}
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => setOpen(true)}
      >
        New token
      </Button>
    </Tooltip>
  )
  return (
    <Page title="Access" actions={add}>
      <TextInput
        aria-label="Find a token"
        placeholder="Find a token"
        maw={320}
        leftSection={<Icon name="search" size={14} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <Loaded of={found} what="tokens">
        {(all) => {
          const shown = all.filter(({ description }) =>
            description.toLowerCase().includes(search.toLowerCase()),
          )
          if (shown.length === 0) return <Empty title="No token with this in its description" />
          return <Tokens list={shown} isAllowed={isAllowed} onChanged={again} />
        }}
      </Loaded>
      <TokenForm isOpen={isOpen} onClose={() => setOpen(false)} onMade={again} />
    </Page>
  )
}

interface TokensProps {
  readonly list: readonly Token[]
  readonly isAllowed: boolean
  readonly onChanged: () => void
}

function Tokens({ list, isAllowed, onChanged }: TokensProps) {
  const change = async (work: Promise<void>, told: string) => {
    try {
      await work
      done(told)
    } catch (error) {
      failed(error)
    }
    onChanged()
  }
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Description</th>
            <th>May</th>
            <th>User</th>
            <th>Made</th>
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
              <td>{permissionsText(token.permissions)}</td>
              <td>{token.user}</td>
              <td>{token.createdAt === undefined ? '' : momentText(token.createdAt)}</td>
              <td>
                <Switch
                  aria-label={`${token.description} is on`}
                  checked={token.status === 'active'}
                  disabled={!isAllowed}
                  onChange={(event) => {
                    const isOn = event.currentTarget.checked
                    void change(
                      switchToken(token.id, isOn ? 'active' : 'inactive'),
                      `${token.description} is ${isOn ? 'on' : 'off'}`,
                    )
                  }}
                />
              </td>
              <td>
                <SureButton
                  label={`Delete ${token.description}`}
                  isDisabled={!isAllowed}
                  onSure={() => change(deleteToken(token.id), `${token.description} is deleted`)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
