// A read put into words for other threads: paths instead of open files, arrays instead of
// memtables. A memtable that still takes rows gives a copy of what is asked for: its arrays may
// move, and their memory may hold other rows by the time that a thread looks at them.

import type { Column } from '../../../column/column.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { Plan } from '../read/plan.js'
import type { Source, TableSource } from '../read/sources.js'
import type { FrozenTable } from '../rows/memtable.js'
import { checkMinute } from '../segment/reader.js'
import type { ScanJob, ScanSource } from './messages.js'

export function describeScan(
  plan: Plan,
  sources: readonly Source[],
  keys: SeriesKeyView,
  now: bigint,
): ScanJob {
  const minute = checkMinute(now)
  return { plan, keys, sources: sources.map((source) => describeSource(source, plan)), minute }
}

function describeSource(source: Source, plan: Plan): ScanSource {
  const { base, rank } = source
  if (source.kind === 'segment') {
    const { reader, directory, deletes } = source
    return { kind: 'segment', base, rank, path: reader.path, directory, deletes }
  }
  const { minOffset, maxOffset } = source.table
  return { kind: 'table', base, rank, minOffset, maxOffset, table: tableOf(source, plan) }
}

function tableOf({ table, isFilling }: TableSource, plan: Plan): FrozenTable {
  const frozen = table.freeze()
  const wanted = new Set(plan.fieldIds)
  const columns = frozen.columns.map((column, id) => (wanted.has(id) ? column : undefined))
  if (!isFilling) return { ...frozen, columns }
  const { rowCount, seriesCount } = frozen
  return {
    ...frozen,
    slotSeries: sharedCopy(frozen.slotSeries, seriesCount),
    slots: sharedCopy(frozen.slots, rowCount),
    offsets: sharedCopy(frozen.offsets, rowCount),
    columns: columns.map((column) => column && copyColumn(column, rowCount)),
  }
}

function copyColumn(column: Column, rowCount: number): Column {
  const values = sharedCopy(column.values, rowCount)
  const validity = column.validity && sharedCopy(column.validity, rowCount)
  if (column.type !== 'string') return { ...column, values, validity } as Column
  const { offsets, bytes, count } = column.dictionary
  const dictionary = {
    offsets: sharedCopy(offsets, count === 0 ? 0 : count + 1),
    // Without an entry the first offset was never set.
    bytes: sharedCopy(bytes, count === 0 ? 0 : offsets[count]),
    count,
  }
  return { ...column, values: values as Uint32Array, validity, dictionary }
}

/** Copied once, whatever the number of threads. */
function sharedCopy<T extends Column['values'] | Uint32Array | Uint8Array>(
  array: T,
  length: number,
): T {
  const kind = array.constructor as new (buffer: SharedArrayBuffer) => T
  const copy = new kind(new SharedArrayBuffer(length * array.BYTES_PER_ELEMENT))
  ;(copy as Float64Array).set(array.subarray(0, length) as Float64Array)
  return copy
}
