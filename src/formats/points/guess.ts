// What columns are where nobody says it, by their names and the values of the first rows. A guess is shown before
// anything is written, and each can be told otherwise.

import type { FieldType } from '../cells/field-values.js'
import { isWrittenTime } from '../cells/times.js'
import { columnOf, type FormatOptions, type PointColumn } from './point-column.js'

/** A column with the values that the first rows have there, none of them empty. */
export interface SampledColumn {
  readonly name: string
  readonly values: readonly string[]
  /** What the file itself says of its values; absent: they may be anything. */
  readonly kind?: 'text' | 'number' | 'boolean' | 'time' | undefined
}

const timeNames = /^(_?time|timestamp|ts|datetime|date)$/i
const measurementNames = /^(_measurement|measurement|iox::measurement)$/
/** What Flux and other tools add to their answers. */
const ownNames = /^(result|table|_start|_stop)$/

/** `hasTime`: another column is known to be the time. */
export function guessColumns(
  sampled: readonly SampledColumn[],
  { columns = {} }: FormatOptions,
  hasTime = false,
): PointColumn[] {
  const told = sampled.map(({ name }) => {
    return Object.hasOwn(columns, name) ? columnOf(name, columns[name]) : undefined
  })
  const isTimeTold = hasTime || told.some((column) => column?.role === 'time')
  const timeAt = isTimeTold ? -1 : timeColumn(sampled, told)
  return sampled.map((column, i) => {
    if (told[i] !== undefined) return completed(told[i], column)
    return i === timeAt ? { name: column.name, role: 'time' } : guessColumn(column)
  })
}

/** With a type where it is a field and only that is known. */
export function completed(column: PointColumn, { values, kind }: SampledColumn): PointColumn {
  const isOpen = column.role === 'field' || column.role === 'field-value'
  if (!isOpen || column.type !== undefined) return column
  return { ...column, type: guessType(values, kind) }
}

/** By its name; else the first whose values are all moments. */
function timeColumn(
  sampled: readonly SampledColumn[],
  told: readonly (PointColumn | undefined)[],
): number {
  const isFree = (at: number) => told[at] === undefined
  const named = sampled.findIndex(({ name }, at) => isFree(at) && timeNames.test(name))
  if (named >= 0) return named
  return sampled.findIndex(({ values, kind }, at) => {
    if (!isFree(at)) return false
    return kind === 'time' || (values.length > 0 && values.every(isWrittenTime))
  })
}

function guessColumn({ name, values, kind }: SampledColumn): PointColumn {
  if (measurementNames.test(name)) return { name, role: 'measurement' }
  if (ownNames.test(name)) return { name, role: 'ignored' }
  const type = guessType(values, kind)
  if (type !== 'string' || !isRepeated(values)) return { name, role: 'field', type }
  return { name, role: 'tag' }
}

function guessType(values: readonly string[], kind: SampledColumn['kind']): FieldType {
  if (kind === 'text' || values.length === 0) return 'string'
  if (kind === 'time') return 'dateTime'
  if (kind === 'boolean' || values.every((value) => /^(true|false)$/i.test(value))) return 'boolean'
  if (values.every((value) => /^[+-]?\d{1,19}$/.test(value))) return 'long'
  const isNumber = (value: string) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)
  return values.every(isNumber) ? 'double' : 'string'
}

/** Texts that come again and again name what is measured; others are what was measured. */
function isRepeated(values: readonly string[]): boolean {
  return new Set(values).size <= Math.max(1, values.length / 2)
}
