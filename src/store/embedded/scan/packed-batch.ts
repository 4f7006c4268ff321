// A batch on its way to another thread: its arrays cut to their rows, all in one piece of memory, and its
// runs as numbers. The memory is shared, and numbered so that it can be given back, or copied with the
// message. Whoever takes the batch spells the series out from its own keys.

import type { Batch, BatchField } from '../../../column/batch.js'
import type { Column, Utf8Dictionary } from '../../../column/column.js'
import type { Series } from '../../../column/series.js'
import type { TimeColumn } from '../../../column/time.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import { LazyRun } from '../read/batch-builder.js'
import type { BatchSlabs } from './batch-slabs.js'

export interface PackedBatch {
  /** The number of the shared memory that it lies in; undefined: it is copied. */
  readonly slab: number | undefined
  readonly measurement: string
  readonly rowCount: number
  readonly seriesIds: Uint32Array
  /** Where the rows of each run end. */
  readonly ends: Uint32Array
  readonly times: TimeColumn
  readonly fields: readonly BatchField[]
  readonly columns: readonly Column[]
  readonly pointTimes: readonly (TimeColumn | undefined)[] | undefined
}

export function packBatch(batch: Batch, slabs: BatchSlabs): PackedBatch {
  const { measurement, rowCount, runs } = batch
  const byteLength = bytesOf(batch)
  const slab = slabs.take(byteLength)
  const memory = new Memory(slab === undefined ? new ArrayBuffer(byteLength) : slabs.memory(slab))
  const times = (from: TimeColumn): TimeColumn => {
    return { base: from.base, offsets: memory.keep(from.offsets, rowCount) }
  }
  return {
    slab,
    measurement,
    rowCount,
    seriesIds: memory.keep(Uint32Array.from(runs, ({ keyId }) => keyId)),
    ends: memory.keep(Uint32Array.from(runs, ({ stop }) => stop)),
    times: times(batch.times),
    fields: batch.fields.map(({ name, type }) => ({ name, type })),
    columns: batch.columns.map((column) => packColumn(column, rowCount, memory)),
    pointTimes: batch.pointTimes?.map((points) => points && times(points)),
  }
}

type Numbers = Column['values'] | Uint32Array | Uint8Array

/** One piece of memory for all arrays of a batch: to tell of each by itself costs some microseconds each. */
class Memory {
  readonly #buffer: ArrayBufferLike
  #used = 0

  constructor(buffer: ArrayBufferLike) {
    this.#buffer = buffer
  }

  keep<T extends Numbers>(array: T, length: number = array.length): T {
    const kind = array.constructor as new (buffer: ArrayBufferLike, at: number, length: number) => T
    // A Buffer stands for its bytes.
    const made = array instanceof Uint8Array ? Uint8Array : kind
    const copy = new made(this.#buffer, this.#used, length) as T
    ;(copy as Float64Array).set(array.subarray(0, length) as Float64Array)
    this.#used += aligned(copy.byteLength)
    return copy
  }
}

function aligned(byteLength: number): number {
  return (byteLength + 7) & ~7
}

function bytesOf({ rowCount, runs, columns, pointTimes }: Batch): number {
  let bytes = 2 * aligned(runs.length * 4) + rowCount * 8
  for (const points of pointTimes ?? []) if (points !== undefined) bytes += rowCount * 8
  for (const column of columns) {
    bytes += aligned(rowCount * column.values.BYTES_PER_ELEMENT)
    if (column.validity !== undefined) bytes += aligned(rowCount)
    if (column.type !== 'string') continue
    const { entries, length } = dictionarySize(column.dictionary)
    bytes += aligned(entries * 4) + aligned(length)
  }
  return bytes
}

/** Without an entry the first offset may never have been set. */
function dictionarySize({ offsets, count }: Utf8Dictionary): { entries: number; length: number } {
  return count === 0 ? { entries: 0, length: 0 } : { entries: count + 1, length: offsets[count] }
}

function packColumn(column: Column, rowCount: number, memory: Memory): Column {
  const values = memory.keep(column.values, rowCount)
  const validity = column.validity && memory.keep(column.validity, rowCount)
  if (column.type !== 'string') return { ...column, values, validity } as Column
  const { offsets, bytes, count } = column.dictionary
  const { entries, length } = dictionarySize(column.dictionary)
  const dictionary = {
    offsets: memory.keep(offsets, entries),
    bytes: memory.keep(bytes, length),
    count,
  }
  return { ...column, values: values as Uint32Array, validity, dictionary }
}

export function unpackBatch(packed: PackedBatch, keys: SeriesKeyView, groupKey?: Series): Batch {
  const { measurement, rowCount, seriesIds, ends, times, fields, columns, pointTimes } = packed
  const runs = Array.from(
    seriesIds,
    (series, i) => new LazyRun(keys, series, i === 0 ? 0 : ends[i - 1], ends[i], groupKey),
  )
  const batch = { measurement, rowCount, runs, times, fields, columns }
  return pointTimes === undefined ? batch : { ...batch, pointTimes }
}
