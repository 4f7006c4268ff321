// The databases of a cluster: how long they keep their points, how much lies in them; making, changing and deleting
// them is the admin token's.

import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Bucket, useBuckets } from '../api/buckets.js'
import { changeDatabase, createDatabase, deleteDatabase } from '../api/databases.js'
import { BucketFigures, BucketFigureTitles } from '../parts/bucket-figures.js'
import { BucketForm } from '../parts/bucket-form.js'
import { examples } from '../parts/examples.js'
import { retentionText } from '../parts/figures.js'
import { Link } from '../parts/link.js'
import { MayButton } from '../parts/may-button.js'
import { Page } from '../parts/page.js'
import { Empty, Loaded } from '../parts/states.js'
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
  const edited = dialog === 'new' ? undefined : dialog
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
              <Empty title="No database yet" example={examples.database()}>
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
      <BucketForm
        noun="database"
        isOpen={dialog !== undefined}
        before={edited}
        isDescribed={false}
        onSave={({ name, everySeconds }) =>
          (edited === undefined ? createDatabase : changeDatabase)(name, everySeconds)
        }
        onClose={() => setDialog(undefined)}
        onDone={changed}
      />
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
            <BucketFigureTitles />
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
              <BucketFigures id={database.id} />
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
