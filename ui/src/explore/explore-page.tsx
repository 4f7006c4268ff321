// The explorer: what there is at the left, the text above, the answer
// below. Three languages over the same data.

import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useBuckets } from '../api/buckets.js'
import { EditorFrame } from '../editor/editor-frame.js'
import { later } from '../parts/later.js'
import { OneOf } from '../parts/one-of.js'
import { Page } from '../parts/page.js'
import { Empty, Failed } from '../parts/states.js'
import type { Question } from '../query/language.js'
import { isComplete } from '../query/model.js'
import {
  type Moments,
  momentsOf,
  type TimeRange,
  windowSeconds,
  zoomedOut,
} from '../query/time-range.js'
import { useRun } from '../query/use-run.js'
import { useHere } from '../shell/here.js'
import { ExploreFrame } from './explore-frame.js'
import {
  type Change,
  editedState,
  isBuilt,
  printState,
  textOf,
  useExploreState,
} from './explore-state.js'
import { planQuestion } from './plan.js'
import { QueryBar as PlainQueryBar } from './query-bar.js'
import { remember } from './query-history.js'
import { ResultPane } from './result-pane.js'
import { useKnownNames, useNames } from './schema-names.js'
import { SchemaPane as PlainSchemaPane } from './schema-pane.js'
import { TextHint as PlainTextHint } from './text-hint.js'

// An answer that comes changes nothing of these.
const Editor = later(
  async () => memo((await import('../editor/editor.js')).Editor),
  <EditorFrame />,
)
const QueryBar = memo(PlainQueryBar)
const SchemaPane = memo(PlainSchemaPane)
const TextHint = memo(PlainTextHint)

const pointsMax = 400

export function ExplorePage() {
  const { org } = useHere()
  const buckets = useBuckets(org.id)
  const { state, change, edit } = useExploreState()
  const { state: answer, run, stop } = useRun()
  const [pane, setPane] = useState('query')
  const [, go] = useLocation()
  const bucket = buckets.data?.find(({ name }) => name === state.bucket) ?? buckets.data?.[0]
  const opened = bucket?.name
  useEffect(() => {
    if (state.bucket === undefined && opened !== undefined) change({ bucket: opened })
  }, [state.bucket, opened, change])
  const names = useNames(bucket?.id, state.model.measurement)
  const known = useKnownNames(bucket?.id)
  const text = textOf(state)

  const question = useMemo((): Question | undefined => {
    if (bucket === undefined) return undefined
    const moments = momentsOf(state.range, Date.now())
    return {
      language: state.language,
      text,
      orgId: org.id,
      bucketId: bucket.id,
      moments,
      windowSeconds: windowSeconds(moments, pointsMax),
    }
  }, [bucket, state.range, state.language, text, org.id])

  // What the editor holds when its key is pressed may not have been drawn yet.
  const runText = useCallback(
    (typed: string) => {
      if (question === undefined || typed.trim() === '') return
      const shown = typed === text ? state : editedState(state, typed)
      const fresh = { ...question, text: typed, moments: momentsOf(state.range, Date.now()) }
      if (!isBuilt(shown)) remember(state.language, typed)
      go(`/explore${printState({ ...shown, bucket: bucket?.name })}`, { replace: true })
      run(state.view === 'plan' ? planQuestion(fresh) : fresh)
    },
    [question, text, state, run, go, bucket],
  )
  const runNow = useCallback(() => runText(text), [runText, text])

  useAutomaticRun(runNow, stop, {
    isReady: bucket !== undefined && (isComplete(state.model) || !isBuilt(state)),
    // What was typed waits for Run; what was chosen shows at once.
    key: JSON.stringify([
      bucket?.id,
      state.range,
      state.language,
      isBuilt(state) ? state.model : 'draft',
      state.view === 'plan',
    ]),
  })

  useStopKey(answer.isRunning, stop)
  const zoom = useZoom(state.range, change)

  if (buckets.error !== null)
    return (
      <Page title="Explore">
        <Failed error={buckets.error} what="Buckets" onRetry={() => buckets.refetch()} />
      </Page>
    )
  if (buckets.data === undefined) return <ExploreFrame />
  if (bucket === undefined) {
    return (
      <Page title="Explore">
        <Empty title="No bucket yet">Buckets hold points. There is none that you may read.</Empty>
      </Page>
    )
  }
  return (
    <Page
      title="Explore"
      isFull
      actions={
        <QueryBar
          state={state}
          bucketId={bucket.id}
          isRunning={answer.isRunning}
          onChange={change}
          onText={edit}
          onRun={runNow}
          onStop={stop}
        />
      }
    >
      <div className="explore" data-pane={pane}>
        <div className="explore-tabs">
          <OneOf
            isWide
            aria-label="Pane"
            value={pane}
            onChange={setPane}
            data={[
              { value: 'schema', label: 'Data' },
              { value: 'query', label: 'Query and answer' },
            ]}
          />
        </div>
        <SchemaPane buckets={buckets.data} bucket={bucket} state={state} onChange={change} />
        <div className="explore-main">
          <TextHint state={state} onEdit={edit} />
          <Editor
            language={state.language}
            value={text}
            onChange={edit}
            onRun={runText}
            names={names}
            known={known}
            bucketId={bucket.id}
            label={`Query in ${state.language}`}
          />
          <ResultPane
            answer={answer}
            state={state}
            bucket={bucket}
            onChange={change}
            onStop={stop}
            onRun={runNow}
            {...zoom}
          />
        </div>
      </div>
    </Page>
  )
}

/** Back to the ranges that were there before, one after the other; with none left, out around what is shown. */
function useZoom(range: TimeRange, change: Change) {
  const before = useRef<TimeRange[]>([])
  const onZoom = ({ from, to }: Moments) => {
    before.current.push(range)
    change({ range: { kind: 'between', from, to } })
  }
  const onZoomBack = () => change({ range: before.current.pop() ?? zoomedOut(range, Date.now()) })
  return { onZoom, onZoomBack }
}

/** Esc, also in the editor; what is open is closed first. */
function useStopKey(isRunning: boolean, stop: () => void): void {
  useEffect(() => {
    if (!isRunning) return
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && document.querySelector('[role=dialog], [role=menu]') === null) stop()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [isRunning, stop])
}

interface AutomaticRun {
  readonly isReady: boolean
  readonly key: string
}

/** When something other than typed text has changed. */
function useAutomaticRun(
  runNow: () => void,
  stop: () => void,
  { isReady, key }: AutomaticRun,
): void {
  const latest = useRef(runNow)
  latest.current = runNow
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when
  useEffect(() => {
    if (isReady) latest.current()
    return () => stop()
  }, [isReady, key])
}
