// Flush: the memtables of one shard become one segment. Runs on a worker or, for a disk in memory, where it is called.
// It sees only arrays, keys and a path.

import type { ByteTableView } from '../../column/byte-table.js'
import type { FieldType } from '../../column/column.js'
import type { Disk } from '../../platform/disk.js'
import { ColumnBuilder } from './column-builder.js'
import { sortByKey } from './key-order.js'
import { type FrozenTable, rowsBySlot } from './memtable.js'
import { type Rows, sortAndCollapse } from './rows.js'
import type { FieldEntry } from './segment/directory.js'
import { type SegmentSummary, SegmentWriter } from './segment/writer.js'

export interface FlushTable {
  readonly measurement: string
  /** By field number. */
  readonly fields: readonly FieldEntry[]
  readonly table: FrozenTable
}

export interface FlushJob {
  readonly path: string
  readonly base: bigint
  readonly keys: ByteTableView
  readonly tables: readonly FlushTable[]
}

export async function runFlush(disk: Disk, job: FlushJob): Promise<SegmentSummary> {
  const file = await disk.open(job.path, 'create')
  try {
    const writer = new SegmentWriter(file, job.base)
    // Measurements in the order of their names, as series in the order of their keys would have them.
    const tables = job.tables.toSorted((a, b) => (a.measurement < b.measurement ? -1 : 1))
    for (const table of tables) await writeTable(writer, table, job.keys)
    return await writer.finish()
  } finally {
    await file.close()
  }
}

async function writeTable(
  writer: SegmentWriter,
  { measurement, fields, table }: FlushTable,
  keys: ByteTableView,
): Promise<void> {
  const present = fields.filter((_, id) => table.columns[id] !== undefined)
  writer.beginMeasurement(measurement, present)
  const { rows, starts } = rowsBySlot(table)
  const slotOf = new Map<number, number>()
  for (let slot = 0; slot < table.seriesCount; slot++) slotOf.set(table.slotSeries[slot], slot)
  const order = table.slotSeries.slice(0, table.seriesCount)
  sortByKey(order, keys)
  for (const series of order) {
    const slot = slotOf.get(series)!
    const picks = rows.subarray(starts[slot], starts[slot + 1])
    await writer.addSeries(series, gather(table, picks))
  }
}

const builders = new Map<FieldType, ColumnBuilder[]>()

/** Rows of one series in the order of time. The arrays are used again for the next series. */
function gather(table: FrozenTable, picks: Uint32Array): Rows {
  const offsets = new Float64Array(picks.length)
  for (let i = 0; i < picks.length; i++) offsets[i] = table.offsets[picks[i]]
  const used = new Map<FieldType, number>()
  const types: FieldType[] = []
  const columns = []
  for (const column of table.columns) {
    if (column === undefined) continue
    const builder = nextBuilder(column.type, used)
    builder.clear()
    builder.appendPicked(column, picks, picks.length)
    types.push(column.type)
    columns.push(builder.column())
  }
  return sortAndCollapse({ rowCount: picks.length, offsets, columns }, types)
}

function nextBuilder(type: FieldType, used: Map<FieldType, number>): ColumnBuilder {
  const at = used.get(type) ?? 0
  used.set(type, at + 1)
  let list = builders.get(type)
  if (list === undefined) {
    list = []
    builders.set(type, list)
  }
  list[at] ??= new ColumnBuilder(type)
  return list[at]
}
