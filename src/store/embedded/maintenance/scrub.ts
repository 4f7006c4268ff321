// Looks for damage before a read meets it: once a day every block of every segment is read and compared with its
// checksum, one row group after the other, with pauses between them so that no more is read than so many bytes a
// second. What is found is told as a read would tell it.

import type { CorruptionError } from '../../../errors.js'
import { counter } from '../../metrics.js'
import type { StoreMetric } from '../../store.js'
import type { StoreLog } from '../../store-log.js'
import type { Bucket } from '../bucket/bucket.js'
import type { Segment } from '../bucket/segment.js'
import { verifySegment } from '../segment/verify.js'
import type { Structure } from '../structure/structure.js'

export interface ScrubParts {
  readonly structure: Structure
  readonly log: StoreLog
  /** 0: nothing is looked at. */
  readonly bytesPerSecond: number
  /** From the beginning of a round to the beginning of the next. */
  readonly everyMs: number
  damaged(bucket: Bucket, measurement: string, error: CorruptionError): void
}

export class Scrubber {
  readonly #parts: ScrubParts
  #round: Promise<void> | undefined
  #nextRound = 0
  #stopped = false
  #wake: (() => void) | undefined
  #byteCount = 0
  #roundCount = 0

  constructor(parts: ScrubParts) {
    this.#parts = parts
  }

  /** Begins a round where it is time for one. */
  begin(): void {
    const { bytesPerSecond, everyMs, log } = this.#parts
    const now = performance.now()
    if (bytesPerSecond === 0 || this.#stopped || this.#round !== undefined) return
    if (now < this.#nextRound) return
    this.#nextRound = now + everyMs
    this.#round = this.#run()
      .catch((error: Error) => log('error', `cannot look for damage: ${error.message}`))
      .finally(() => {
        this.#round = undefined
      })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#wake?.()
    await this.#round
  }

  metrics(): StoreMetric[] {
    return [
      counter('store_scrubbed_bytes_total', 'Bytes compared with checksums', this.#byteCount),
      counter('store_scrub_rounds_total', 'Times that every segment was read', this.#roundCount),
    ]
  }

  /** What comes during a round has its turn in the next. */
  async #run(): Promise<void> {
    for (const bucket of [...this.#parts.structure.buckets.values()]) {
      for (const shard of [...bucket.shards]) {
        for (const { entry } of [...shard.segments]) {
          const segment = shard.segments.find((each) => each.entry.number === entry.number)
          if (segment !== undefined && !bucket.isDropped) await this.#verify(bucket, segment)
          if (this.#stopped) return
        }
      }
    }
    this.#roundCount++
  }

  async #verify(bucket: Bucket, segment: Segment): Promise<void> {
    segment.acquire()
    try {
      for (const { measurement, byteLength, error } of verifySegment(segment.reader)) {
        if (error !== undefined) this.#parts.damaged(bucket, measurement, error)
        this.#byteCount += byteLength
        await this.#pause((1000 * byteLength) / this.#parts.bytesPerSecond)
        if (this.#stopped) return
      }
    } finally {
      await segment.release()
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
