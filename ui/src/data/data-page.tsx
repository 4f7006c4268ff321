// The buckets of an organization: how long they keep their points, making, changing and deleting them. What lies in
// one is `bucket-page.tsx`.

import { ActionIcon, Menu } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Bucket, bucketsMax, changeBucket, createBucket, useBuckets } from '../api/buckets.js'
import { type RecentWrites, useRecentWrites } from '../api/usage.js'
import { BucketFigures, BucketFigureTitles } from '../parts/bucket-figures.js'
import { BucketForm } from '../parts/bucket-form.js'
import { bytesText, plural, retentionText } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { Link } from '../parts/link.js'
import { MayButton } from '../parts/may-button.js'
import { Page } from '../parts/page.js'
import { SearchBox } from '../parts/search-box.js'
import { Sparkline } from '../parts/sparkline.js'
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
      <BucketForm
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

const minutes = 60
const none: RecentWrites = { requests: [], bytes: [] }

/** How much came, and how many requests brought it. Nothing until it is known. */
function Writes({ of: writes }: { readonly of: RecentWrites | undefined }) {
  if (writes === undefined) return null
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const requests = sum(writes.requests)
  if (requests === 0) return <span className="muted">none</span>
  const size = bytesText(sum(writes.bytes))
  return (
    <span className="figure-chart" title={`${plural(requests, 'write')}, ${size}`}>
      <Sparkline values={writes.bytes} room={minutes} />
      <span className="small mono">{size}</span>
    </span>
  )
}

function Buckets({ list, isAllowed, onDialog }: BucketsProps) {
  const { data: writes } = useRecentWrites(useHere().org.id)
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Name</th>
            <th>Kept</th>
            <BucketFigureTitles />
            <th>Writes, last hour</th>
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
              <td className="no-wrap">
                {/* What the service writes itself is not counted. */}
                {bucket.type === 'user' && (
                  <Writes of={writes && (writes.get(bucket.id) ?? none)} />
                )}
              </td>
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
