// The query of a check over the last hours, with its thresholds as lines, which are dragged to where they should lie.
// Asked anew when the query changes, a moment after the typing ends.

import { useComputedColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Threshold } from '../api/alerts.js'
import { Graph } from '../chart/graph.js'
import { RangePicker } from '../parts/range-picker.js'
import { Empty, Failed } from '../parts/states.js'
import { durationMs } from '../query/durations.js'
import { linesOf } from '../query/lines.js'
import { momentsOf, type TimeRange } from '../query/time-range.js'
import { useRun } from '../query/use-run.js'
import { useHere } from '../shell/here.js'
import type { CheckDraft } from './check-draft.js'
import { levelColour } from './level-mark.js'

export interface CheckChartProps {
  readonly draft: CheckDraft
  readonly onChange: (part: Partial<CheckDraft>) => void
}

export function CheckChart({ draft, onChange }: CheckChartProps) {
  const { org } = useHere()
  const scheme = useComputedColorScheme('light')
  const { state, run } = useRun()
  const [range, setRange] = useState<TimeRange>({ kind: 'past', duration: '3h' })
  const [text] = useDebouncedValue(draft.text, 600)
  const windowSeconds = (durationMs(draft.every) ?? 60_000) / 1000
  useEffect(() => {
    if (text.trim() === '') return
    const moments = momentsOf(range, Date.now())
    run({ language: 'flux', text, orgId: org.id, bucketId: undefined, moments, windowSeconds })
  }, [text, range, windowSeconds, org.id, run])
  // The chart is drawn anew for other lines only, and keeps what it was given until then.
  const latest = useRef({ draft, onChange })
  latest.current = { draft, onChange }
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are others in the other theme
  const thresholds = useMemo(() => {
    if (draft.type !== 'threshold') return []
    const move = (index: number, part: Partial<Threshold>) => {
      const { draft: now, onChange: change } = latest.current
      change({
        thresholds: now.thresholds.map((one, i) => (i === index ? { ...one, ...part } : one)),
      })
    }
    return draft.thresholds.flatMap(({ type, level, ...values }, index) =>
      (type === 'range' ? (['min', 'max'] as const) : (['value'] as const)).map((name) => ({
        value: values[name] ?? 0,
        colour: levelColour(level),
        onMoved: (value: number) => move(index, { [name]: value }),
      })),
    )
  }, [draft.type, draft.thresholds, scheme])
  const series = useMemo(
    () => (state.result === undefined ? undefined : linesOf(state.result).series),
    [state.result],
  )
  const yRange = useMemo(() => rangeWith(series ?? [], thresholds), [series, thresholds])
  if (draft.text.trim() === '') {
    return <Empty title="Choose what it looks at, or write a query" />
  }
  return (
    <section aria-label="The query over time" className="stack">
      <RangePicker range={range} onChange={setRange} />
      {state.failure !== undefined && <Failed error={state.failure} what="The query failed" />}
      {series !== undefined && series.length === 0 && <Empty title="No points in this span" />}
      {series !== undefined && series.length > 0 && state.question !== undefined && (
        <div className="check-chart">
          <Graph
            series={series}
            moments={state.question.moments}
            thresholds={thresholds}
            yRange={yRange}
          />
        </div>
      )}
    </section>
  )
}

/** So that a threshold is seen however far it lies from the points. */
function rangeWith(
  series: readonly { readonly values: Float64Array }[],
  thresholds: readonly { readonly value: number }[],
): readonly [number | undefined, number | undefined] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { values } of series) {
    for (const value of values) {
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  const lines = thresholds.map(({ value }) => value)
  const [lowest, highest] = [Math.min(low, ...lines), Math.max(high, ...lines)]
  const air = (highest - lowest) * 0.06 || 1
  return [lowest < low ? lowest - air : undefined, highest > high ? highest + air : undefined]
}
