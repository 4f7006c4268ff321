// Functions that change which columns a table has: keep, drop, rename, duplicate, set. Cells are handed
// on as they are. Where the key changes, tables may come to have the same one and are put together.

import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { hasUniformBounds } from '../../node/lineage.js'
import {
  type BatchTransform,
  batchTransformation,
  type Call,
  type Definitions,
  transformation,
} from '../../package/define.js'
import { constantCells } from '../../table/cells.js'
import { RegroupedTables } from '../../table/regrouped-tables.js'
import { columnIndex, type Table, type TableStream } from '../../table/table.js'
import { type BatchStream, placesByName, TableBatch } from '../../table/table-batch.js'
import { FluxError } from '../../value/error.js'
import { GroupKey, type KeyEntry } from '../../value/key.js'
import { quoted } from '../../value/quote.js'
import { typeText } from '../../value/type-name.js'
import type { PositionalCall } from '../../value/value.js'

const recordsOnly = 'where A: Record, B: Record'

export const columnChanges: Definitions = {
  drop: batchTransformation(
    `(<-tables: stream[A], ?fn: (column: string) => bool, ?columns: [string]) => stream[B] ${recordsOnly}`,
    (call) => choosing(call, 'drop'),
  ),
  keep: batchTransformation(
    `(<-tables: stream[A], ?columns: [string], ?fn: (column: string) => bool) => stream[B] ${recordsOnly}`,
    (call) => choosing(call, 'keep'),
  ),
  rename: batchTransformation(
    `(<-tables: stream[A], ?fn: (column: string) => string, ?columns: B) => stream[C]
        where A: Record, B: Record, C: Record`,
    renaming,
  ),
  // It looks at the key of every table.
  duplicate: transformation(
    `(<-tables: stream[A], column: string, as: string) => stream[B] ${recordsOnly}`,
    (call) => {
      const column = call.string('column')
      const as = call.string('as')
      return (input, context) => duplicatedTables(input, context, column, as)
    },
  ),
  set: batchTransformation(
    '(<-tables: stream[A], key: string, value: string) => stream[A] where A: Record',
    (call) => {
      const cells = constantCells('string', call.string('value'))
      const columns = new Map([[call.string('key'), cells]])
      return (input, context) => changed(input, context, (t) => withConstants(t, columns))
    },
  ),
}

/** What becomes of a table: its key, its columns, and where each of them comes from. */
export interface Change {
  readonly key: GroupKey
  readonly columns: readonly TableColumn[]
  /** A place among the table's columns, or the cells themselves. */
  readonly sources: readonly (number | Cells)[]
  /** No other table can come to have this key: it need not wait for the others. */
  readonly isApart: boolean
}

/** What a change follows from. Tables that differ in the values of their keys alone change alike. */
export type TableShape = Pick<Table, 'key' | 'columns'>

type Changing = (table: TableShape) => Change | Promise<Change>

export async function* changed(
  input: BatchStream,
  context: FluxContext,
  change: Changing,
): AsyncGenerator<Table | TableBatch, void, void> {
  const merged = new RegroupedTables(context.memory)
  for await (const table of input) {
    context.signal.throwIfAborted()
    const isBatch = table instanceof TableBatch
    const shape = isBatch ? { key: table.key(0), columns: table.columns } : table
    const { key, columns, sources, isApart } = await change(shape)
    checkNames(columns)
    const show = (chunk: Chunk): Chunk => {
      const cells = sources.map((from) => (typeof from === 'number' ? chunk.columns[from] : from))
      // Rows are what columns have: without any there are none.
      return { rowCount: columns.length === 0 ? 0 : chunk.rowCount, columns: cells }
    }
    if (isBatch) {
      const places = placesByName(columns, ({ name }) => key.has(name))
      const rows = show(table.rows)
      if (columns.length === 0) merged.table(key)
      else if (!isApart) merged.addRows(columns, places, rows)
      else if (rows.rowCount > 0) yield new TableBatch(columns, places, rows, table.ends)
    } else if (isApart) yield { key, columns, chunks: () => shown(table, show) }
    else {
      const target = merged.table(key)
      target.declare(columns)
      for await (const chunk of table.chunks()) target.add(columns, show(chunk))
    }
  }
  yield* merged.tables()
}

async function* shown(
  table: Table,
  show: (chunk: Chunk) => Chunk,
): AsyncGenerator<Chunk, void, void> {
  for await (const chunk of table.chunks()) yield show(chunk)
}

function checkNames(columns: readonly TableColumn[]): void {
  const places = new Map<string, number>()
  for (const [i, { name }] of columns.entries()) {
    const before = places.get(name)
    if (before !== undefined) {
      const text = `column ${before} and ${i} have the same name (${quoted(name)}) which is not allowed`
      throw new FluxError(text)
    }
    places.set(name, i)
  }
}

function choosing(call: Call, word: 'keep' | 'drop'): BatchTransform {
  if (!call.has('columns') && !call.has('fn')) {
    throw new FluxError(`${word} error: neither column list nor predicate function provided`)
  }
  if (call.has('columns') && call.has('fn')) {
    throw new FluxError(`${word} error: both column list and predicate provided`)
  }
  const isKept = word === 'keep'
  if (call.has('fn')) {
    const fn = call.function('fn').prepare(['column'])
    return (input, context) =>
      changed(input, context, async (table) => {
        const names = await namesFor(table.columns, fn)
        return chosen(table, (name) => names.has(name) === isKept, false)
      })
  }
  const names = new Set(call.strings('columns'))
  const dropsBoundsOnly = !isKept && [...names].every((name) => boundNames.has(name))
  const keepsApart = dropsBoundsOnly && hasUniformBounds(call.stream('tables'))
  const change = (table: TableShape) =>
    chosen(table, (name) => names.has(name) === isKept, keepsApart)
  return (input, context) => changed(input, context, change)
}

