// From the syntax tree of a SELECT to a checked one: fields folded, `time` taken out, the WHERE clause
// split, the interval known, subqueries likewise. Nothing here looks at data.

import { timeMax, timeMin } from '../../column/time.js'
import { UserError } from '../../errors.js'
import type {
  Dimension,
  Expression,
  Field,
  Fill,
  MeasurementSource,
  Select,
} from '../syntax/ast.js'
import { mapExpression } from '../syntax/walk.js'
import { intersect, splitCondition, type TimeBounds } from './condition.js'
import { reduce } from './reduce.js'
import { isTimeLiteral, parseTimeLiteral } from './time-literals.js'
import { checkCondition, checkDimensions, checkSelect, type Interval } from './validate.js'

export interface CompiledSelect {
  /** Without `time`; `DISTINCT x` is a call like any other. */
  readonly fields: readonly Field[]
  readonly timeName: string
  readonly sources: readonly CompiledSource[]
  readonly target?: MeasurementSource | undefined
  readonly dimensions: readonly Dimension[]
  readonly condition?: Expression | undefined
  /** Both ends belong to it. */
  readonly range: { readonly min: bigint; readonly max: bigint }
  /** As written in this SELECT's own WHERE clause. */
  readonly bounds: TimeBounds
  readonly interval?: Interval | undefined
  readonly isRaw: boolean
  readonly ascending: boolean
  readonly fill: Fill
  readonly limit: number
  readonly offset: number
  readonly slimit: number
  readonly soffset: number
  readonly zone?: string | undefined
}

export type CompiledSource =
  | MeasurementSource
  | { readonly kind: 'subquery'; readonly select: CompiledSelect }

interface Parent {
  readonly ascending: boolean
  readonly bounds: TimeBounds
  readonly interval: Interval | undefined
}

export function compileSelect(select: Select, now: bigint): CompiledSelect {
  return compile(select, now, undefined)
}

function compile(select: Select, now: bigint, parent: Parent | undefined): CompiledSelect {
  const { bounds: written, condition } = splitCondition(select.condition, now, select.zone)
  checkCondition(condition)
  const ownInterval = checkDimensions(select, now, (text) =>
    isTimeLiteral(text) ? parseTimeLiteral(text, select.zone) : undefined,
  )
  const isAscending = select.sort.length === 0 || select.sort[0].ascending
  if (parent !== undefined && select.sort.length > 0 && isAscending !== parent.ascending) {
    const text = 'subqueries must be ordered in the same direction as the query itself'
    throw new UserError('invalid', text)
  }
  const ascending = parent?.ascending ?? isAscending
  const interval = ownInterval ?? parent?.interval
  const bounds = parent === undefined ? written : intersect(written, parent.bounds)
  const timeField = select.fields.findLast(isTimeField)
  const fields = select.fields.filter((field) => !isTimeField(field)).map(foldField)
  const facts = checkSelect(select, fields, {
    hasInterval: interval !== undefined,
    isIntervalInherited: ownInterval === undefined && interval !== undefined,
    isSubquery: parent !== undefined,
  })
  const self: Parent = { ascending, bounds: closed(bounds, interval, now), interval }
  return {
    fields: fields.map(withDistinctCall),
    timeName: timeField?.alias ?? 'time',
    sources: select.sources.map((source) =>
      source.kind === 'measurement'
        ? source
        : { kind: 'subquery', select: compile(source.select, now, self) },
    ),
    target: select.target,
    dimensions: select.dimensions.map(({ expression }) => ({ expression: reduce(expression) })),
    condition,
    range: rangeOf(bounds, interval, now),
    bounds: written,
    interval,
    isRaw: facts.callCount === 0,
    ascending,
    fill: fillOf(select, facts.callCount === 0, parent !== undefined),
    limit: select.limit,
    offset: select.offset,
    slimit: select.slimit,
    soffset: select.soffset,
    zone: select.zone,
  }
}

/**
 * Holes are of no use to a query around this one, nor to a target that keeps no nulls: nothing is filled then, except
 * where a raw query says what its nulls become.
 */
function fillOf(select: Select, isRaw: boolean, isSubquery: boolean): Fill {
  const isDropped = select.target !== undefined || (isSubquery && !isRaw)
  return select.fill.kind === 'null' && isDropped ? { kind: 'none' } : select.fill
}

function isTimeField(field: Field): boolean {
  return field.expression.kind === 'reference' && field.expression.name === 'time'
}

function foldField(field: Field): Field {
  return { expression: reduce(field.expression, { math: true }), alias: field.alias }
}

function withDistinctCall(field: Field): Field {
  const expression = mapExpression(field.expression, (node) =>
    node.kind === 'distinct'
      ? { kind: 'call', name: 'distinct', args: [{ kind: 'reference', name: node.name }] }
      : node,
  )
  return { expression, alias: field.alias }
}

/** With windows, the future is not waited for. */
function closed(bounds: TimeBounds, interval: Interval | undefined, now: bigint): TimeBounds {
  const range = rangeOf(bounds, interval, now)
  return { min: range.min, max: range.max }
}

export function rangeOf(
  bounds: TimeBounds,
  interval: Interval | undefined,
  now: bigint,
): { min: bigint; max: bigint } {
  return {
    min: bounds.min ?? timeMin,
    max: bounds.max ?? (interval === undefined ? timeMax : now),
  }
}
