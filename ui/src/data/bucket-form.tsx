// Making a bucket, and changing one: its name, what it is for, and how long it keeps its points. What the service says
// against it stands below the fields.

import { Button, Modal, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Bucket, changeBucket, createBucket } from '../api/buckets.js'
import { retentionText } from '../parts/figures.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'

export interface BucketFormProps {
  readonly isOpen: boolean
  /** Absent: a new one. */
  readonly bucket: Bucket | undefined
  readonly orgId: string
  readonly onClose: () => void
  readonly onDone: () => void
}

const day = 86_400
const choices = [0, 3600, day, 7 * day, 30 * day, 90 * day, 365 * day]

export function BucketForm(props: BucketFormProps) {
  const { isOpen, bucket, onClose } = props
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={bucket === undefined ? 'New bucket' : `Change ${bucket.name}`}
    >
      {isOpen && <Fields {...props} />}
    </Modal>
  )
}

function Fields({ bucket, orgId, onDone }: BucketFormProps) {
  const before = bucket?.retentionRules[0]?.everySeconds ?? 0
  const [name, setName] = useState(bucket?.name ?? '')
  const [description, setDescription] = useState(bucket?.description ?? '')
  const [seconds, setSeconds] = useState(String(before))
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    const input = { name, description, everySeconds: Number(seconds) }
    try {
      if (bucket === undefined) await createBucket(orgId, input)
      else await changeBucket(bucket.id, input)
      done(`Bucket ${name} is ${bucket === undefined ? 'made' : 'changed'}`)
      onDone()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  const kept = [...new Set([...choices, before])].map((value) => ({
    value: String(value),
    label: retentionText(value),
  }))
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <Select
        label="Keep points"
        data={kept}
        value={seconds}
        onChange={(value) => setSeconds(value ?? '0')}
      />
      {error !== undefined && <Failed error={error} />}
      <Button type="submit" loading={isBusy}>
        {bucket === undefined ? 'Make it' : 'Change it'}
      </Button>
    </form>
  )
}
