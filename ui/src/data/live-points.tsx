// The points of a bucket as they come in, the newest first: what a device sends right now, without a query. Holding it
// keeps what is there while more is counted.

import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import type { Bucket } from '../api/buckets.js'
import { watchPoints } from '../api/live.js'
import { plural } from '../parts/figures.js'
import { Empty } from '../parts/states.js'

const shownMax = 200

interface Line {
  readonly number: number
  readonly text: string
}

export function LivePointList({ bucket }: { readonly bucket: Bucket }) {
  const [measurement, setMeasurement] = useState('')
  const [asked] = useDebouncedValue(measurement.trim(), 400)
  const [lines, setLines] = useState<readonly Line[]>([])
  const [count, setCount] = useState(0)
  const [isConnected, setConnected] = useState(false)
  const [isHeld, setHeld] = useState(false)
  const held = useRef(isHeld)
  held.current = isHeld
  useEffect(() => {
    let number = 0
    setLines([])
    setCount(0)
    return watchPoints(
      bucket.id,
      asked === '' ? undefined : asked,
      ({ lines: came, skipped }) => {
        setCount((before) => before + came.length + skipped)
        if (held.current) return
        const added = came.map((text) => ({ number: ++number, text })).reverse()
        setLines((before) => [...added, ...before].slice(0, shownMax))
      },
      setConnected,
    )
  }, [bucket.id, asked])
  return (
    <div className="stack">
      <div className="row row-end">
        <TextInput
          label="Measurement"
          placeholder="all"
          value={measurement}
          onChange={(event) => setMeasurement(event.currentTarget.value)}
        />
        <Button variant="default" aria-pressed={isHeld} onClick={() => setHeld(!isHeld)}>
          {isHeld ? 'Go on' : 'Hold'}
        </Button>
        <span className="small muted" role="status">
          {isConnected ? `Watching: ${plural(count, 'point')} so far` : 'Connecting…'}
        </span>
      </div>
      {lines.length === 0 ? (
        <Empty title="Nothing was written yet since you came">
          Points appear here as they are written to {bucket.name}.
        </Empty>
      ) : (
        <div
          className="live-lines mono"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
          tabIndex={0}
          role="log"
          aria-label="Points"
          aria-live="off"
        >
          {lines.map(({ number, text }) => (
            <div key={number}>{text.trimEnd()}</div>
          ))}
        </div>
      )}
    </div>
  )
}
