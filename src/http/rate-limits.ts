// An organization's limits on the way of its writes, reads and deletes: how many at once, and how
// much over time. Limits are remembered until the catalog tells of a change.
//
// What may be used is a credit that grows with time up to a window's worth. For bytes the window is
// the five minutes in which InfluxDB Cloud counts: a request is let in while anything is left and is
// charged as it goes, so that one of any size passes and those after it wait until the debt is paid.
// Deletes are counted one by one, and over a second.
//
// Bytes of a write are those that memory was taken for: the body, and for a packed one both of its
// forms. Bytes of a read are those of its answer.

import type { OrganizationLimits } from '../catalog/accounts/limits.js'
import type { Bucket } from '../catalog/storage/buckets.js'
import { BusyError } from '../errors.js'
import type { Clock } from '../platform/clock.js'
import { OverloadError } from './errors.js'
import type { Services } from './services.js'
import { Usage, type UsageSeries } from './usage.js'

const byteWindowSeconds = 300
const deleteWindowSeconds = 1
const bytesPerKB = 1000
const nsPerSecond = 1e9
/** Sums of fractions of a second are not exact. */
const one = 1 - 1e-6

/** A query under way. Whoever was given one tells of its answer, and of its end exactly once. */
export interface Reading {
  /** How long it may take; 0: without limit. */
  readonly timeoutSeconds: number
  sent(bytes: number): void
  end(): void
}

/** Where no organization's limits hold. */
export const unmetered: Reading = { timeoutSeconds: 0, sent: () => {}, end: () => {} }

interface Meters {
  readonly writes: Meter
  readonly reads: Meter
  readonly deletes: Meter
}

/** An organization whose limits are known: its meters, set to them. */
interface Measured extends Meters {
  /** Of a query; 0: without limit. */
  readonly timeoutSeconds: number
  readonly queries: UsageSeries
}

export class RateLimits {
  readonly usage: Usage
  readonly #services: Services
  readonly #meters = new Map<string, Meters>()
  /** By bucket: the services, with a gate that knows the limits of the bucket's organization. */
  readonly #narrowed = new Map<string, Services>()
  /** Until limits change, which leaves the meters as they are. */
  readonly #measured = new Map<string, Measured>()
  #generation = 0

  constructor(services: Services) {
    this.#services = services
    this.usage = new Usage(services.clock)
    const forget = () => {
      this.#generation++
      this.#measured.clear()
    }
    services.catalog.on('bucket-deleted', (bucketId) => this.#narrowed.delete(bucketId))
    services.catalog.on('limits-changed', forget)
    services.catalog.on('organizations-changed', forget)
  }

  /**
   * The services as a write to this bucket may use them. Throws BusyError where the organization
   * has written too much lately.
   */
  async forWrite(bucket: Bucket): Promise<Services> {
    const { writes } = this.#measured.get(bucket.orgId) ?? (await this.#measure(bucket.orgId))
    writes.requireCredit()
    return this.#narrowed.get(bucket.id) ?? this.#narrow(bucket, writes)
  }

  /**
   * Lets a query in. Throws BusyError where the organization has read too much lately or has too
   * many queries under way: the contract knows no other answer of a query.
   */
  async forRead(orgId: string): Promise<Reading> {
    return this.#startReading(this.#measured.get(orgId) ?? (await this.#measure(orgId)))
  }

  #startReading({ reads, timeoutSeconds, queries }: Measured): Reading {
    reads.requireCredit()
    const excess = reads.tryEnter()
    if (excess !== undefined) throw new BusyError(excess, 1)
    return new MeteredReading(reads, queries, timeoutSeconds)
  }

  /**
   * Deletes when the organization may. Throws BusyError after too many in a second, OverloadError
   * where too many are under way.
   */
  async delete(orgId: string, work: () => Promise<void>): Promise<void> {
    const { deletes } = this.#measured.get(orgId) ?? (await this.#measure(orgId))
    deletes.requireCredit()
    enter(deletes)
    deletes.charge(1)
    try {
      await work()
    } finally {
      deletes.leave()
    }
  }

