// The buckets of an organization: how long they keep their points, making, changing and deleting them. What lies in
// one is `bucket-page.tsx`.

import { ActionIcon, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Bucket, bucketsMax, changeBucket, createBucket, useBuckets } from '../api/buckets.js'
import { BucketFigures, BucketFigureTitles } from '../parts/bucket-figures.js'
import { retentionText } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { KeptForm } from '../parts/kept-form.js'
import { Link } from '../parts/link.js'
import { MayButton } from '../parts/may-button.js'
import { Page } from '../parts/page.js'
import { SearchBox } from '../parts/search-box.js'
import { Empty, Loaded } from '../parts/states.js'
import { useHere, useMay } from '../shell/here.js'
import { DeleteBucket } from './delete-bucket.js'

type Dialog =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'delete'; readonly bucket: Bucket }

export function DataPage() {
  const { org } = useHere()
  const client = useQueryClient()
  const found = useBuckets(org.id)
  const { isAllowed, lacking } = useMay('write', 'buckets')
  const [search, setSearch] = useState('')
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const changed = () => {
    close()
    void client.invalidateQueries({ queryKey: ['buckets'] })
  }
  const edited = dialog?.kind === 'edit' ? dialog.bucket : undefined
  const add = (
    <MayButton icon="plus" lacking={lacking} onClick={() => setDialog({ kind: 'new' })}>
      New bucket
    </MayButton>
  )
  return (
    <Page title="Data" actions={add}>
      <SearchBox label="Find a bucket" value={search} onChange={setSearch} />
      <Loaded of={found} what="buckets">
        {(all) => {
          const shown = all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
          if (shown.length === 0) return <Empty title="No bucket with this in its name" />
          return (
            <>
              <Buckets list={shown} isAllowed={isAllowed} onDialog={setDialog} />
              {all.length >= bucketsMax && (
                <p className="muted small">The first {bucketsMax} buckets.</p>
              )}
            </>
          )
        }}
      </Loaded>
      <KeptForm
        key={edited?.id ?? 'new'}
        noun="bucket"
        isOpen={dialog?.kind === 'new' || dialog?.kind === 'edit'}
        before={edited}
        isDescribed
        onSave={(input) =>
          edited === undefined ? createBucket(org.id, input) : changeBucket(edited.id, input)
        }
        onClose={close}
        onDone={changed}
      />
      {dialog?.kind === 'delete' && (
        <DeleteBucket bucket={dialog.bucket} onClose={close} onDone={changed} />
      )}
    </Page>
  )
}

interface BucketsProps {
  readonly list: readonly Bucket[]
  readonly isAllowed: boolean
  readonly onDialog: (dialog: Dialog) => void
}

function Buckets({ list, isAllowed, onDialog }: BucketsProps) {
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Name</th>
            <th>Kept</th>
            <BucketFigureTitles />
            <th>Description</th>
            <th>
              <span className="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((bucket) => (
            <tr key={bucket.id}>
              <td>
                <Link href={`/data/${bucket.id}/schema`}>{bucket.name}</Link>
              </td>
              <td>{retentionText(bucket.retentionRules[0]?.everySeconds ?? 0)}</td>
              <BucketFigures id={bucket.id} />
              <td>{bucket.type === 'system' ? 'kept by the service' : bucket.description}</td>
              <td>
                <Menu position="bottom-end">
                  <Menu.Target>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Actions on ${bucket.name}`}
                      disabled={!isAllowed || bucket.type === 'system'}
                    >
                      <Icon name="more" />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item onClick={() => onDialog({ kind: 'edit', bucket })}>Change</Menu.Item>
                    <Menu.Item color="red" onClick={() => onDialog({ kind: 'delete', bucket })}>
                      Delete
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
