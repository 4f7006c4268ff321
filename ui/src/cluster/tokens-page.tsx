// Database tokens of a cluster: what each may, until when, and giving out and revoking them. A token is shown once,
// when it is made.

import { Button, Checkbox, MultiSelect, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useBuckets } from '../api/buckets.js'
import {
  createDatabaseToken,
  type DatabaseToken,
  revokeDatabaseToken,
  useDatabaseTokens,
} from '../api/databases.js'
import { Dialog } from '../parts/dialog.js'
import { examples } from '../parts/examples.js'
import { momentText } from '../parts/figures.js'
import { LastUsed } from '../parts/last-used.js'
import { MayButton } from '../parts/may-button.js'
import { NewToken } from '../parts/new-token.js'
import { Page } from '../parts/page.js'
import { Empty, Failed, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { done, failed } from '../parts/toasts.js'
import { useAdmin } from './use-admin.js'

export function TokensPage() {
  const lacking = useAdmin()
  const [isOpen, setOpen] = useState(false)
  const add = (
    <MayButton icon="plus" lacking={lacking} onClick={() => setOpen(true)}>
      New token
    </MayButton>
  )
  return (
    <Page title="Tokens" actions={add}>
      {lacking === undefined ? (
        <TokenList />
      ) : (
        <Empty title="Tokens are managed with the admin token">
          You are signed in with a token for databases.
        </Empty>
      )}
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title="New token">
        {isOpen && <TokenForm onDone={() => setOpen(false)} />}
      </Dialog>
    </Page>
  )
}

function TokenList() {
  const client = useQueryClient()
  const found = useDatabaseTokens()
  const revoke = async ({ id, name }: DatabaseToken) => {
    try {
      await revokeDatabaseToken(id)
      done(`${name || id} is revoked`)
    } catch (error) {
      failed(error, name)
    }
    void client.invalidateQueries({ queryKey: ['database-tokens'] })
  }
  return (
    <Loaded of={found} what="tokens">
      {(all) => {
        if (all.length === 0)
          return (
            <Empty title="No token yet" example={examples.databaseToken()}>
              Programs write and read with tokens of their own.
            </Empty>
          )
        return (
          <div className="table-scroll">
            <table className="plain-table">
              <thead>
                <tr>
                  <th>Name</th>
                  <th>May</th>
                  <th>Made</th>
                  <th>Last used</th>
                  <th>Until</th>
                  <th>
                    <span className="hidden-text">Revoke</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((token) => (
                  <tr key={token.id}>
                    <td>{token.name || <span className="muted">{token.id}</span>}</td>
                    <td>{permissionsText(token)}</td>
                    <td className="no-wrap">{momentText(token.created_at)}</td>
                    <td className="no-wrap">
                      <LastUsed at={token.last_used_at} />
                    </td>
                    <td className="no-wrap">{endText(token)}</td>
                    <td>
                      {token.revoked_at === null && (
                        <SureButton
                          label={`Revoke ${token.name || token.id}`}
                          text="Revoke"
                          onSure={() => revoke(token)}
                        />
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }}
    </Loaded>
  )
}

function permissionsText({ permissions }: DatabaseToken): string {
  return permissions
    .map(({ resource_type: type, resource_names: names, actions }) => {
      if (type === '*') return 'everything'
      const where = names.includes('*') ? 'all databases' : names.join(', ')
      return `${actions.join(' and ')} ${where}`
    })
    .join('; ')
}

function endText({ expiry, revoked_at: revoked }: DatabaseToken): string {
  if (revoked !== null) return `revoked ${momentText(revoked)}`
  return expiry === null ? 'for ever' : momentText(expiry)
}

const day = 86_400
const ends = [
  { value: '0', label: 'for ever' },
  { value: String(day), label: 'a day' },
  { value: String(30 * day), label: '30 days' },
  { value: String(365 * day), label: 'a year' },
]

function TokenForm({ onDone }: { readonly onDone: () => void }) {
  const client = useQueryClient()
  const { data: all = [] } = useBuckets('')
  const [name, setName] = useState('')
  const [databases, setDatabases] = useState<string[]>([])
  const [mayRead, setRead] = useState(true)
  const [mayWrite, setWrite] = useState(false)
  const [seconds, setSeconds] = useState('0')
  const [token, setToken] = useState<string>()
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    const actions = [...(mayRead ? ['read'] : []), ...(mayWrite ? ['write'] : [])] as (
      | 'read'
      | 'write'
    )[]
    const end = seconds === '0' ? {} : { seconds: Number(seconds) }
    const named = databases.length === 0 ? ['*'] : databases
    try {
      setToken(await createDatabaseToken({ name, databases: named, actions, ...end }))
      void client.invalidateQueries({ queryKey: ['database-tokens'] })
    } catch (failure) {
      setError(failure)
    }
  }
  if (token !== undefined) {
    const target = { bucket: databases[0] ?? 'DATABASE' }
    return <NewToken text={token} target={target} onClose={onDone} />
  }
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        label="Name"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <MultiSelect
        label="Databases"
        placeholder={databases.length === 0 ? 'all of them' : ''}
        searchable
        data={all.filter(({ type }) => type !== 'system').map((one) => one.name)}
        value={databases}
        onChange={setDatabases}
      />
      <div className="row">
        <Checkbox
          label="read"
          checked={mayRead}
          onChange={(event) => setRead(event.currentTarget.checked)}
        />
        <Checkbox
          label="write"
          checked={mayWrite}
          onChange={(event) => setWrite(event.currentTarget.checked)}
        />
      </div>
      <Select
        label="Good for"
        data={ends}
        value={seconds}
        onChange={(value) => setSeconds(value ?? '0')}
      />
      {error !== undefined && <Failed error={error} />}
      <Button type="submit" disabled={!mayRead && !mayWrite}>
        Make it
      </Button>
    </form>
  )
}
