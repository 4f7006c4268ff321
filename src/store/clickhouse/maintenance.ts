// What happens by itself: rows of retired measurements are deleted, points that have expired, and what deletes have
// emptied where whoever deleted did not come to that. One process at a time does it, by a lease in the registry; what
// it has done twice does no harm. Reads never show expired points, so nobody waits for this.

import type { Clock } from '../../platform/clock.js'
import type { BucketId } from '../store.js'
import type { StoreLog } from '../store-log.js'
import { type DeleteParts, deleteExpired, deleteRetired } from './deletes.js'
import type { EmptiedSeries } from './emptied-series.js'
import { spanOf, spanRange, spanStart } from './layout.js'
import type { Measurement, Registry } from './registry.js'

export interface MaintenanceParts extends DeleteParts {
  readonly registry: Registry
  readonly emptied: EmptiedSeries
  readonly retentions: ReadonlyMap<BucketId, bigint>
  readonly clock: Clock
  readonly log: StoreLog
}

const roundMs = 10 * 60 * 1000
const leaseNs = 30n * 60n * 1_000_000_000n

export class Maintenance {
  readonly #parts: MaintenanceParts
  /** Of this process. */
  readonly #holder = `${process.pid}-${Math.trunc(performance.timeOrigin)}`
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined

  constructor(parts: MaintenanceParts) {
    this.#parts = parts
  }

  start(): void {
    this.#timer = setInterval(() => void this.#try(), roundMs)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#round
  }

  #try(): Promise<void> {
    this.#round ??= this.run()
      .catch((error: unknown) => {
        this.#parts.log('warn', 'the store could not clean up; it tries again later', { error })
      })
      .finally(() => {
        this.#round = undefined
      })
    return this.#round
  }

  /** One round, where no other process is at it. */
  async run(): Promise<void> {
    const { registry, retentions, clock } = this.#parts
    const now = clock.now()
    const isOurs = await registry.storage.claim('clean-up', this.#holder, now, now + leaseNs)
    if (!isOurs) return
    const retired = await registry.storage.retired()
    if (retired.length > 0) {
      await deleteRetired(this.#parts, retired)
      await registry.storage.deleted(retired)
    }
    for (const [bucket, retentionNs] of retentions) {
      if (retentionNs > 0n) await this.#expire(bucket, now - retentionNs)
    }
    for (const noted of await registry.storage.notedDeletes()) {
      const { bucket, number, deletes } = noted
      const own = (await registry.all(bucket)).filter((one) => one.number === number)
      await this.#parts.emptied.leave(bucket, own, () => true)
      await registry.storage.forgetDeletes([number], deletes)
    }
  }

  /** Of measurements that have a whole span of expired points. */
  async #expire(bucket: BucketId, oldest: bigint): Promise<void> {
    const { registry } = this.#parts
    const all = await registry.all(bucket)
    const spans = await registry.storage.spans(all.map(({ number }) => number))
    const expired = all.filter((one) =>
      spans.some(({ number, span }) => number === one.number && isExpired(one, span, oldest)),
    )
    if (expired.length === 0) return
    // Whole spans only: the rest of one that expires just now goes with the next.
    const lastSpan = ({ spanClass }: Measurement) => spanOf(oldest, spanClass)
    const starts = expired.map((one) => spanStart(lastSpan(one), one.spanClass))
    const before = starts.reduce((latest, start) => (start > latest ? start : latest))
    await deleteExpired(this.#parts, expired, before, lastSpan)
    const gone = spans.filter(({ number, span }) => {
      const one = expired.find((measurement) => measurement.number === number)
      return one !== undefined && isExpired(one, span, oldest)
    })
    await registry.storage.forgetSpans(gone)
    // Where nothing is left the types of fields begin anew.
    for (const { number } of expired) await registry.storage.retireEmpty(bucket, number)
  }
}

function isExpired({ spanClass }: Measurement, span: number, oldest: bigint): boolean {
  return spanRange(BigInt(span), spanClass).stop <= oldest
}
