// The answer of a Flux query as tables: annotated CSV, in which every table has its own header with the types of its
// columns. An answer that fails on the way ends with a table that says so.

import type { FieldType } from '../../column/column.js'
import { UserError } from '../../errors.js'
import { annotatedRows, type Cells, type TableHead } from '../../formats/csv/annotated-tables.js'
import { parseMoment } from '../connection/moments.js'

export interface FluxRow {
  readonly time: bigint
  /** Integers are bigint. */
  readonly value: unknown
}

/** Rows of one series and one field; a long series comes as several. */
export interface FluxTable {
  readonly measurement: string
  readonly field: string
  readonly type: FieldType
  readonly tags: Readonly<Record<string, string>>
  readonly rows: readonly FluxRow[]
}

const fieldTypes: Readonly<Record<string, FieldType>> = {
  double: 'float',
  long: 'integer',
  unsignedLong: 'unsigned',
  boolean: 'boolean',
  string: 'string',
}

const ownColumns = new Set(['', 'result', 'table', '_start', '_stop', '_time', '_value'])
const rowsMax = 10_000

/** Where a table has what; -1: not at all. */
interface Header {
  readonly head: TableHead
  readonly table: number
  readonly time: number
  readonly value: number
  readonly type: FieldType
  readonly tags: readonly number[]
}

export async function* fluxTables(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FluxTable> {
  let header: Header | undefined
  let rows: FluxRow[] = []
  let first: Cells = []
  const taken = () => {
    const table = header === undefined ? undefined : tableOf(header, first, rows)
    rows = []
    return table
  }
  for await (const found of annotatedRows(bytes)) {
    for (const { head, cells } of found) {
      const isOther = head !== header?.head || cells[header.table] !== first[header.table]
      if (rows.length > 0 && (isOther || rows.length === rowsMax)) yield taken() as FluxTable
      if (head !== header?.head) header = headerOf(head)
      if (rows.length === 0) first = cells
      rows.push(rowOf(header, cells))
    }
  }
  if (rows.length > 0) yield taken() as FluxTable
}

function headerOf(head: TableHead): Header {
  const { names, types } = head
  if (names.includes('error') && names.includes('reference')) {
    // The reason is the row behind it.
    return { head, table: -1, time: -1, value: -1, type: 'string', tags: [] }
  }
  const value = names.indexOf('_value')
  return {
    head,
    table: names.indexOf('table'),
    time: names.indexOf('_time'),
    value,
    type: fieldTypes[types[value] ?? ''] ?? 'string',
    tags: names.flatMap((name, i) => {
      const isTag = !ownColumns.has(name ?? '') && name !== '_measurement' && name !== '_field'
      return isTag ? [i] : []
    }),
  }
}

function rowOf({ head, time, value, type }: Header, cells: Cells): FluxRow {
  if (time < 0) {
    const { names } = head
    const reason = cells[names.indexOf('error')] ?? `no "_time" among ${names.length} columns`
    throw new UserError('invalid', reason)
  }
  return { time: parseMoment(cells[time] ?? ''), value: cellValue(type, cells[value]) }
}

/** A row of a series always has a value: nothing between the commas is the empty text. */
function cellValue(type: FieldType, cell = ''): unknown {
  if (type === 'string') return cell
  if (type === 'boolean') return cell === 'true'
  return type === 'float' ? Number(cell) : BigInt(cell === '' ? 0 : cell)
}

function tableOf(header: Header, cells: Cells, rows: readonly FluxRow[]): FluxTable {
  const { type, tags } = header
  const { names } = header.head
  const cell = (name: string) => cells[names.indexOf(name)] ?? ''
  const found = tags.map((i) => [names[i] ?? '', cells[i] ?? ''] as const)
  return {
    measurement: cell('_measurement'),
    field: cell('_field'),
    type,
    tags: Object.fromEntries(found.filter(([, value]) => value !== '')),
    rows,
  }
}
