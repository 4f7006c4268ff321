// Line protocol typed or pasted, written as it stands. What the service refuses is told with its line, which is then
// marked; good lines of the same text are written.

import { Button, Select, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Bucket, type Precision, writeLines } from '../api/buckets.js'
import { plural } from '../parts/figures.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'
import { guessPrecision, lineCount } from './line-text.js'

const precisions = [
  { value: 'ns', label: 'nanoseconds' },
  { value: 'us', label: 'microseconds' },
  { value: 'ms', label: 'milliseconds' },
  { value: 's', label: 'seconds' },
]

export function WriteBox({ bucket }: { readonly bucket: Bucket }) {
  const client = useQueryClient()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<Precision>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const precision = chosen ?? guessPrecision(text)
  const count = lineCount(text)
  const write = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await writeLines(bucket.orgID, bucket.name, precision, text)
      done(`${plural(count, 'line')} written to ${bucket.name}`)
      setText('')
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
      void client.invalidateQueries({ queryKey: ['schema'] })
    }
  }
  return (
    <div className="stack">
      <Textarea
        label="Line protocol, one point a line"
        placeholder="room,room=kitchen temperature=21.5"
        autosize
        minRows={6}
        maxRows={20}
        classNames={{ input: 'mono' }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className="row row-end">
        <Select
          label={chosen === undefined ? 'Times are in, guessed' : 'Times are in'}
          data={precisions}
          value={precision}
          onChange={(value) => setChosen(value as Precision)}
        />
        <Button disabled={count === 0} loading={isBusy} onClick={write}>
          Write {plural(count, 'line')}
        </Button>
      </div>
      {error !== undefined && <Failed error={error} what="Not all lines were written" />}
    </div>
  )
}
