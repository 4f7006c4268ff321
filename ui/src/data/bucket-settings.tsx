// What can be changed of a bucket: its name, what it is for, how long it keeps its points; and deleting it with
// everything in it.

import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { type Bucket, changeBucket } from '../api/buckets.js'
import { BucketFields } from '../parts/bucket-form.js'
import { Empty } from '../parts/states.js'
import { DeleteBucket } from './delete-bucket.js'

export function BucketSettings({ bucket }: { readonly bucket: Bucket }) {
  const [isDeleting, setDeleting] = useState(false)
  const client = useQueryClient()
  const [, go] = useLocation()
  const changed = () => client.invalidateQueries({ queryKey: ['buckets'] })
  if (bucket.type === 'system') {
    return <Empty title="Kept by the service">Neither its name nor its retention can change.</Empty>
  }
  return (
    <div className="stack narrow">
      <BucketFields
        noun="bucket"
        before={bucket}
        isDescribed
        onSave={(input) => changeBucket(bucket.id, input)}
        onDone={changed}
      />
      <p className="muted small">
        For programs its id is <code>{bucket.id}</code>. Points that are older than it keeps them go
        by themselves.
      </p>
      <div>
        <Button variant="light" color="red" onClick={() => setDeleting(true)}>
          Delete the bucket…
        </Button>
      </div>
      {isDeleting && (
        <DeleteBucket
          bucket={bucket}
          onClose={() => setDeleting(false)}
          onDone={() => {
            go('/data')
            void changed()
          }}
        />
      )}
    </div>
  )
}
