// The answer: chart, table, raw text or plan, what it cost, and what can be done with it. While a query runs the last
// answer stays, with what has come so far above it.

import { Alert, Button } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import type { Bucket } from '../api/buckets.js'
import { useRowsRead } from '../api/status.js'
import { bytesText, countText, durationText, plural } from '../parts/figures.js'
import { useKeys } from '../parts/keys.js'
import { later } from '../parts/later.js'
import { OneOf } from '../parts/one-of.js'
import { Empty, Failed } from '../parts/states.js'
import { csvText } from '../query/csv-text.js'
import { linesOf } from '../query/lines.js'
import type { Result } from '../query/result.js'
import type { Moments } from '../query/time-range.js'
import type { RunState } from '../query/use-run.js'
import { ResultTable } from '../table/result-table.js'
import type { Change, ExploreState, View } from './explore-state.js'
import { NoRows } from './no-rows.js'
import { planText } from './plan.js'
import { ResultActions } from './result-actions.js'

const Graph = later(async () => (await import('../chart/graph.js')).Graph)

export interface ResultPaneProps {
  readonly answer: RunState
  readonly state: ExploreState
  readonly bucket: Bucket
  readonly onChange: Change
  readonly onStop: () => void
  readonly onRun: () => void
  readonly onZoom: (moments: Moments) => void
  readonly onZoomBack: () => void
}

const views = [
  { value: 'chart', label: 'Chart' },
  { value: 'table', label: 'Table' },
  { value: 'raw', label: 'Raw' },
  { value: 'plan', label: 'Plan' },
]

export function ResultPane(props: ResultPaneProps) {
  const { answer, state, onChange } = props
  useKeys({ v: () => onChange({ view: state.view === 'table' ? 'chart' : 'table' }) })
  // The answer before one that failed tells nothing of it.
  const hasAnswer = answer.result !== undefined && !answer.isRunning && answer.failure === undefined
  return (
    <>
      <div className="row">
        <OneOf
          aria-label="View"
          data={views}
          value={state.view}
          onChange={(view) => onChange({ view: view as View })}
        />
        <span className="small muted" role="status">
          {hasAnswer && <Summary result={answer.result!} />}
        </span>
      </div>
      <section className="explore-result" aria-label="Answer">
        {answer.isRunning && <Running answer={answer} onStop={props.onStop} />}
        <Shown {...props} />
      </section>
      <ResultActions answer={answer} state={state} bucket={props.bucket} />
    </>
  )
}

function Summary({ result }: { readonly result: Result }) {
  const { tables, rowCount, elapsedMs, byteCount } = result
  return (
    <>
      {plural(tables.length, 'table')} · {plural(rowCount, 'row')} · {durationText(elapsedMs)} ·{' '}
      {bytesText(byteCount)}
    </>
  )
}

function Shown(props: ResultPaneProps) {
  const { answer, state, bucket, onChange, onRun } = props
  const { result, failure, question } = answer
  if (failure !== undefined)
    return <Failed error={failure} what="The query failed" onRetry={onRun} />
  if (result === undefined || question === undefined) {
    if (answer.isRunning) return null
    return (
      <Empty title="Nothing asked yet">
        Choose a measurement in the tree, or write a query and press Ctrl Enter.
      </Empty>
    )
  }
  if (result.rowCount === 0) return <NoRows bucket={bucket} state={state} onChange={onChange} />
  return (
    <>
      {result.stoppedAt !== undefined && (
        <Alert color="yellow" p={8}>
          There is more: the page stops reading at{' '}
          {result.stoppedAt === 'rows' ? 'a million rows' : '64 MB'}. <em>All as CSV</em> and{' '}
          <em>Parquet</em> below save the whole answer.
        </Alert>
      )}
      <ResultView
        result={result}
        view={state.view}
        moments={question.moments}
        onZoom={props.onZoom}
        onZoomBack={props.onZoomBack}
      />
    </>
  )
}

interface ResultViewProps extends Pick<ResultPaneProps, 'onZoom' | 'onZoomBack'> {
  readonly result: Result
  readonly view: View
  readonly moments: Moments
}

function ResultView({ result, view, moments, onZoom, onZoomBack }: ResultViewProps) {
  const { series, total } = useMemo(() => linesOf(result), [result])
  if (view === 'plan') {
    return (
      <div className="with-note">
        <Text text={planText(result)} />
      </div>
    )
  }
  if (view === 'raw') return <Raw result={result} />
  if (view === 'table') return <ResultTable result={result} />
  if (series.length === 0) {
    return (
      <div className="with-note">
        <p className="small muted">No times and numbers to draw: shown as a table.</p>
        <ResultTable result={result} />
      </div>
    )
  }
  return (
    <div className="with-note">
      {total > series.length && (
        <p className="small muted">
          {countText(series.length)} of {countText(total)} series are drawn; the table has all of
          them.
        </p>
      )}
      <Graph series={series} moments={moments} onZoom={onZoom} onZoomBack={onZoomBack} />
    </div>
  )
}

const rawRowsMax = 2000

function Raw({ result }: { readonly result: Result }) {
  const text = useMemo(() => csvText(result, rawRowsMax), [result])
  return (
    <div className="with-note">
      {result.rowCount > rawRowsMax && (
        <p className="small muted">
          {countText(rawRowsMax)} of {countText(result.rowCount)} rows; CSV has all of them.
        </p>
      )}
      <Text text={text} />
    </div>
  )
}

function Text({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <pre className="raw" tabIndex={0}>
      {text}
    </pre>
  )
}

const barAfterMs = 300
const tickMs = 250

/** After a moment: what is quick needs no bar. */
function Running({ answer, onStop }: { readonly answer: RunState; readonly onStop: () => void }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), barAfterMs)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate) return null
  return (
    <div className="running" role="status">
      <div className="running-bar" />
      <Elapsed answer={answer} />
      <Button size="compact-xs" variant="light" color="red" onClick={onStop}>
        Stop
      </Button>
    </div>
  )
}

/** By itself: only this text changes while an answer comes. */
function Elapsed({ answer }: { readonly answer: RunState }) {
  const { startedAt, requestId, progress } = answer
  const rowsRead = useRowsRead(requestId)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  const { latest } = progress
  return (
    <span className="small">
      Running · {durationText(now - startedAt)}
      {rowsRead !== undefined && ` · ${plural(rowsRead, 'row')} read`}
      {latest !== undefined &&
        ` · ${plural(latest.rows, 'row')}, ${bytesText(latest.bytes)} received`}
    </span>
  )
}
