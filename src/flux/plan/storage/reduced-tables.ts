// `reduce` of series, or of groups of them, while they are read: each series goes on from the accumulator of its group,
// over the columns that the function looks at. No other column is made, and no row is kept. What cannot be worked out
// over columns, or would fail, is left to the functions themselves.

import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { constantCells } from '../../table/cells.js'
import { type ColumnReduction, columnReduction } from '../../table/column-reduction.js'
import { recordTable } from '../../table/record-table.js'
import type { Table } from '../../table/table.js'
import type { BatchStream, TableBatch } from '../../table/table-batch.js'
import { GroupKey } from '../../value/key.js'
import type { FluxFunction, FluxRecord } from '../../value/value.js'
import { rowTables } from './row-tables.js'
import { valuePlace } from './series-columns.js'
import { type SelectedField, type StorageRead, selectFields } from './storage-read.js'
import type { StoredRows, StoredTable } from './stored-table.js'

export interface ReducedRead {
  readonly read: StorageRead
  /** The columns that make the groups; undefined: each table stays by itself. */
  readonly by: readonly string[] | undefined
  readonly fn: FluxFunction
  readonly identity: FluxRecord
}

/** About what a group takes. */
const groupBytes = 512

export async function* reducedTables(
  reduced: ReducedRead,
  context: FluxContext,
  general: () => BatchStream,
): AsyncGenerator<Table | TableBatch, void, void> {
  const fields = await selectFields(reduced.read, context)
  const groups = new Groups(reduced, context)
  try {
    const tables = (await groups.reduce(fields)) ? groups.tables() : undefined
    if (tables === undefined) {
      groups.release()
      yield* general()
    } else yield* tables
  } finally {
    groups.release()
  }
}

interface Group {
  readonly key: GroupKey
  /** Of its first table; those of the key are the same in all. */
  readonly columns: readonly TableColumn[]
  accumulator: FluxRecord
}

class Groups {
  readonly #reduced: ReducedRead
  readonly #context: FluxContext
  readonly #names: ReadonlySet<string> | undefined
  readonly #groups = new Map<string, Group>()
  readonly #reductions = new Map<readonly TableColumn[], ColumnReduction | undefined>()
  #bytes = 0

  constructor(reduced: ReducedRead, context: FluxContext) {
    this.#reduced = reduced
    this.#context = context
    this.#names = reduced.by && new Set(reduced.by)
  }

  /** False: the functions must run themselves. */
  async reduce(fields: readonly SelectedField[]): Promise<boolean> {
    const { signal, yielder } = this.#context
    for await (const together of rowTables(this.#reduced.read, fields, this.#context)) {
      for (const stored of together) {
        signal.throwIfAborted()
        const group = this.#groupOf(stored)
        const reduction = this.#reductionOf(stored.columns)
        // Values of two types in one table are for `group` to refuse.
        if (reduction === undefined || !hasSameValues(group.columns, stored.columns)) return false
        for await (const rows of stored.rows) {
          const after = reduction.reduce(readChunk(rows, reduction, stored), group.accumulator)
          if (after === undefined) return false
          group.accumulator = after
          yielder.add(rows.rowCount)
        }
        if (yielder.isDue) await yielder.yield()
      }
    }
    return true
  }

  /** undefined: two of them have the same key, which is for the function to refuse. */
  tables(): readonly Table[] | undefined {
    const tables = Array.from(this.#groups.values(), ({ key, columns, accumulator }) =>
      recordTable(key, columns, accumulator),
    )
    return new Set(tables.map(({ key }) => key.text)).size < tables.length ? undefined : tables
  }

  release(): void {
    this.#context.memory.release(this.#bytes)
    this.#bytes = 0
    this.#groups.clear()
  }

  #groupOf({ key: whole, columns }: StoredTable): Group {
    const names = this.#names
    const key =
      names === undefined
        ? whole
        : GroupKey.ofSorted(whole.entries.filter(({ name }) => names.has(name)))
    const known = this.#groups.get(key.text)
    if (known !== undefined) return known
    this.#context.memory.take(groupBytes)
    this.#bytes += groupBytes
    const group = { key, columns, accumulator: this.#reduced.identity }
    this.#groups.set(key.text, group)
    return group
  }

  #reductionOf(columns: readonly TableColumn[]): ColumnReduction | undefined {
    if (!this.#reductions.has(columns)) {
      const { fn, identity } = this.#reduced
      this.#reductions.set(columns, columnReduction(fn, identity, columns))
    }
    return this.#reductions.get(columns)
  }
}

function hasSameValues(a: readonly TableColumn[], b: readonly TableColumn[]): boolean {
  return a[valuePlace].type === b[valuePlace].type
}

const unwanted: Cells = constantCells('float', null)

/** With the columns that are looked at. */
function readChunk(rows: StoredRows, { reads }: ColumnReduction, { columns }: StoredTable): Chunk {
  const cells: Cells[] = new Array(columns.length).fill(unwanted)
  for (const place of reads) cells[place] = rows.cells(place)
  return { rowCount: rows.rowCount, columns: cells }
}
