// Deleting a bucket with everything in it: its name has to be typed, since there is no way back.
// The same question guards deleting points.

import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Bucket, deleteBucket } from '../api/buckets.js'
import { Dialog } from '../parts/dialog.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'

export interface DeleteBucketProps {
  readonly bucket: Bucket
  readonly onClose: () => void
  readonly onDone: () => void
}

export function DeleteBucket({ bucket, onClose, onDone }: DeleteBucketProps) {
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (name !== bucket.name) return
    try {
      await deleteBucket(bucket.id)
      done(`Bucket ${bucket.name} is deleted`)
      onDone()
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Dialog opened onClose={onClose} title={`Delete ${bucket.name}`}>
      <form onSubmit={submit} className="stack">
        <p>All of its points go with it, and cannot be brought back.</p>
        <TextInput
          label={`Type ${bucket.name} to go on`}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {error !== undefined && <Failed error={error} />}
        <Button type="submit" variant="light" color="red" disabled={name !== bucket.name}>
          Delete
        </Button>
      </form>
    </Dialog>
  )
}
