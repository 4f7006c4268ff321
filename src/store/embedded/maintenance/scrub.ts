// Looks for damage before a read or the next start meets it: once a day every block of every segment and every frame of
// the logs is read and compared with its checksum, one piece after the other, with pauses between them so that no more
// is read than so many bytes a second. What is found is told as a read would tell it.

import { CorruptionError } from '../../../errors.js'
import type { Disk } from '../../../platform/disk.js'
import { counter } from '../../metrics.js'
import type { StoreMetric } from '../../store.js'
import type { StoreLog } from '../../store-log.js'
import type { Bucket } from '../bucket/bucket.js'
import type { Segment } from '../bucket/segment.js'
import { verifyFrames } from '../files/verify-frames.js'
import { verifySegment } from '../segment/verify.js'
import type { Structure } from '../structure/structure.js'

/** A file of frames that the next start needs. */
export interface ScrubbedLog {
  readonly path: string
  /** So much of it is synced. */
  readonly byteLength: number
  /** Whether it is still in use: what is not needed any more is removed at any moment. */
  isNeeded(): boolean
  damaged(error: CorruptionError): void
}

export interface ScrubParts {
  readonly disk: Disk
  readonly structure: Structure
  readonly log: StoreLog
  /** 0: nothing is looked at. */
  readonly bytesPerSecond: number
  /** From the beginning of a round to the beginning of the next. */
  readonly everyMs: number
  damaged(bucket: Bucket, measurement: string, error: CorruptionError): void
  /** As of now. */
  logs(): readonly ScrubbedLog[]
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
      counter('store_scrub_rounds_total', 'Times that all files were read', this.#roundCount),
    ]
  }

  /** What comes during a round has its turn in the next. */
  async #run(): Promise<void> {
    for (const log of this.#parts.logs()) {
      if (log.isNeeded()) await this.#verifyLog(log)
      if (this.#stopped) return
    }
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

  async #verifyLog(log: ScrubbedLog): Promise<void> {
    const { disk } = this.#parts
    // It is made with the first flush: until then its bucket is in other logs.
    if (log.byteLength === 0) return
    if (!(await disk.exists(log.path))) {
      if (log.isNeeded()) log.damaged(new CorruptionError(log.path, 0, 'the log is missing'))
      return
    }
    const file = await disk.open(log.path, 'read')
    try {
      for (const { byteLength, error } of verifyFrames(file, log.byteLength)) {
        if (error !== undefined && log.isNeeded()) log.damaged(error)
        await this.#read(byteLength)
        if (this.#stopped) return
      }
    } finally {
      await file.close()
    }
  }

  async #verify(bucket: Bucket, segment: Segment): Promise<void> {
    segment.acquire()
    try {
      for (const { measurement, byteLength, error } of verifySegment(segment.reader)) {
        if (error !== undefined) this.#parts.damaged(bucket, measurement, error)
        await this.#read(byteLength)
        if (this.#stopped) return
      }
    } finally {
      await segment.release()
    }
  }

  /** Counts what was read, and rests for as long as so much may take. */
  async #read(byteLength: number): Promise<void> {
    this.#byteCount += byteLength
    await this.#pause((1000 * byteLength) / this.#parts.bytesPerSecond)
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
