// Line protocol typed or pasted, read by the service's own parser as it is typed: what it holds, and what is wrong with
// each line. Good lines are written; those that the service refuses stay in the box, each with its reason.

import { Button, Select, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Bucket, type Precision, writeLines } from '../api/buckets.js'
import { plural } from '../parts/figures.js'
import { Failed } from '../parts/states.js'
import { done } from '../parts/toasts.js'
import { guessPrecision, lineCount, type RefusedText, refusedTexts } from './line-text.js'
import { LinesFound } from './lines-found.js'

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
  const [refused, setRefused] = useState<readonly RefusedText[]>([])
  const [isBusy, setBusy] = useState(false)
  const precision = chosen ?? guessPrecision(text)
  const count = lineCount(text)
  const write = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const found = await writeLines(bucket.orgID, bucket.name, precision, text)
      const left = refusedTexts(text, found)
      const written = count - left.length
      if (written > 0) done(`${plural(written, 'line')} written to ${bucket.name}`)
      setRefused(left)
      setText(left.map((one) => one.text).join('\n'))
      // What the others are in was told by them.
      if (left.length > 0) setChosen(precision)
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
        onChange={(event) => {
          setText(event.currentTarget.value)
          setRefused([])
        }}
      />
      {refused.length === 0 && <LinesFound text={text} precision={precision} />}
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
      {error !== undefined && <Failed error={error} what="Nothing was written" />}
      {refused.length > 0 && <Refused list={refused} />}
    </div>
  )
}

const refusedShown = 50

function Refused({ list }: { readonly list: readonly RefusedText[] }) {
  return (
    <div className="failed" role="alert">
      <p>{plural(list.length, 'line was', 'lines were')} refused; the others are written.</p>
      <ul className="refused">
        {list.slice(0, refusedShown).map(({ line, text, message }) => (
          <li key={line}>
            <span className="bad">
              line {line}: {message}
            </span>
            <code>{text}</code>
          </li>
        ))}
      </ul>
      {list.length > refusedShown && <p className="muted small">The first {refusedShown}.</p>}
    </div>
  )
}
