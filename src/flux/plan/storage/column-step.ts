// Functions that only change the columns of a table, as steps that can be taken while its columns are
// built: `keep` and `drop` leave some out, `map` works some out. Here they are read off their calls.

import type { StreamNode } from '../../node/node.js'
import type { Expression, Property } from '../../syntax/ast.js'
import { propertyName, type RowExpression, rowExpressionOf } from '../../table/row-expression.js'
import type { FluxValue } from '../../value/value.js'
import { FluxFunction, type PositionalCall } from '../../value/value.js'

export type ColumnStep = ChooseStep | MapStep

/** `keep` and `drop`. */
export interface ChooseStep {
  readonly kind: 'choose'
  readonly node: StreamNode
  /** The columns that are named are kept, and not those that are dropped. */
  readonly keeps: boolean
  readonly columns: ReadonlySet<string> | PositionalCall
}

export interface MapStep {
  readonly kind: 'map'
  readonly node: StreamNode
  readonly expression: RowExpression
  /** The columns that the record sets. */
  readonly sets: ReadonlySet<string>
}

/** undefined: the call is none, or one that is refused. */
export function chooseStep(node: StreamNode): ChooseStep | undefined {
  const { operation, args } = node
  if (operation !== 'universe.keep' && operation !== 'universe.drop') return undefined
  const keeps = operation === 'universe.keep'
  const fn = args.get('fn')
  const columns = args.get('columns')
  if ((fn === undefined) === (columns === undefined)) return undefined
  if (fn instanceof FluxFunction) {
    return { kind: 'choose', node, keeps, columns: fn.prepare(['column']) }
  }
  const names = stringsOf(columns)
  return names === undefined ? undefined : { kind: 'choose', node, keeps, columns: new Set(names) }
}

export function stringsOf(value: FluxValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.every((each) => typeof each === 'string') ? (value as readonly string[]) : undefined
}

/** undefined: the call is none, or its function makes something else than one record. */
export function mapStep(node: StreamNode): MapStep | undefined {
  const fn = node.operation === 'universe.map' ? node.args.get('fn') : undefined
  const expression = fn instanceof FluxFunction ? rowExpressionOf(fn) : undefined
  if (expression === undefined) return undefined
  const sets = new Set(expression.record.properties.map(propertyName))
  return { kind: 'map', node, expression, sets }
}

/** Whether rows may get another value in one of these columns: what was a table may become several. */
export function changesOneOf(step: MapStep, names: ReadonlySet<string>): boolean {
  const { record, extendsRow } = step.expression
  return record.properties.some((property) => {
    return names.has(propertyName(property)) && (extendsRow || !isSame(property))
  })
}

/** `host: r.host`. */
function isSame(property: Property): boolean {
  const { value } = property
  return value !== null && columnOf(value) === propertyName(property)
}

function columnOf(expression: Expression): string | undefined {
  if (expression.type === 'ParenExpression') return columnOf(expression.expression)
  if (expression.type !== 'MemberExpression') return undefined
  const { object, property } = expression
  if (object.type !== 'Identifier' || object.name !== 'r') return undefined
  return property.type === 'Identifier' ? property.name : property.value
}

/** The columns that the record's expressions look at. */
export function columnsRead({ expression }: MapStep): ReadonlySet<string> {
  const names = new Set<string>()
  const look = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    if ('type' in part && part.type === 'MemberExpression') {
      const name = columnOf(part as Expression)
      if (name !== undefined) names.add(name)
    }
    for (const inner of Object.values(part)) look(inner)
  }
  for (const { value } of expression.record.properties) look(value)
  return names
}
