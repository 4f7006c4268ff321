// The buckets of an organization: how long they keep their points, making, changing and deleting them. What lies in
// one is `bucket-page.tsx`.

import { ActionIcon, Button, Menu, TextInput, Tooltip } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Bucket, bucketsMax, useBucketFigures, useBuckets } from '../api/buckets.js'
import { agoText, bytesText, momentText, retentionText, shortCount } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { Link } from '../parts/link.js'
import { Page } from '../parts/page.js'
import { Empty, Loaded } from '../parts/states.js'
import { useHere, useMay } from '../shell/here.js'
import { BucketForm } from './bucket-form.js'
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
  const add = (
    <Tooltip label={lacking} disabled={isAllowed}>
      <Button
        disabled={!isAllowed}
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => setDialog({ kind: 'new' })}
      >
        New bucket
      </Button>
    </Tooltip>
  )
  return (
    <Page title="Data" actions={add}>
      <TextInput
        aria-label="Find a bucket"
        placeholder="Find a bucket"
        leftSection={<Icon name="search" size={14} />}
        maw={320}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
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
        key={dialog?.kind === 'edit' ? dialog.bucket.id : 'new'}
        isOpen={dialog?.kind === 'new' || dialog?.kind === 'edit'}
        bucket={dialog?.kind === 'edit' ? dialog.bucket : undefined}
        orgId={org.id}
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
            <th className="is-number">Series</th>
            <th className="is-number">On disk</th>
            <th>Last point</th>
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
              <BucketFigures bucket={bucket} />
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

/** They come after the names: who may not see them still sees the names. */
function BucketFigures({ bucket }: { readonly bucket: Bucket }) {
  const { data } = useBucketFigures(bucket.id)
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
