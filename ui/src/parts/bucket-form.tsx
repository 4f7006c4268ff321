// Making or changing what holds points, a bucket or a database: its name, what it is for, and how long it keeps them.
// What the service says against it stands below the fields.

import { Button, Select, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Bucket, BucketInput } from '../api/buckets.js'
import { Dialog } from './dialog.js'
import { retentionText } from './figures.js'
import { Failed } from './states.js'
import { done } from './toasts.js'

export interface BucketFormProps {
  /** As `bucket`. */
  readonly noun: string
  readonly isOpen: boolean
  /** Absent: a new one. */
  readonly before: Bucket | undefined
  /** Whether there is a description, and the name of one that is there can be changed. */
  readonly isDescribed: boolean
  readonly onSave: (input: BucketInput) => Promise<unknown>
  readonly onClose: () => void
  readonly onDone: () => void
}

const day = 86_400
const choices = [0, 3600, day, 7 * day, 30 * day, 90 * day, 365 * day]

export function BucketForm(props: BucketFormProps) {
  const { noun, isOpen, before, onClose } = props
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      title={before === undefined ? `New ${noun}` : `Change ${before.name}`}
    >
      {isOpen && <BucketFields {...props} />}
    </Dialog>
  )
}

export type BucketFieldsProps = Omit<BucketFormProps, 'isOpen' | 'onClose'>

/** Without the dialog around them. */
export function BucketFields({ noun, before, isDescribed, onSave, onDone }: BucketFieldsProps) {
  const isNew = before === undefined
  const keptBefore = before?.retentionRules[0]?.everySeconds ?? 0
  const [name, setName] = useState(before?.name ?? '')
  const [description, setDescription] = useState(before?.description ?? '')
  const [seconds, setSeconds] = useState(String(keptBefore))
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      setError(undefined)
      await onSave({ name, description, everySeconds: Number(seconds) })
      const [first] = noun
      done(`${first.toUpperCase()}${noun.slice(1)} ${name} is ${isNew ? 'made' : 'changed'}`)
      onDone()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  const kept = [...new Set([...choices, keptBefore])].map((value) => ({
    value: String(value),
    label: retentionText(value),
  }))
  return (
    <form onSubmit={submit} className="stack">
      {(isNew || isDescribed) && (
        <TextInput
          label="Name"
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      {isDescribed && (
        <TextInput
          label="Description"
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
      )}
      <Select
        label="Keep points"
        data={kept}
        value={seconds}
        onChange={(value) => setSeconds(value ?? '0')}
      />
      {error !== undefined && <Failed error={error} />}
      <Button type="submit" loading={isBusy}>
        {isNew ? 'Make it' : 'Change it'}
      </Button>
    </form>
  )
}