  async #measure(orgId: string): Promise<Measured> {
    const generation = this.#generation
    const limits = await this.#services.catalog.limits.of(orgId)
    // Changed while they were read: older limits must not be set behind newer ones.
    if (generation !== this.#generation) return this.#measure(orgId)
    let meters = this.#meters.get(orgId)
    if (meters === undefined) {
      meters = makeMeters(this.#services.clock)
      this.#meters.set(orgId, meters)
    }
    const { rate } = limits
    meters.writes.set(rate.writeKBs * bytesPerKB, rate.concurrentWriteRequests)
    meters.reads.set(rate.readKBs * bytesPerKB, rate.concurrentReadRequests)
    meters.deletes.set(rate.deleteRequestsPerSecond, rate.concurrentDeleteRequests)
    const queries = this.usage.series(orgId, '', 'query')
    const { writes, reads, deletes } = meters
    const timeoutSeconds = queryTimeoutSeconds(limits)
    const measured = { writes, reads, deletes, timeoutSeconds, queries }
    this.#measured.set(orgId, measured)
    return measured
  }

  #narrow({ id, orgId }: Bucket, writes: Meter): Services {
    const used = this.usage.series(orgId, id, 'write')
    const gate = this.#services.gate.narrowedBy({
      enter: () => enter(writes),
      leave: (bytes) => {
        writes.leave()
        writes.charge(bytes)
        used.count(bytes)
      },
    })
    const narrowed = { ...this.#services, gate }
    this.#narrowed.set(id, narrowed)
    return narrowed
  }
}

class MeteredReading implements Reading {
  readonly timeoutSeconds: number
  readonly #reads: Meter
  readonly #queries: UsageSeries
  #bytes = 0

  constructor(reads: Meter, queries: UsageSeries, timeoutSeconds: number) {
    this.#reads = reads
    this.#queries = queries
    this.timeoutSeconds = timeoutSeconds
  }

  sent(bytes: number): void {
    this.#bytes += bytes
    this.#reads.charge(bytes)
  }

  end(): void {
    this.#reads.leave()
    this.#queries.count(this.#bytes)
  }
}

function queryTimeoutSeconds({ rate, timeout }: OrganizationLimits): number {
  const given = [rate.queryTime / nsPerSecond, timeout.queryUnconditionalTimeoutSeconds]
  const limits = given.filter((seconds) => seconds > 0)
  return limits.length === 0 ? 0 : Math.min(...limits)
}

function makeMeters(clock: Clock): Meters {
  const bytes = { windowSeconds: byteWindowSeconds, unit: 'KB', perUnit: bytesPerKB }
  const requests = { windowSeconds: deleteWindowSeconds, unit: 'requests', perUnit: 1 }
  return {
    writes: new Meter(clock, { noun: 'write', ...bytes }),
    reads: new Meter(clock, { noun: 'read', ...bytes }),
    deletes: new Meter(clock, { noun: 'delete', ...requests }),
  }
}

function enter(meter: Meter): void {
  const excess = meter.tryEnter()
  if (excess !== undefined) throw new OverloadError(excess)
}

interface MeterKind {
  /** As messages call one of what is measured. */
  readonly noun: string
  /** How much may be used at once, in seconds of the rate. */
  readonly windowSeconds: number
  /** As messages give the rate, and how much of what is charged that is. */
  readonly unit: string
  readonly perUnit: number
}

/** What one organization does of one kind. */
class Meter {
  readonly #clock: Clock
  readonly #kind: MeterKind
  #perSecond = 0
  #requestsMax = 0
  #requests = 0
  #credit = 0
  #filledAt: bigint

  constructor(clock: Clock, kind: MeterKind) {
    this.#clock = clock
    this.#kind = kind
    this.#filledAt = clock.now()
  }

  /** 0: without limit. A new rate starts with the credit of a whole window. */
  set(perSecond: number, requestsMax: number): void {
    this.#requestsMax = requestsMax
    if (perSecond === this.#perSecond) return
    this.#perSecond = perSecond
    this.#credit = perSecond * this.#kind.windowSeconds
    this.#filledAt = this.#clock.now()
  }

  /** Enough for one byte or one request; throws BusyError with the time until there is. */
  requireCredit(): void {
    if (this.#perSecond === 0) return
    this.#fill()
    if (this.#credit >= one) return
    const waitSeconds = Math.ceil((1 - this.#credit) / this.#perSecond)
    const { noun, unit, perUnit } = this.#kind
    const rate = `${this.#perSecond / perUnit} ${unit} per second`
    throw new BusyError(`the organization's ${noun} limit of ${rate} is exceeded`, waitSeconds)
  }

  charge(amount: number): void {
    if (this.#perSecond === 0) return
    this.#fill()
    this.#credit -= amount
  }

  /** Takes a place, or says why there is none. */
  tryEnter(): string | undefined {
    if (this.#requestsMax > 0 && this.#requests >= this.#requestsMax) {
      return `more than ${this.#requestsMax} concurrent ${this.#kind.noun}s of the organization`
    }
    this.#requests++
    return undefined
  }

  leave(): void {
    this.#requests--
  }

  #fill(): void {
    const now = this.#clock.now()
    const elapsedSeconds = Math.max(0, Number(now - this.#filledAt) / nsPerSecond)
    this.#filledAt = now
    const filled = this.#credit + elapsedSeconds * this.#perSecond
    this.#credit = Math.min(filled, this.#perSecond * this.#kind.windowSeconds)
  }
}
