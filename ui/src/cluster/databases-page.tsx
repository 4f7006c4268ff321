// The databases of a cluster: how long they keep their points, how much lies in them; making, changing and deleting
// them is the admin token's.

import { Button, Modal, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Bucket, useBucketFigures, useBuckets } from '../api/buckets.js'
import { changeDatabase, createDatabase, deleteDatabase } from '../api/databases.js'
import { agoText, bytesText, momentText, retentionText, shortCount } from '../parts/figures.js'
import { Link } from '../parts/link.js'
import { MayButton } from '../parts/may-button.js'
import { Page } from '../parts/page.js'
import { Empty, Failed, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { done, failed } from '../parts/toasts.js'
import { useAdmin } from './use-admin.js'

type Dialog = 'new' | Bucket | undefined

export function DatabasesPage() {
  const lacking = useAdmin()
  const client = useQueryClient()
  const found = useBuckets('')
  const [dialog, setDialog] = useState<Dialog>()
  const changed = () => {
    setDialog(undefined)
    void client.invalidateQueries({ queryKey: ['buckets'] })
  }
  const remove = async ({ name }: Bucket) => {
    try {
      await deleteDatabase(name)
      done(`Database ${name} is deleted`)
    } catch (error) {
      failed(error, name)
    }
    changed()
  }
  const add = (
    <MayButton icon="plus" lacking={lacking} onClick={() => setDialog('new')}>
      New database
    </MayButton>
  )
  return (
    <Page title="Databases" actions={add}>
      <Loaded of={found} what="databases">
        {(all) => {
          const own = all.filter(({ type }) => type !== 'system')
          if (own.length === 0)
            return (
              <Empty title="No database yet">
                A write to a database that is not there makes it, for a token that may.
              </Empty>
            )
          return (
            <DatabaseTable
              list={own}
              isAllowed={lacking === undefined}
              onChange={setDialog}
              onDelete={remove}
            />
          )
        }}
      </Loaded>
      <Modal
        opened={dialog !== undefined}
        onClose={() => setDialog(undefined)}
        title={typeof dialog === 'object' ? `Change ${dialog.name}` : 'New database'}
      >
        {dialog !== undefined && (
          <DatabaseForm database={dialog === 'new' ? undefined : dialog} onDone={changed} />
        )}
      </Modal>
    </Page>
  )
}

interface DatabaseTableProps {
  readonly list: readonly Bucket[]
  readonly isAllowed: boolean
  readonly onChange: (database: Bucket) => void
  readonly onDelete: (database: Bucket) => void
}

function DatabaseTable({ list, isAllowed, onChange, onDelete }: DatabaseTableProps) {
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Name</th>
            <th>Kept</th>
            <th className="is-number">Series</th>
            <th className="is-number">On disk</th>
            <th>Last point</th>
            <th>
              <span className="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((database) => (
            <tr key={database.id}>
              <td>
                <Link href={`/explore?b=${encodeURIComponent(database.name)}`}>
                  {database.name}
                </Link>
              </td>
              <td>{retentionText(database.retentionRules[0]?.everySeconds ?? 0)}</td>
              <Figures id={database.id} />
              <td>
                <div className="row row-tight">
                  <Button
                    size="compact-xs"
                    variant="default"
                    disabled={!isAllowed}
                    aria-label={`Change ${database.name}`}
                    onClick={() => onChange(database)}
                  >
                    Change
                  </Button>
                  <SureButton
                    label={`Delete ${database.name}`}
                    isDisabled={!isAllowed}
                    onSure={() => onDelete(database)}
                  />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Figures({ id }: { readonly id: string }) {
  const { data } = useBucketFigures(id)
  return (
    <>
      <td className="is-number no-wrap">
        {data === undefined ? '' : shortCount(data.seriesCount)}
      </td>
      <td className="is-number no-wrap">
        {data?.storedBytes === undefined ? '' : bytesText(data.storedBytes)}
      </td>
      <td className="no-wrap">
        {data?.last !== undefined && (
          <span title={momentText(data.last)}>{agoText(data.last)}</span>
        )}
      </td>
    </>
  )
}

const day = 86_400
const choices = [0, 3600, day, 3 * day, 7 * day, 30 * day, 365 * day]

interface DatabaseFormProps {
  readonly database: Bucket | undefined
  readonly onDone: () => void
}

function DatabaseForm({ database, onDone }: DatabaseFormProps) {
  const before = database?.retentionRules[0]?.everySeconds ?? 0
  const [name, setName] = useState(database?.name ?? '')
  const [seconds, setSeconds] = useState(String(before))
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    try {
      if (database === undefined) await createDatabase(name, Number(seconds))
      else await changeDatabase(name, Number(seconds))
      done(`Database ${name} is ${database === undefined ? 'made' : 'changed'}`)
      onDone()
    } catch (failure) {
      setError(failure)
    }
  }
  const kept = [...new Set([...choices, before])].map((value) => ({
    value: String(value),
    label: retentionText(value),
  }))
  return (
    <form onSubmit={submit} className="stack">
      {database === undefined && (
        <TextInput
          label="Name"
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <Select
        label="Keep points"
        data={kept}
        value={seconds}
        onChange={(value) => setSeconds(value ?? '0')}
      />
      {error !== undefined && <Failed error={error} />}
      <Button type="submit">{database === undefined ? 'Make it' : 'Change it'}</Button>
    </form>
  )
}
