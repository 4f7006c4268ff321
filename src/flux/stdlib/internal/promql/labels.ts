// Series and their labels: one label made of another by a pattern, the time of a sample as its value, and the
// stream without samples that constants are put into.

import type { Regex } from '../../../../column/regex.js'
import type { Chunk, TableColumn } from '../../../../query/table.js'
import { constantCells, expandCells } from '../../../table/cells.js'
import { wordsOf } from '../../../table/int64.js'
import { floatCells } from '../../../table/numbers.js'
import { mapChunks, mapTables } from '../../../table/streams.js'
import { columnIndex, type Table, type TableStream, tableOf } from '../../../table/table.js'
import { FluxError } from '../../../value/error.js'
import { GroupKey } from '../../../value/key.js'
import { regexOf } from '../../../value/regexp.js'
import { Regexp } from '../../../value/value.js'
import { withKeyColumns } from '../../universe/aggregate.js'

export interface Replacement {
  readonly source: string
  readonly destination: string
  readonly regex: string
  readonly replacement: string
}

/** Of the columns outside the key only the values stay. */
export async function* relabelled(
  input: TableStream,
  replacement: Replacement,
): AsyncGenerator<Table, void, void> {
  const known = new Set<string>()
  const anchored = new Regexp(`^(?:${replacement.regex})$`)
  for await (const table of input) {
    const key = relabelledKey(table.key, anchored, replacement)
    if (known.has(key.text)) {
      throw new FluxError(`labelReplace found duplicate table with key: ${keyText(table.key)}`)
    }
    known.add(key.text)
    yield relabelledTable(table, key)
  }
}

function relabelledTable(table: Table, key: GroupKey): Table {
  const value = columnIndex(table.columns, '_value')
  if (value < 0) throw new FluxError('value column not found: _value')
  const columns = withKeyColumns(key, [{ name: '_value', type: table.columns[value].type }])
  const keyCells = key.entries.map((entry) => constantCells(entry.type, entry.value))
  const keep = ({ rowCount, columns: cells }: Chunk): Chunk => ({
    rowCount,
    columns: [...keyCells, cells[value]],
  })
  return mapChunks(table, columns, keep, key)
}

/** The same key where the whole of the source does not match. An empty label is none. */
function relabelledKey(
  key: GroupKey,
  anchored: Regexp,
  { source, destination, ...rest }: Replacement,
): GroupKey {
  const regex = compiled(anchored, rest.regex)
  const value = key.entry(source)?.value
  const text = typeof value === 'string' ? value : ''
  if (!regex.test(text)) return key
  const label = regex.replaceAll(text, rest.replacement)
  if (label === '') return key.without(new Set([destination]))
  return key.with({ name: destination, type: 'string', value: label })
}

function compiled(anchored: Regexp, pattern: string): Regex {
  try {
    return regexOf(anchored)
  } catch {
    throw new FluxError(`invalid regular expression in label_replace(): ${pattern}`)
  }
}

function keyText(key: GroupKey): string {
  return `{${key.entries.map(({ name, value }) => `${name}=${value}`).join(',')}}`
}

/** Each value is the time of its row, else the end of its range, in seconds, exact to the millisecond. */
export function timestamps(input: TableStream): TableStream {
  return mapTables(input, (table) => {
    const { columns } = table
    let time = columnIndex(columns, '_time')
    if (time < 0) time = columnIndex(columns, '_stop')
    if (time < 0 || columns[time].type !== 'time') {
      const shown = columns.map(({ name, type }) => `{${name} ${type}}`).join(' ')
      throw new FluxError(`neither "_time" nor "_stop" column not found (cols: [${shown}])`)
    }
    const value = columnIndex(columns, '_value')
    if (value < 0) throw new FluxError('value column not found: _value')
    const changed = columns.map(
      (column, i): TableColumn => (i === value ? { ...column, type: 'float' } : column),
    )
    return mapChunks(table, changed, (chunk) => withTimestamps(chunk, time, value))
  })
}

function withTimestamps({ rowCount, columns }: Chunk, time: number, value: number): Chunk {
  const { values, validity } = expandCells(columns[time], rowCount)
  const { low, high } = wordsOf(values as BigInt64Array)
  const seconds = new Float64Array(rowCount)
  for (let row = 0; row < rowCount; row++) {
    seconds[row] = milliseconds(high[2 * row + 1], low[2 * row]) / 1e3
  }
  const cells = floatCells(seconds, validity)
  return { rowCount, columns: columns.map((column, i) => (i === value ? cells : column)) }
}

/** 2³² nanoseconds are 4,294 milliseconds and 967,296 nanoseconds: no step here rounds. */
function milliseconds(high: number, low: number): number {
  const rest = high * 967_296 + low
  const whole = high * 4_294 + Math.floor(rest / 1e6)
  // Towards zero.
  return whole < 0 && rest % 1e6 !== 0 ? whole + 1 : whole
}

/** What a time that was never set is in nanoseconds: the year 1, wrapped around at 64 bits. */
const unsetNs = BigInt.asIntN(64, -62_135_596_800n * 1_000_000_000n)

export function emptyTable(): Table {
  const range: TableColumn[] = [
    { name: '_start', type: 'time' },
    { name: '_stop', type: 'time' },
  ]
  const key = GroupKey.of(range.map((column) => ({ ...column, value: unsetNs })))
  const columns: TableColumn[] = [
    ...range,
    { name: '_time', type: 'time' },
    { name: '_value', type: 'float' },
  ]
  return tableOf(key, columns, [])
}
