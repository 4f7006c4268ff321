// Deleting points: a range, and which of them by a predicate. How many that would be is told first, and the bucket's
// name has to be typed, since there is no way back.

import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Bucket, type DeletePreview, deletePoints, previewDelete } from '../api/buckets.js'
import { plural } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'

export function DeletePoints({ bucket }: { readonly bucket: Bucket }) {
  const [input, setInput] = useState({ start: '', stop: '', predicate: '', name: '' })
  const [error, setError] = useState<unknown>()
  const [preview, setPreview] = useState<DeletePreview>()
  const isWhole = input.start !== '' && input.stop !== ''
  const isReady = preview !== undefined && input.name === bucket.name && isWhole
  const asked = () => ({
    start: moment(input.start),
    stop: moment(input.stop),
    predicate: input.predicate,
  })
  const look = async () => {
    setError(undefined)
    try {
      setPreview(await previewDelete(bucket.orgID, bucket.id, asked()))
    } catch (failure) {
      setError(failure)
    }
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) {
      if (isWhole) await look()
      return
    }
    setError(undefined)
    try {
      await deletePoints(bucket.orgID, bucket.id, asked())
      done(`Points of ${bucket.name} are deleted`)
      setInput({ ...input, name: '' })
      setPreview(undefined)
    } catch (failure) {
      setError(failure)
    }
  }
  const field = (name: keyof typeof input) => ({
    value: input[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      if (name !== 'name') setPreview(undefined)
      setInput({ ...input, [name]: event.currentTarget.value })
    },
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
      {error !== undefined && <Failed error={error} what="Deleting" />}
      {preview === undefined ? (
        <div>
          <Button variant="default" disabled={!isWhole} onClick={look}>
            What would go?
          </Button>
        </div>
      ) : (
        <>
          <p role="status" className="warn">
            <Icon name="warn" size={14} /> This removes at most {plural(preview.rowCountMax, 'row')}{' '}
            of {plural(preview.seriesCount, 'series', 'series')}. There is no way back.
          </p>
          <TextInput label={`Type ${bucket.name} to go on`} {...field('name')} />
          <div>
            <Button type="submit" variant="light" color="red" disabled={!isReady}>
              Delete the points
            </Button>
          </div>
        </>
      )}
    </form>
  )
}

function moment(local: string): string {
  return new Date(local).toISOString()
}
