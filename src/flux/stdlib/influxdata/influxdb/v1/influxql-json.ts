// The JSON that InfluxQL queries answer with, as tables: one for each series and column, nulls left out.
// Only the first result counts.

import type { Cell, CellType, TableColumn } from '../../../../../query/table.js'
import { constantCells } from '../../../../table/cells.js'
import { CellsBuilder } from '../../../../table/cells-builder.js'
import { type Table, tableOf } from '../../../../table/table.js'
import { FluxError } from '../../../../value/error.js'
import { GroupKey, type KeyEntry } from '../../../../value/key.js'
import { parseTime } from '../../../../value/time.js'

interface JsonSeries {
  readonly name: string
  readonly tags: readonly (readonly [string, string])[]
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

export function* influxqlTables(text: string): Generator<Table, void, void> {
  for (const series of seriesOf(parsed(text))) {
    const timeColumn = series.columns.indexOf('time')
    for (const column of series.columns.keys()) {
      const table = column === timeColumn ? undefined : columnTable(series, column, timeColumn)
      if (table !== undefined) yield table
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FluxError((error as Error).message)
  }
}

function seriesOf(answer: unknown): readonly JsonSeries[] {
  const { error, results } = recordOf(answer)
  if (typeof error === 'string') throw new FluxError(error)
  const [first] = listOf(results ?? [])
  if (first === undefined) return []
  const { series, error: failure } = recordOf(first)
  if (typeof failure === 'string') throw new FluxError(failure)
  return listOf(series ?? []).map((each) => {
    const { name, tags, columns, values } = recordOf(each)
    return {
      name: typeof name === 'string' ? name : '',
      tags: Object.entries(recordOf(tags ?? {})).map(([key, value]) => [key, String(value)]),
      columns: listOf(columns ?? []).map(String),
      rows: listOf(values ?? []).map(listOf),
    }
  })
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  throw new FluxError('this is not the answer of an InfluxQL query: an object is missing')
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new FluxError('this is not the answer of an InfluxQL query: a list is missing')
}

function columnTable(
  { name, tags, columns, rows }: JsonSeries,
  column: number,
  timeColumn: number,
): Table | undefined {
  const given = rows.filter((row) => row[column] !== null && row[column] !== undefined)
  if (given.length === 0) return undefined
  const entries: KeyEntry[] = name === '' ? [] : [textEntry('_measurement', name)]
  for (const [key, value] of tags) entries.push(textEntry(key, value))
  entries.push(textEntry('_field', columns[column]))
  const type = typeOf(given[0][column])
  const values = new CellsBuilder(type, given.length)
  const times = new CellsBuilder('time', given.length)
  for (const row of given) {
    values.push(cellOf(row[column], type))
    if (timeColumn >= 0) times.push(parseTime(String(row[timeColumn])))
  }
  const keyColumns: TableColumn[] = entries.map((entry) => ({ name: entry.name, type: 'string' }))
  const time: TableColumn[] = timeColumn < 0 ? [] : [{ name: '_time', type: 'time' }]
  const timeCells = timeColumn < 0 ? [] : [times.finish()]
  const keyCells = entries.map(({ value }) => constantCells('string', value))
  const cells = [...timeCells, ...keyCells, values.finish()]
  const all = [...time, ...keyColumns, { name: '_value', type }]
  return tableOf(GroupKey.of(entries), all, [{ rowCount: given.length, columns: cells }])
}

function textEntry(name: string, value: string): KeyEntry {
  return { name, type: 'string', value }
}

function typeOf(value: unknown): CellType {
  switch (typeof value) {
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    default:
      throw new FluxError('values of a column must be numbers, texts or booleans')
  }
}

function cellOf(value: unknown, type: CellType): Cell {
  if (typeOf(value) !== type) throw new FluxError(`values of a column must all be of type ${type}`)
  return value as Cell
}
