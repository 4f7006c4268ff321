// The inside of a cell: its note, its answer, or what is the matter with it. Asks when it is
// in sight.

import { useComputedColorScheme } from '@mantine/core'
import { type RefObject, useEffect, useMemo } from 'react'
import type { Cell } from '../api/dashboards.js'
import { useSize } from '../chart/use-size.js'
import { later } from '../parts/later.js'
import { Failed, Loading } from '../parts/states.js'
import type { Result } from '../query/result.js'
import { rangeLabel } from '../query/time-range.js'
import { questionsOf, useBoard } from './board.js'
import { type CellAnswer, useCellAnswer, useInSight } from './cell-answer.js'
import type { CellSurroundings } from './cell-surroundings.js'
import { CellView } from './cell-view.js'
import { kindOf, queriesOf, shownName, textOf } from './view-properties.js'

const Markdown = later(async () => (await import('../parts/markdown.js')).Markdown)

export interface CellBodyProps {
  readonly cell: Pick<Cell, 'name' | 'properties'>
  /** Where the answer is put for who else wants it: the menu's files. */
  readonly answerRef?: RefObject<Result | undefined>
}

export function CellBody({ cell, answerRef }: CellBodyProps) {
  const { properties } = cell
  const name = shownName(cell)
  const board = useBoard()
  const [frame, size] = useSize<HTMLDivElement>()
  const isInSight = useInSight(frame)
  const isDark = useComputedColorScheme('light') === 'dark'
  const questions = questionsOf(properties, board, size.width)
  const { answer, retry } = useCellAnswer({ questions, isInSight, shared: board.shared })
  const { result, isRunning } = answer
  useEffect(() => {
    if (answerRef !== undefined) answerRef.current = result
  }, [answerRef, result])
  const { moments, onZoom, onZoomBack, id } = board
  const label = name === '' ? 'Cell' : name
  const isRoomy = size.height >= 180 && size.width >= 180
  const around = useMemo(
    () => ({ moments, onZoom, onZoomBack, isDark, isRoomy, syncKey: id, label }),
    [moments, onZoom, onZoomBack, isDark, isRoomy, id, label],
  )
  return (
    <div className="cell-body" ref={frame} aria-busy={isRunning}>
      {isRunning && result !== undefined && <div className="cell-running" />}
      <Inside
        cell={cell}
        answer={answer}
        around={around}
        onRetry={retry}
        range={rangeLabel(board.range)}
      />
    </div>
  )
}

interface InsideProps {
  readonly cell: CellBodyProps['cell']
  readonly answer: CellAnswer
  readonly around: CellSurroundings
  readonly onRetry: () => void
  readonly range: string
}

function Inside({ cell, answer, around, onRetry, range }: InsideProps) {
  const { properties } = cell
  const { result, failure } = answer
  const kind = kindOf(properties)
  if (kind === 'markdown') {
    return <Note text={textOf(properties.note)} topRank={shownName(cell) === '' ? 2 : 3} />
  }
  if (kind === undefined || queriesOf(properties).every(({ text }) => text.trim() === '')) {
    return <Quiet title="Nothing to show yet">This cell has no query.</Quiet>
  }
  if (failure !== undefined) return <Failed error={failure} onRetry={onRetry} />
  if (result === undefined) return <Loading lines={3} label={`Loading ${around.label}`} />
  if (result.rowCount > 0) {
    return <CellView properties={properties} result={result} around={around} />
  }
  if (properties.showNoteWhenEmpty === true) return <Note text={textOf(properties.note)} />
  return <Quiet title="No rows">{range}</Quiet>
}

function Quiet({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <div className="cell-empty muted">
      <span>{title}</span>
      <span className="small">{children}</span>
    </div>
  )
}

export function Note({ text, topRank = 3 }: { readonly text: string; readonly topRank?: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <div className="cell-note" tabIndex={0} role="note">
      <Markdown text={text} topRank={topRank} />
    </div>
  )
}