const boundNames: ReadonlySet<string> = new Set(['_start', '_stop'])

async function namesFor(
  columns: readonly TableColumn[],
  fn: PositionalCall,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const { name } of columns) if ((await fn([name])) === true) names.add(name)
  return names
}

function chosen(table: TableShape, isKept: (name: string) => boolean, isApart: boolean): Change {
  const columns: TableColumn[] = []
  const sources: number[] = []
  for (const [i, column] of table.columns.entries()) {
    if (!isKept(column.name)) continue
    columns.push(column)
    sources.push(i)
  }
  const dropped = new Set(table.key.entries.map(({ name }) => name).filter((name) => !isKept(name)))
  return { key: table.key.without(dropped), columns, sources, isApart }
}

function renaming(call: Call): BatchTransform {
  if (!call.has('columns') && !call.has('fn')) {
    throw new FluxError('rename error: neither column list nor map function provided')
  }
  if (call.has('columns') && call.has('fn')) {
    throw new FluxError('rename error: both column list and map function provided')
  }
  if (call.has('fn')) {
    const fn = call.function('fn').prepare(['column'])
    return (input, context) =>
      changed(input, context, async (table) => {
        const names = new Map<string, string>()
        for (const { name } of table.columns) names.set(name, (await fn([name])) as string)
        return renamed(table, names, false)
      })
  }
  const names = newNames(call)
  return (input, context) =>
    changed(input, context, (table) => {
      for (const name of names.keys()) {
        if (columnIndex(table.columns, name) >= 0) continue
        throw new FluxError(`rename error: column "${name}" doesn't exist`)
      }
      // Every table has all of these columns: what was different stays so.
      return renamed(table, names, true)
    })
}

function newNames(call: Call): ReadonlyMap<string, string> {
  const record = call.record('columns')
  const names = new Map<string, string>()
  for (const name of record.names()) {
    const value = record.get(name) ?? null
    if (typeof value !== 'string') {
      const got = typeText(value)
      throw new FluxError(`rename error: columns object contains non-string value of type ${got}`)
    }
    names.set(name, value)
  }
  return names
}

function renamed(table: TableShape, names: ReadonlyMap<string, string>, isApart: boolean): Change {
  const columns = table.columns.map(({ name, type }) => ({ name: names.get(name) ?? name, type }))
  const entries = table.key.entries.map((entry) => {
    return { ...entry, name: names.get(entry.name) ?? entry.name }
  })
  const sources = table.columns.map((_, i) => i)
  return { key: GroupKey.of(entries), columns, sources, isApart }
}

/** Only a table that loses a column of its key can meet another, and hardly ever are there both kinds. */
async function* duplicatedTables(
  input: TableStream,
  context: FluxContext,
  column: string,
  as: string,
): AsyncGenerator<Table | TableBatch, void, void> {
  const left: GroupKey[] = []
  let leftTexts: ReadonlySet<string> | undefined
  yield* changed(input, context, (table) => {
    const change = duplicated(table, column, as)
    if (change.isApart) left.push(change.key)
    else if (left.length > 0) {
      leftTexts ??= new Set(left.map(({ text }) => text))
      if (leftTexts.has(change.key.text)) {
        throw new FluxError(`duplicate error: tables differ in column "${as}" of their keys alone`)
      }
    }
    return change
  })
}

function duplicated(table: TableShape, column: string, as: string): Change {
  const from = columnIndex(table.columns, column)
  if (from < 0) throw new FluxError(`duplicate error: column "${column}" doesn't exist`)
  const columns = [...table.columns]
  const sources = columns.map((_, i) => i)
  const copy: TableColumn = { name: as, type: columns[from].type }
  const to = columnIndex(columns, as)
  columns[to < 0 ? columns.length : to] = copy
  sources[to < 0 ? sources.length : to] = from
  const key = duplicatedKey(table.key, column, copy)
  return { key, columns, sources, isApart: key === table.key }
}

function duplicatedKey(key: GroupKey, column: string, copy: TableColumn): GroupKey {
  if (!key.has(copy.name)) return key
  const source = key.entry(column)
  if (source === undefined) return key.without(new Set([copy.name]))
  return key.with({ ...copy, value: source.value })
}

/** Columns with the same cell in every row, in the place of those of their name or behind the others. */
export function withConstants(
  table: TableShape,
  constants: ReadonlyMap<string, ReturnType<typeof constantCells>>,
): Change {
  const columns = [...table.columns]
  const sources: (number | Cells)[] = columns.map((_, i) => i)
  for (const [name, cells] of constants) {
    const place = columnIndex(columns, name)
    columns[place < 0 ? columns.length : place] = { name, type: cells.type }
    sources[place < 0 ? sources.length : place] = cells
  }
  if (!table.key.entries.some(({ name }) => constants.has(name))) {
    return { key: table.key, columns, sources, isApart: true }
  }
  const entries = table.key.entries.map((entry): KeyEntry => {
    const cells = constants.get(entry.name)
    return cells === undefined ? entry : { name: entry.name, type: cells.type, value: cells.value }
  })
  return { key: GroupKey.of(entries), columns, sources, isApart: false }
}
