// Deleting points: a range, and which of them by a predicate. The bucket's name has to be typed, since there is no way
// back.

import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Bucket, deletePoints } from '../api/buckets.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'

export function DeletePoints({ bucket }: { readonly bucket: Bucket }) {
  const [input, setInput] = useState({ start: '', stop: '', predicate: '', name: '' })
  const [error, setError] = useState<unknown>()
  const isReady = input.name === bucket.name && input.start !== '' && input.stop !== ''
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    setError(undefined)
    try {
      const [start, stop] = [moment(input.start), moment(input.stop)]
      await deletePoints(bucket.orgID, bucket.id, { start, stop, predicate: input.predicate })
      done(`Points of ${bucket.name} are deleted`)
      setInput({ ...input, name: '' })
    } catch (failure) {
      setError(failure)
    }
  }
  const field = (name: keyof typeof input) => ({
    value: input[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setInput({ ...input, [name]: event.currentTarget.value }),
  })
  return (
    <form onSubmit={submit} className="stack narrow">
      <div className="fields-2">
        <TextInput type="datetime-local" step={1} label="From" required {...field('start')} />
        <TextInput type="datetime-local" step={1} label="To" required {...field('stop')} />
      </div>
      <TextInput
        label="Which points; empty: all of the range"
        placeholder={'_measurement="room" AND room="cellar"'}
        classNames={{ input: 'mono' }}
        {...field('predicate')}
      />
      <TextInput label={`Type ${bucket.name} to go on`} {...field('name')} />
      {error !== undefined && <Failed error={error} what="Deleting" />}
      <div>
        <Button type="submit" variant="light" color="red" disabled={!isReady}>
          Delete the points
        </Button>
      </div>
    </form>
  )
}

function moment(local: string): string {
  return new Date(local).toISOString()
}
