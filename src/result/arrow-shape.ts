// What the table of an Arrow answer looks like: its schema, and which part of a batch each field takes its
// values from. An answer has one table, so that what InfluxQL tells beside the rows, the measurement and
// the tags of a group, become columns there: `iox::measurement`, `time`, the tags, and then the rest, as
// the v3 products have it. The metadata is what their clients and `/query` look for.

import type { Tag } from '../column/series.js'
import { UserError } from '../errors.js'
import type { ColumnRole, ResultBatch, ResultColumn } from '../query/language.js'
import {
  type ArrowField,
  type ArrowSchema,
  type ArrowType,
  arrowSchema,
  int32,
  int64,
  uint64,
  utf8,
} from './arrow-schema.js'

export type FieldSource =
  | { readonly kind: 'column'; readonly column: number }
  | { readonly kind: 'measurement' }
  | { readonly kind: 'tag'; readonly tag: number }

export interface ArrowShape {
  readonly schema: ArrowSchema
  /** One per field. */
  readonly sources: readonly FieldSource[]
}

/**
 * `rows`: nothing but the columns. `groups`: with columns for the measurement and the tags. `runs`: as `rows`, and what
 * all rows of one of Flux's tables share is told once for all of them.
 */
export type ShapeKind = 'rows' | 'groups' | 'runs'

export const measurementField: ArrowField = {
  name: 'iox::measurement',
  type: utf8,
  isNullable: false,
}

const roleKey = 'iox::column::type'
const groupKey = 'iox::influxql::group_key::metadata'
/** Of a column of the group key of Flux's tables. */
const groupRoleKey = 'flux::group'

/** Of an answer without any table. */
export function emptyShape(kind: ShapeKind): ArrowShape {
  if (kind !== 'groups') return { schema: arrowSchema([]), sources: [] }
  const time: ArrowField = { name: 'time', isNullable: false, ...timeType(undefined) }
  const metadata = groupMetadata([])
  return {
    schema: arrowSchema([measurementField, time], metadata),
    sources: [{ kind: 'measurement' }, { kind: 'column', column: 0 }],
  }
}

function timeType(zone: string | undefined): Pick<ArrowField, 'type' | 'metadata'> {
  return { type: { kind: 'timestamp', zone }, metadata: roleMetadata('timestamp') }
}

export function shapeOf(batch: ResultBatch, kind: ShapeKind): ArrowShape {
  const columns = batch.columns.map((_, i) => columnField(batch, i))
  const sources = batch.columns.map((_, column): FieldSource => ({ kind: 'column', column }))
  if (kind !== 'groups' || tellsItself(batch)) {
    const fields = kind === 'runs' ? columns.map((field, i) => runField(batch, field, i)) : columns
    return { schema: arrowSchema(fields, tableMetadata(batch.name)), sources }
  }
  const fields: ArrowField[] = [measurementField]
  const from: FieldSource[] = [{ kind: 'measurement' }]
  const lead = batch.columns[0]?.type === 'time' ? 1 : 0
  fields.push(...columns.slice(0, lead))
  from.push(...sources.slice(0, lead))
  for (const [tag, { key }] of batch.tags.entries()) {
    if (isProjected(batch, key)) continue
    fields.push({ name: key, type: utf8, isNullable: true, metadata: roleMetadata('tag') })
    from.push({ kind: 'tag', tag })
  }
  fields.push(...columns.slice(lead))
  from.push(...sources.slice(lead))
  return { schema: arrowSchema(fields, groupMetadata(groupColumns(batch, fields))), sources: from }
}

/** The result's name and the table's number come first. */
const tableNamesCount = 2

function runField({ columnRoles }: ResultBatch, field: ArrowField, i: number): ArrowField {
  if (i >= tableNamesCount && columnRoles?.[i] !== 'group') return field
  const { type, ...others } = field
  const ends: ArrowField = { name: 'run_ends', type: int32, isNullable: false }
  const values: ArrowField = { name: 'values', type, isNullable: true }
  return { ...others, type: { kind: 'runs' }, children: [ends, values] }
}

/** Of a field's values, however they are laid out. */
export function valueField(field: ArrowField): ArrowField {
  return field.type.kind === 'runs' ? field.children![1] : field
}

/** A list of the service's own, whose columns say what it is: of no measurement. */
export function tellsItself({ columnNames }: ResultBatch): boolean {
  return columnNames[0]?.startsWith('iox::') === true
}

