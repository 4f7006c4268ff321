// Where the first rows by time lie among those of many series: an answer of a few rows is looked for by times
// alone, which cost little beside all the fields of all the rows around them.

import type { Batch } from '../column/batch.js'
import type { TimeRange } from '../column/time.js'
import { type PullStream, takeEach } from '../platform/pull-stream.js'
import type { ReadRequest, Store } from '../store/store.js'

/** Times that are held at least, so that they are not put in order for each batch. */
const roomMin = 4096

export interface FirstRowsRequest {
  /** Of the rows: bucket, measurement, predicate. At most 50 days of times. */
  readonly read: ReadRequest
  /** How many of them are wanted. */
  readonly wanted: number
  readonly ascending: boolean
}

/**
 * The part of a range, from where the order starts, that holds the first rows, and those of the same time as the last
 * of them; all of it where there are fewer rows. Rows count whatever fields they have, so that fewer of them may
 * have what is asked for.
 */
export async function firstRowsRange(
  store: Store,
  { read, wanted, ascending }: FirstRowsRequest,
  signal: AbortSignal,
): Promise<TimeRange> {
  const { bucket, measurement, predicate, range } = read
  const from = ascending ? range.start : range.stop
  const times = new FirstTimes(wanted, from, ascending)
  const request = { bucket, measurement, predicate, range, fields: [], everyRow: true }
  const order = { descending: !ascending, limitPerSeries: wanted }
  await takeAll(store.read({ ...request, ...order }, signal), times)
  const last = times.last()
  if (last === undefined) return range
  return ascending
    ? { start: range.start, stop: from + BigInt(last) + 1n }
    : { start: from - BigInt(last), stop: range.stop }
}

async function takeAll(batches: PullStream<Batch>, times: FirstTimes): Promise<void> {
  await takeEach(batches, (batch) => {
    times.add(batch)
    return true
  })
}

/** The least distances from where the order starts. */
class FirstTimes {
  readonly #wanted: number
  readonly #from: bigint
  readonly #sign: number
  readonly #kept: Float64Array
  #count = 0
  /** Distances from here on are those of rows behind the last one wanted. */
  #end = Number.POSITIVE_INFINITY

  constructor(wanted: number, from: bigint, ascending: boolean) {
    this.#wanted = wanted
    this.#from = from
    this.#sign = ascending ? 1 : -1
    this.#kept = new Float64Array(Math.max(roomMin, wanted * 2))
  }

  add({ times: { base, offsets }, rowCount }: Batch): void {
    const sign = this.#sign
    const shift = sign * Number(base - this.#from)
    const kept = this.#kept
    for (let row = 0; row < rowCount; row++) {
      const distance = shift + sign * offsets[row]
      if (distance >= this.#end) continue
      kept[this.#count++] = distance
      if (this.#count === kept.length) this.#cut()
    }
  }

  /** Of the last row wanted; undefined: there are fewer rows. */
  last(): number | undefined {
    if (this.#count >= this.#wanted) this.#cut()
    return this.#end === Number.POSITIVE_INFINITY ? undefined : this.#kept[this.#wanted - 1]
  }

  #cut(): void {
    this.#kept.subarray(0, this.#count).sort()
    this.#count = this.#wanted
    this.#end = this.#kept[this.#wanted - 1]
  }
}
