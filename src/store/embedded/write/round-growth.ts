// How many bytes memtables grow by, told before the rows are there. A memtable has room for every field in every row:
// rows that bring fields of their own, or that come to a table of many fields, make it grow by far more than they are.
// What is too much for one generation goes into several, and so no write takes more than a generation and its own size.

import type { Generation } from '../bucket/generation.js'
import { MemTable, type ShardTable } from '../rows/memtable.js'
import type { AdmittedTable } from './admission.js'

/** A number and whether it is there. */
const cellBytes = 9

interface Growing {
  rows: number
  columns: number
  /** Those that came with the round. */
  readonly fields: Set<number>
}

/** Of the tables added so far, on top of a generation; without one, of the tables alone. */
export class RoundGrowth {
  readonly #generation: Generation | undefined
  readonly #tables = new Map<object, Map<number, Growing>>()
  byteLength = 0

  constructor(generation?: Generation) {
    this.#generation = generation
  }

  add(tables: readonly AdmittedTable[]): void {
    for (const each of tables) this.#addTable(each)
  }

  #addTable({ shard, table }: AdmittedTable): void {
    const ofShard = this.#tables.get(shard) ?? new Map<number, Growing>()
    this.#tables.set(shard, ofShard)
    const known = this.#generation?.table(shard, table.measurementId)
    const memtable = known instanceof MemTable ? known : undefined
    let growing = ofShard.get(table.measurementId)
    if (growing === undefined) {
      // Small tables keep the rows of each write apart.
      growing = {
        rows: memtable?.rowCount ?? 0,
        columns: memtable?.columnCount ?? 0,
        fields: new Set(),
      }
      ofShard.set(table.measurementId, growing)
    }
    const before = growing.rows * growing.columns
    growing.columns += newFields(table, growing.fields, memtable)
    growing.rows += table.rowCount
    this.byteLength += (growing.rows * growing.columns - before) * cellBytes
  }
}

function newFields(
  { fields }: ShardTable,
  seen: Set<number>,
  memtable: MemTable | undefined,
): number {
  let count = 0
  for (const { fieldId } of fields) {
    if (memtable?.hasColumn(fieldId) === true || seen.has(fieldId)) continue
    seen.add(fieldId)
    count++
  }
  return count
}

/** Tables of one write in pieces of at most so many bytes each; nearly every write is one. */
export function piecesOf(
  tables: readonly AdmittedTable[],
  pieceBytesMax: number,
): (readonly AdmittedTable[])[] {
  const pieces: AdmittedTable[][] = []
  let growth = new RoundGrowth()
  for (const each of tables) {
    const before = growth.byteLength
    growth.add([each])
    if (pieces.length === 0 || (before > 0 && growth.byteLength > pieceBytesMax)) {
      pieces.push([])
      growth = new RoundGrowth()
      growth.add([each])
    }
    pieces[pieces.length - 1].push(each)
  }
  return pieces
}
