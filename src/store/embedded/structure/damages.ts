// What was found damaged, at the start, by a read, a merge or the scrubber: each place once, for the log, for
// `/health` and for the metrics. A place names what it means to the operator (bucket, measurement, span of time) beside
// the file and the offset. The list is bounded; the count is not.

import type { TimeRange } from '../../../column/time.js'
import type { CorruptionError } from '../../../errors.js'
import type { DamagedPlace } from '../../store.js'
import type { StoreLog } from '../../store-log.js'

/** More are counted and logged, but not listed: a disk that dies would fill the memory. */
const placesMax = 1000

export interface DamageScope {
  readonly bucket?: string
  readonly measurement?: string
  readonly range?: TimeRange
}

export class Damages {
  readonly #log: StoreLog
  readonly #places = new Map<string, DamagedPlace>()
  #count = 0

  constructor(log: StoreLog) {
    this.#log = log
  }

  get count(): number {
    return this.#count
  }

  get places(): readonly DamagedPlace[] {
    return [...this.#places.values()]
  }

  note(error: CorruptionError, scope: DamageScope = {}): void {
    const { file, offset, message } = error
    const { bucket, measurement, range } = scope
    const key = JSON.stringify([file, offset, bucket, measurement])
    if (this.#places.has(key)) return
    this.#count++
    if (this.#places.size < placesMax) this.#places.set(key, { ...scope, message })
    this.#log('error', message, {
      file,
      offset,
      ...(bucket === undefined ? {} : { bucket }),
      ...(measurement === undefined ? {} : { measurement }),
      ...(range === undefined ? {} : { start: String(range.start), stop: String(range.stop) }),
    })
  }
}
