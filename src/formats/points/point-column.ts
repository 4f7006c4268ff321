// What a column of a file means for the points of its rows, and how files are told what they do not say themselves:
// the words are those of annotated CSV, `tag`, `double`, `dateTime:RFC3339`, whatever the file's format is.

import { UserError } from '../../errors.js'
import type { Precision } from '../../line-protocol/parser.js'
import type { FieldType } from '../cells/field-values.js'

export type ColumnRole =
  | 'measurement'
  | 'tag'
  | 'field'
  | 'time'
  | 'ignored'
  /** Of a Flux result: a column names the field, another has its value. */
  | 'field-name'
  | 'field-value'

export interface PointColumn {
  readonly name: string
  readonly role: ColumnRole
  /** Of fields. */
  readonly type?: FieldType
  /** How a value is spelt: of numbers, switches and times. */
  readonly format?: string | undefined
  /** Where a cell is empty. */
  readonly default?: string | undefined
  /** The same in every row; cells are not looked at. */
  readonly constant?: string
  /** Made of other cells: `${a}-${b}`. */
  readonly template?: string
}

export interface FormatOptions {
  /** Of rows that name none. */
  readonly measurement?: string | undefined
  /** What columns are, where the file does not say so: a word of annotated CSV by name. */
  readonly columns?: Readonly<Record<string, string>> | undefined
  /** Of times that are plain numbers; default: as their size tells. */
  readonly precision?: Precision | undefined
  /** Of times without one: `+0100`, or a place such as Europe/Berlin; default: UTC. */
  readonly zone?: string | undefined
  /** Between the cells of CSV; default: a comma. */
  readonly separator?: string | undefined
  /** Of CSV: lines that are taken as if the file began with them. */
  readonly header?: readonly string[] | undefined
  /** Of CSV: so many of the file's first lines are not looked at. */
  readonly skipHeader?: number | undefined
  /** Of text, as browsers name encodings; default: utf-8. */
  readonly encoding?: string | undefined
  /** Told what was found out about the columns, table by table. */
  readonly onColumns?: ((columns: readonly PointColumn[]) => void) | undefined
}

const fieldTypes: ReadonlySet<string> = new Set([
  'double',
  'long',
  'unsignedLong',
  'boolean',
  'string',
  'duration',
  'base64Binary',
])

/** What a word of annotated CSV says of a column; undefined: nothing. `field` leaves the type open. */
export function columnOf(name: string, word: string): PointColumn | undefined {
  const colon = word.indexOf(':')
  const kind = (colon < 0 ? word : word.slice(0, colon)).trim()
  const format = colon < 0 ? undefined : word.slice(colon + 1)
  if (kind === '') return undefined
  if (kind === 'field') return { name, role: 'field' }
  if (kind === 'measurement' || kind === 'tag') return { name, role: kind }
  if (kind === 'ignore' || kind === 'ignored') return { name, role: 'ignored' }
  if (kind === 'time' || kind === 'dateTime') return { name, role: 'time', format }
  if (fieldTypes.has(kind)) return { name, role: 'field', type: kind as FieldType, format }
  throw new UserError('invalid', `column "${name}": "${word}" is no type of a column`)
}

/** As `columnOf` reads it. */
export function columnWord({ role, type, format }: PointColumn): string {
  if (role === 'time') return format === undefined ? 'time' : `dateTime:${format}`
  if (role !== 'field' && role !== 'field-value') return role
  return format === undefined ? (type ?? 'field') : `${type}:${format}`
}
