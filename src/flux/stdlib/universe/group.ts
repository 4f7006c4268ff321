// `group`: tables put together by the values of other columns. Where all of them are in a table's key
// the table moves as a whole; otherwise its rows are dealt out chunk by chunk.

import { type Cells, type Chunk, cellAt, type TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Definitions, transformation } from '../../package/define.js'
import { gatherChunk } from '../../table/cells.js'
import { MergedTables } from '../../table/merged-tables.js'
import type { Table, TableStream } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { GroupKey, type KeyEntry } from '../../value/key.js'

const type = '(<-tables: stream[A], ?mode: string, ?columns: [string]) => stream[A] where A: Record'

/** Which of a table's columns make its new key. */
export type KeyChoice = (table: Table) => (column: TableColumn) => boolean

export const groups: Definitions = {
  group: transformation(type, (call) => {
    const mode = call.string('mode', 'by')
    const names = new Set(call.strings('columns', []))
    if (mode !== 'by' && mode !== 'except') {
      throw new FluxError('invalid group mode: must be "by" or "except"')
    }
    const isKey = ({ name }: TableColumn) => names.has(name) === (mode === 'by')
    return (input, context) => groupTables(input, context, () => isKey)
  }),
}

export async function* groupTables(
  input: TableStream,
  context: FluxContext,
  choice: KeyChoice,
): AsyncGenerator<Table, void, void> {
  const merged = new MergedTables(context.memory)
  for await (const table of input) {
    context.signal.throwIfAborted()
    const keyColumns = table.columns.filter(choice(table))
    const isWhole = keyColumns.every(({ name }) => table.key.has(name))
    if (isWhole) await addWhole(table, keyColumns, merged)
    else await dealOut(table, keyColumns, merged, context)
  }
  yield* merged.tables()
}

/** The key is the old one, or a part of it. An empty table keeps its place. */
async function addWhole(
  table: Table,
  keyColumns: readonly TableColumn[],
  merged: MergedTables,
): Promise<void> {
  const key = GroupKey.of(keyColumns.map(({ name }) => table.key.entry(name)!))
  const target = merged.table(key)
  target.declare(table.columns)
  for await (const chunk of table.chunks()) target.add(table.columns, chunk)
}

async function dealOut(
  table: Table,
  keyColumns: readonly TableColumn[],
  merged: MergedTables,
  { signal }: FluxContext,
): Promise<void> {
  const dealer = new RowDealer(table.columns, keyColumns)
  for await (const chunk of table.chunks()) {
    signal.throwIfAborted()
    for (const { key, rows } of dealer.deal(chunk)) {
      merged.table(key).add(table.columns, rows === null ? chunk : gatherChunk(chunk, rows))
    }
  }
}

interface Share {
  readonly key: GroupKey
  /** null: all. */
  readonly rows: Uint32Array | null
}

/** Tells the rows of chunks apart by the values of some columns. Keys are made once for each set of values. */
export class RowDealer {
  readonly #places: readonly number[]
  readonly #keyColumns: readonly TableColumn[]
  readonly #keys = new Map<string, GroupKey>()

  constructor(columns: readonly TableColumn[], keyColumns: readonly TableColumn[]) {
    this.#keyColumns = keyColumns
    this.#places = keyColumns.map((column) => columns.indexOf(column))
  }

  /** In the order in which the values come first. */
  deal(chunk: Chunk): readonly Share[] {
    const { rowCount } = chunk
    if (rowCount === 0) return []
    const numbers = new Uint32Array(rowCount)
    let groups = 1
    for (const place of this.#places)
      groups = refine(numbers, groups, chunk.columns[place], rowCount)
    if (groups === 1) return [{ key: this.#key(chunk, 0), rows: null }]
    const counts = new Uint32Array(groups)
    for (let row = 0; row < rowCount; row++) counts[numbers[row]]++
    const shares = Array.from(counts, (count) => new Uint32Array(count))
    counts.fill(0)
    for (let row = 0; row < rowCount; row++) {
      const group = numbers[row]
      shares[group][counts[group]++] = row
    }
    return shares.map((rows) => ({ key: this.#key(chunk, rows[0]), rows }))
  }

  #key(chunk: Chunk, row: number): GroupKey {
    const entries = this.#keyColumns.map(({ name, type }, i): KeyEntry => {
      return { name, type, value: cellAt(chunk.columns[this.#places[i]], row) }
    })
    const key = GroupKey.of(entries)
    const known = this.#keys.get(key.text)
    if (known !== undefined) return known
    this.#keys.set(key.text, key)
    return key
  }
}

/**
 * Groups of rows that had the same values so far, told apart by one more column. Numbers stay in the order in which
 * groups come first; how many there are now is the answer.
 */
function refine(numbers: Uint32Array, groups: number, cells: Cells, rowCount: number): number {
  if (cells.kind === 'constant') return groups
  const codes = cells.type === 'string' ? textCodes(cells.dictionary) : undefined
  const known: Map<unknown, number>[] = []
  let count = 0
  for (let row = 0; row < rowCount; row++) {
    const isNull = cells.validity !== undefined && cells.validity[row] === 0
    const value = isNull
      ? null
      : codes === undefined
        ? cells.values[row]
        : codes[cells.values[row] as number]
    const group = numbers[row]
    known[group] ??= new Map()
    let number = known[group].get(value)
    if (number === undefined) {
      number = count++
      known[group].set(value, number)
    }
    numbers[row] = number
  }
  return count
}

/** The same number for the same text: entries of a dictionary may repeat. */
function textCodes(dictionary: readonly string[]): Uint32Array {
  const numbers = new Map<string, number>()
  return Uint32Array.from(dictionary, (text) => {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  })
}
