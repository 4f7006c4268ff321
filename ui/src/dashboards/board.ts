// What all cells of an open dashboard share: range, values of variables, buckets, answers; and how a cell's queries
// become questions.

import { createContext, useContext } from 'react'
import type { Bucket } from '../api/buckets.js'
import type { Cell, ViewProperties } from '../api/dashboards.js'
import type { Question, Variables } from '../query/language.js'
import type { SharedQuestions } from '../query/shared-questions.js'
import { type Moments, printRange, type TimeRange, windowSeconds } from '../query/time-range.js'
import { withValues } from '../query/variable-use.js'
import { variablesFor } from './variable-values.js'
import { kindOf, queriesOf } from './view-properties.js'

export interface Board {
  readonly id: string
  readonly orgId: string
  readonly range: TimeRange
  readonly moments: Moments
  readonly onZoom: (moments: Moments) => void
  readonly onZoomBack: () => void
  /** Undefined: not all are known yet. */
  readonly values: Variables | undefined
  readonly buckets: readonly Bucket[]
  readonly shared: SharedQuestions
}

export const BoardContext = createContext<Board | undefined>(undefined)

export function useBoard(): Board {
  const board = useContext(BoardContext)
  if (board === undefined) throw new Error('outside of a dashboard')
  return board
}

/** About a point a pixel; bars need room. Steps of 100, so that a small change of size asks nothing anew. */
function pointsFor({ geom }: ViewProperties, width: number): number {
  const pixels = Math.max(100, Math.ceil(width / 100) * 100)
  return geom === 'bar' ? pixels / 10 : pixels
}

export function questionsOf(
  properties: ViewProperties,
  board: Board,
  width: number,
): Question[] | undefined {
  if (kindOf(properties) === 'markdown') return []
  const { values, buckets, moments, orgId } = board
  if (values === undefined || width === 0) return undefined
  const seconds = windowSeconds(moments, pointsFor(properties, width))
  return queriesOf(properties)
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, language, bucket }) => ({
      language,
      text,
      orgId,
      bucketId: bucketIdOf(buckets, bucket),
      moments,
      windowSeconds: seconds,
      variables: variablesFor({ text, language }, values),
    }))
}

export function bucketIdOf(
  buckets: readonly Bucket[],
  name: string | undefined,
): string | undefined {
  return (buckets.find((bucket) => bucket.name === name) ?? buckets[0])?.id
}

/** The first query of a cell in the explorer, with the values of variables written out. */
export function exploreLink(
  { properties }: Cell,
  { range, values = {} }: Board,
): string | undefined {
  const [query] = queriesOf(properties)
  if (query === undefined) return undefined
  const { text, language, bucket } = query
  const parameters = new URLSearchParams({ l: language, r: printRange(range) })
  if (bucket !== undefined) parameters.set('b', bucket)
  parameters.set('q', withValues(text, language, values))
  return `/explore?${parameters}`
}
