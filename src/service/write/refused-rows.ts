// Rows of a parsed batch that do not go on to the store, each with its reason, and the batch without them. What
// is refused is said by checks of their own: schemas, and the write window of a retention policy.

import type { WriteBatch, WriteField, WriteTable } from '../../column/write-batch.js'
import { limits } from '../../config.js'
import { gatherColumn } from '../../query/column-builder.js'
import type { RejectedPoint } from '../../store/store.js'

export interface CheckedBatch {
  readonly batch: WriteBatch
  readonly rejectedCount: number
  /** The first 100 of them, in line order. */
  readonly rejected: readonly RejectedPoint[]
}

/** The batch without the rows that are refused; undefined: none of a table. */
export function refuseRows(
  batch: WriteBatch,
  refusedRows: (table: WriteTable) => Refusals | undefined,
): CheckedBatch {
  const found: RejectedPoint[] = []
  let rejectedCount = 0
  const tables: WriteTable[] = []
  for (const table of batch.tables) {
    const refused = refusedRows(table)
    const kept = refused === undefined ? table : withoutRows(table, refused.rows)
    if (kept.rowCount > 0) tables.push(kept)
    rejectedCount += table.rowCount - kept.rowCount
    if (refused !== undefined) found.push(...refused.reasons)
  }
  if (rejectedCount === 0) return { batch, rejectedCount, rejected: [] }
  found.sort((a, b) => a.line - b.line)
  const rejected = found.slice(0, limits.reportedErrorsMax)
  return {
    batch: { tables, pointCount: batch.pointCount - rejectedCount, write: batch.write },
    rejectedCount,
    rejected,
  }
}

/** Which rows of a table are refused, and why the first of them are. */
export class Refusals {
  readonly rows: Uint8Array
  readonly reasons: RejectedPoint[] = []
  count = 0
  readonly #lines: Uint32Array

  constructor(table: WriteTable) {
    this.rows = new Uint8Array(table.rowCount)
    this.#lines = table.lines
  }

  /** No more reasons are wanted. */
  get isFull(): boolean {
    return this.reasons.length >= limits.reportedErrorsMax
  }

  /** The first reason found for a row is the one that is told. */
  add(row: number, reason: string): void {
    if (this.rows[row] !== 0) return
    this.rows[row] = 1
    this.count++
    if (!this.isFull) this.reasons.push({ line: this.#lines[row], reason })
  }
}

/** A copy with the other rows only. Fields that no longer have a value are left out. */
function withoutRows(table: WriteTable, refused: Uint8Array): WriteTable {
  const others: number[] = []
  for (let row = 0; row < table.rowCount; row++) if (refused[row] === 0) others.push(row)
  const rows = Uint32Array.from(others)
  const fields: WriteField[] = []
  for (const { name, column } of table.fields) {
    const kept = gatherColumn(column, rows)
    if (kept.validity?.includes(1) ?? true) fields.push({ name, column: kept })
  }
  return {
    measurement: table.measurement,
    rowCount: rows.length,
    series: rows.map((row) => table.series[row]),
    keys: table.keys,
    times: {
      base: table.times.base,
      offsets: Float64Array.from(rows, (row) => table.times.offsets[row]),
    },
    fields,
    lines: rows.map((row) => table.lines[row]),
  }
}
