// The plan of a SELECT: its expressions with every call and reference replaced by a slot, the calls as
// chains from the field outwards, and what its columns are called. Equal calls and references share a
// slot.

import type { FieldType } from '../../column/column.js'
import type { ColumnRole } from '../../query/language.js'
import { findFunction, isMath, tagArguments } from '../functions/functions.js'
import type { Binary, Call, DataType, Expression, Field, Fill, Reference } from '../syntax/ast.js'
import { printExpression } from '../syntax/printer.js'
import { withArgs, withSides } from '../syntax/walk.js'
import { columnNames, fieldName } from './column-names.js'
import type { TimeBounds } from './condition.js'
import { leftSpine } from './reduce.js'
import type { ResolvedMeasurement, ResolvedSelect } from './resolved.js'
import { columnType, typeIfAny, typeOf } from './types.js'
import type { Interval } from './validate.js'

/** A field or tag that rows must bring along. */
export interface PlannedReference {
  readonly name: string
  readonly type: DataType | undefined
}

/** A call at the top of an expression; its argument may be a call again. */
export interface PlannedCall {
  readonly call: Call
  readonly type: DataType | undefined
}

export type PlannedSource =
  | ResolvedMeasurement
  | { readonly kind: 'subquery'; readonly select: SelectPlan }

export interface SelectPlan {
  readonly sources: readonly PlannedSource[]
  readonly calls: readonly PlannedCall[]
  readonly references: readonly PlannedReference[]
  /**
   * One per column behind `time`. A reference in them names a slot: `c0`, `c1` … for calls, `r0`, `r1` … for
   * references.
   */
  readonly expressions: readonly Expression[]
  /** `time` first. */
  readonly columnNames: readonly string[]
  /** Of the columns, `time` first. */
  readonly columnRoles: readonly ColumnRole[]
  /** Of the expressions; undefined: not known. */
  readonly columnTypes: readonly (FieldType | undefined)[]
  /** What a query around this one calls the columns: without numbers for repeated names. */
  readonly fieldNames: readonly string[]
  readonly dimensions: readonly string[]
  readonly condition?: Expression | undefined
  readonly range: { readonly min: bigint; readonly max: bigint }
  /** As written in this SELECT itself. */
  readonly bounds: TimeBounds
  readonly interval?: Interval | undefined
  readonly isRaw: boolean
  /** The only call chooses points: they keep their time and bring the references of their row along. */
  readonly isSelector: boolean
  readonly ascending: boolean
  readonly fill: Fill
  readonly limit: number
  readonly offset: number
  readonly slimit: number
  readonly soffset: number
  readonly zone?: string | undefined
  readonly hasTarget: boolean
}

export function planSelect(select: ResolvedSelect, isTop = true): SelectPlan {
  if (isTop) for (const field of select.fields) typeOf(field.expression)
  const slots = new Slots()
  const fields = select.fields.flatMap(withTopTags)
  const expressions = fields.map(({ expression }) => slots.map(expression))
  const calls = Array.from(slots.calls.values(), ({ planned }) => planned)
  return {
    sources: select.sources.map((source) =>
      source.kind === 'measurement'
        ? source
        : { kind: 'subquery', select: planSelect(source.select, false) },
    ),
    calls,
    references: Array.from(slots.references.values(), ({ planned }) => planned),
    expressions,
    columnNames: columnNames(fields, select.timeName),
    columnRoles: ['time', ...fields.map(({ expression }) => roleOf(expression))],
    columnTypes: fields.map(({ expression }) => columnType(typeIfAny(expression))),
    fieldNames: fields.map(fieldName),
    dimensions: [...new Set(select.dimensions)],
    condition: select.condition,
    range: select.range,
    bounds: select.bounds,
    interval: select.interval,
    isRaw: calls.length === 0,
    isSelector: calls.length === 1 && findFunction(calls[0].call.name)?.kind === 'selector',
    ascending: select.ascending,
    fill: select.fill,
    limit: select.limit,
    offset: select.offset,
    slimit: select.slimit,
    soffset: select.soffset,
    zone: select.zone,
    hasTarget: select.target !== undefined,
  }
}

/** The same plan with another condition. Written out: it is made for every run. */
export function withCondition(
  plan: SelectPlan,
  condition: Expression | undefined,
  bounds: TimeBounds,
  range: SelectPlan['range'],
): SelectPlan {
  return {
    sources: plan.sources,
    calls: plan.calls,
    references: plan.references,
    expressions: plan.expressions,
    columnNames: plan.columnNames,
    columnRoles: plan.columnRoles,
    columnTypes: plan.columnTypes,
    fieldNames: plan.fieldNames,
    dimensions: plan.dimensions,
    condition,
    range,
    bounds,
    interval: plan.interval,
    isRaw: plan.isRaw,
    isSelector: plan.isSelector,
    ascending: plan.ascending,
    fill: plan.fill,
    limit: plan.limit,
    offset: plan.offset,
    slimit: plan.slimit,
    soffset: plan.soffset,
    zone: plan.zone,
    hasTarget: plan.hasTarget,
  }
}

function roleOf(expression: Expression): ColumnRole {
  if (expression.kind === 'paren') return roleOf(expression.inner)
  if (expression.kind !== 'reference') return undefined
  return expression.type === 'tag' ? 'tag' : 'field'
}

/** `top(field, tag, 3)` also gives a column for the tag, which is a tag of the points where they are written. */
function withTopTags(field: Field): Field[] {
  return [field, ...tagArguments(field.expression).map((expression) => ({ expression }))]
}

interface Slot<T> {
  readonly name: string
  readonly planned: T
}

class Slots {
  /** Both by their text. */
  readonly calls = new Map<string, Slot<PlannedCall>>()
  readonly references = new Map<string, Slot<PlannedReference>>()

  map(expression: Expression): Expression {
    if (expression.kind === 'call' && !isMath(expression.name)) {
      return this.#slot('c', this.calls, expression, () => this.#call(expression))
    }
    if (expression.kind === 'reference') {
      return this.#slot('r', this.references, expression, () => ({
        name: expression.name,
        type: expression.type,
      }))
    }
    switch (expression.kind) {
      case 'call':
        return withArgs(
          expression,
          expression.args.map((arg) => this.map(arg)),
        )
      case 'binary':
        return this.#binary(expression)
      case 'paren':
        return this.map(expression.inner)
      default:
        return expression
    }
  }

  #binary(binary: Binary): Expression {
    const chain = leftSpine(binary)
    let left = this.map(chain[chain.length - 1].left)
    for (let i = chain.length - 1; i >= 0; i--) {
      left = withSides(chain[i], left, this.map(chain[i].right))
    }
    return left
  }

  #call(call: Call): PlannedCall {
    return { call, type: typeIfAny(call) }
  }

  #slot<T>(
    letter: string,
    slots: Map<string, Slot<T>>,
    expression: Call | Reference,
    make: () => T,
  ): Reference {
    const key = printExpression(expression)
    let slot = slots.get(key)
    if (slot === undefined) {
      slot = { name: `${letter}${slots.size}`, planned: make() }
      slots.set(key, slot)
    }
    return { kind: 'reference', name: slot.name, type: undefined, at: undefined }
  }
}