/** Of a result that comes from one table, its name. */
export function tableMetadata(name: string): ReadonlyMap<string, string> {
  return name === '' ? new Map() : new Map([['iox::measurement::name', name]])
}

/** A tag that is among the columns anyway has no second one of its own. */
function isProjected({ columnNames, columnRoles }: ResultBatch, key: string): boolean {
  const column = columnNames.indexOf(key)
  return column >= 0 && columnRoles?.[column] === 'tag'
}

interface GroupColumn {
  readonly tag_key: string
  readonly column_index: number
  readonly is_projected: boolean
}

function groupColumns(batch: ResultBatch, fields: readonly ArrowField[]): GroupColumn[] {
  return batch.tags.map(({ key }) => ({
    tag_key: key,
    column_index: fields.findIndex(({ name }) => name === key),
    is_projected: isProjected(batch, key),
  }))
}

function groupMetadata(tagColumns: readonly GroupColumn[]): ReadonlyMap<string, string> {
  const value = { measurement_column_index: 0, tag_key_columns: tagColumns }
  return new Map([[groupKey, JSON.stringify(value)]])
}

function columnField(batch: ResultBatch, i: number): ArrowField {
  const column = batch.columns[i]
  const type = arrowType(column, batch.zone)
  const field = { name: batch.columnNames[i], type, isNullable: true }
  const metadata = metadataOf(column.type, batch.columnRoles?.[i])
  const children =
    column.type === 'list' ? [{ name: 'item', type: utf8, isNullable: true }] : undefined
  return {
    ...field,
    ...(metadata === undefined ? {} : { metadata }),
    ...(children === undefined ? {} : { children }),
  }
}

export function arrowType(
  { type }: { readonly type: ResultColumn['type'] },
  zone?: string,
): ArrowType {
  switch (type) {
    case 'float':
      return { kind: 'float64' }
    case 'integer':
      return int64
    case 'unsigned':
      return uint64
    case 'boolean':
      return { kind: 'boolean' }
    case 'string':
      return utf8
    case 'time':
      return { kind: 'timestamp', zone }
    case 'list':
      return { kind: 'list' }
  }
}

const fieldTypeNames = {
  float: 'float',
  integer: 'integer',
  unsigned: 'uinteger',
  boolean: 'boolean',
  string: 'string',
} as const

export function metadataOf(
  type: ResultColumn['type'],
  role: ColumnRole,
): ReadonlyMap<string, string> | undefined {
  if (role === 'time' && type === 'time') return roleMetadata('timestamp')
  if (role === 'tag') return roleMetadata('tag')
  if (role === 'group') return new Map([[groupRoleKey, 'true']])
  if (role !== 'field' || type === 'time' || type === 'list') return undefined
  return roleMetadata(`field::${fieldTypeNames[type]}`)
}

function roleMetadata(role: string): ReadonlyMap<string, string> {
  return new Map([[roleKey, `iox::column_type::${role}`]])
}

/** Throws where a later table of the answer has other columns than the first. */
export function requireSameShape(first: ResultBatch, later: ResultBatch): void {
  if (hasSameNames(first, later)) return
  const names = (batch: ResultBatch) => batch.columnNames.join(', ')
  const what = `one with ${names(first)}, one with ${names(later)}`
  throw new UserError('invalid', `the tables of the answer have different columns: ${what}`)
}

function hasSameNames(first: ResultBatch, later: ResultBatch): boolean {
  return (
    isSameList(first.columnNames, later.columnNames) &&
    isSameList(first.tags.map(keyOf), later.tags.map(keyOf))
  )
}

/** Whether a later table has the same columns of the same types and roles. */
export function isSameShape(first: ResultBatch, shape: ArrowShape, later: ResultBatch): boolean {
  return (
    hasSameNames(first, later) &&
    isSameList(first.columnRoles ?? [], later.columnRoles ?? []) &&
    shape.sources.every((source, i) => {
      if (source.kind !== 'column') return true
      const { type } = valueField(shape.schema.fields[i])
      const other = arrowType(later.columns[source.column])
      if (type.kind !== other.kind) return false
      return type.kind !== 'integer' || type === other
    })
  )
}

function keyOf({ key }: Tag): string {
  return key
}

function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a === b || (a.length === b.length && a.every((name, i) => name === b[i]))
}
