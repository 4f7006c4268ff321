// Where the first rows by time lie among those of many series: an answer of a few rows is looked for by times
// alone, which cost little beside all the fields of all the rows around them.

import type { Batch } from '../column/batch.js'
import { isTagPredicate } from '../column/predicate.js'
import { nsPerDay, type TimeRange } from '../column/time.js'
import { type PullStream, takeEach } from '../platform/pull-stream.js'
import type { ReadRequest, Store } from '../store/store.js'

/** Times that are held at least, so that they are not put in order for each batch. */
const roomMin = 4096

/** So many rows for each that is wanted, or so many, are looked at first, and so many times as wide a part next. */
const rowsPerWanted = 4
const firstRowsMin = 4096
const growth = 8n

/** Distances in a part stay exact far beyond this. */
const partNsMax = 50n * nsPerDay

export interface FirstRowsRequest {
  /** Of the rows: bucket, measurement, predicate, and a range; for `firstRowsRange` of at most 50 days. */
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

/**
 * The range in parts, from where the order starts, for who reads one after the other until it has enough rows: first
 * one that has them all if they have what is asked for, then wider ones. `rowCountMax`: about how many rows lie in the
 * range.
 */
export async function* firstRowsParts(
  store: Store,
  { read, wanted, ascending }: FirstRowsRequest,
  rowCountMax: number,
  signal: AbortSignal,
): AsyncGenerator<TimeRange, void, void> {
  const { predicate, range } = read
  const span = range.stop - range.start
  const share = Math.min(1, Math.max(firstRowsMin, wanted * rowsPerWanted) / rowCountMax)
  // A condition on values is looked at once: what it leaves is not known before, and mostly few.
  let isFound = predicate !== undefined && !isTagPredicate(predicate)
  let width = BigInt(Math.ceil(Number(span) * share)) + 1n
  let left = range
  while (left.start < left.stop) {
    if (width > partNsMax) width = isFound ? span : partNsMax
    let part = firstOf(left, width, ascending)
    if (!isFound) {
      const found = await firstRowsRange(
        store,
        { read: { ...read, range: part }, wanted, ascending },
        signal,
      )
      isFound = found !== part
      part = found
    }
    yield part
    left = ascending
      ? { start: part.stop, stop: left.stop }
      : { start: left.start, stop: part.start }
    width *= growth
  }
}

function firstOf({ start, stop }: TimeRange, width: bigint, ascending: boolean): TimeRange {
  if (stop - start <= width) return { start, stop }
  return ascending ? { start, stop: start + width } : { start: stop - width, stop }
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
