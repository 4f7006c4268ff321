// An organization's limits on the way of its writes, reads and deletes: how many at once, and how much over time.
// Limits are cached until the catalog tells of a change.
//
// What may be used is a credit that grows with time up to a window's worth. For bytes the window is the five minutes in
// which InfluxDB Cloud counts: a request is let in while anything is left and is charged as it goes, so that one of any
// size passes and those after it wait until the debt is paid. Deletes are counted one by one, and over a second.
//
// Processes that share a catalog share the credit (`share`): what each has charged is taken from the catalog's once a
// second, and what is left holds for all. So together they keep to the rate over time, and overdraw it by what a second
// brings, which is paid like every debt. How many at once is divided by the number of processes, and is at least one.
//
// Bytes of a write are those that memory was taken for: the body, and for a packed one both of its forms. Bytes of a
// read are those of its answer.

import type { OrganizationLimits as LimitsRecord } from '../../catalog/accounts/limits.js'
import type { CreditUse } from '../../catalog/shared-credits.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { BusyError, OverloadError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import type { ServiceParts } from '../base/parts.js'
import { VersionedCache } from '../base/versioned-cache.js'
import type { AdmittedRead, OrganizationLimits, WriteRule } from './organization-limits.js'
import type { Usage, UsageSeries } from './usage.js'

const byteWindowSeconds = 300
const deleteWindowSeconds = 1
const bytesPerKB = 1000
const nsPerSecond = 1e9
/** Sums of fractions of a second are not exact. */
const one = 1 - 1e-6

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

export class RateLimits implements OrganizationLimits {
  readonly #usage: Usage
  readonly #catalog: ServiceParts['catalog']
  readonly #clock: Clock
  /** Those that divide what may be under way at once. */
  readonly #processCount: () => number
  readonly #meters = new Map<string, Meters>()
  /** By bucket. */
  readonly #writeRules = new Map<string, WriteRule>()
  /** Until limits change, which leaves the meters as they are. */
  readonly #measured: VersionedCache<Measured>

  constructor({ catalog, clock }: Pick<ServiceParts, 'catalog' | 'clock'>, usage: Usage) {
    this.#catalog = catalog
    this.#clock = clock
    this.#usage = usage
    this.#processCount = () => catalog.nodes?.serverCount ?? 1
    this.#measured = new VersionedCache(catalog, ['limits', 'organizations'])
    catalog.on('bucket-deleted', (bucketId) => this.#writeRules.delete(bucketId))
  }

  async forWrite(bucket: Bucket): Promise<WriteRule> {
    const { writes } = this.#measured.cached(bucket.orgId) ?? (await this.#measure(bucket.orgId))
    writes.requireCredit()
    return this.#writeRules.get(bucket.id) ?? this.#makeWriteRule(bucket, writes)
  }

  forRead(orgId: string): MaybePromise<AdmittedRead> {
    const measured = this.#measured.cached(orgId)
    if (measured !== undefined) return startRead(measured)
    return this.#measure(orgId).then(startRead)
  }

  async delete(orgId: string, work: () => Promise<void>): Promise<void> {
    const { deletes } = this.#measured.cached(orgId) ?? (await this.#measure(orgId))
    deletes.requireCredit()
    enter(deletes)
    deletes.charge(1)
    try {
      await work()
    } finally {
      deletes.leave()
    }
  }

  async share(): Promise<void> {
    const used = [...this.#meters].flatMap(([orgId, meters]) => metersOf(orgId, meters))
    await this.#share(used.filter(({ meter }) => meter.isShared()))
  }

  async #share(meters: readonly NamedMeter[]): Promise<void> {
    const { nodes } = this.#catalog
    if (nodes === undefined || meters.length === 0) return
    const uses = meters.map(({ orgId, kind, meter }) => ({ orgId, kind, ...meter.take() }))
    try {
      for (const { orgId, kind, credit } of await nodes.credits.use(uses, this.#clock.now())) {
        this.#meters.get(orgId)?.[kind as keyof Meters].learn(credit)
      }
    } catch (error) {
      for (const [i, { meter }] of meters.entries()) meter.giveBack(uses[i].amount)
      throw error
    }
  }

  #measure(orgId: string): Promise<Measured> {
    return this.#measured.find(orgId, async () => {
      const { limits: version } = this.#catalog.versions
      const limits = await this.#catalog.limits.of(orgId)
      const meters = this.#meters.get(orgId) ?? makeMeters(this.#clock, this.#processCount)
      this.#meters.set(orgId, meters)
      // Changed while they were read: older limits must not be set behind newer ones.
      if (version === this.#catalog.versions.limits) setMeters(meters, limits)
      // What other processes have left of it.
      await this.#share(metersOf(orgId, meters).filter(({ meter }) => meter.isLimited))
      const { writes, reads, deletes } = meters
      const timeoutSeconds = queryTimeoutSeconds(limits)
      const queries = this.#usage.series(orgId, '', 'query')
      return { writes, reads, deletes, timeoutSeconds, queries }
    })
  }

  #makeWriteRule({ id, orgId }: Bucket, writes: Meter): WriteRule {
    const used = this.#usage.series(orgId, id, 'write')
    const rule = {
      enter: () => enter(writes),
      leave: (bytes: number) => {
        writes.leave()
        writes.charge(bytes)
        used.count(bytes)
      },
    }
    this.#writeRules.set(id, rule)
    return rule
  }
}

interface NamedMeter {
  readonly orgId: string
  readonly kind: keyof Meters
  readonly meter: Meter
}

function metersOf(orgId: string, meters: Meters): NamedMeter[] {
  const kinds = ['writes', 'reads', 'deletes'] as const
  return kinds.map((kind) => ({ orgId, kind, meter: meters[kind] }))
}

function setMeters({ writes, reads, deletes }: Meters, { rate }: LimitsRecord): void {
  writes.set(rate.writeKBs * bytesPerKB, rate.concurrentWriteRequests)
  reads.set(rate.readKBs * bytesPerKB, rate.concurrentReadRequests)
  deletes.set(rate.deleteRequestsPerSecond, rate.concurrentDeleteRequests)
}

function startRead({ reads, timeoutSeconds, queries }: Measured): AdmittedRead {
  reads.requireCredit()
  const excess = reads.tryEnter()
  if (excess !== undefined) throw new BusyError(excess, 1)
  return new MeteredRead(reads, queries, timeoutSeconds)
}

class MeteredRead implements AdmittedRead {
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

function queryTimeoutSeconds({ rate, timeout }: LimitsRecord): number {
  const given = [rate.queryTime / nsPerSecond, timeout.queryUnconditionalTimeoutSeconds]
  const limits = given.filter((seconds) => seconds > 0)
  return limits.length === 0 ? 0 : Math.min(...limits)
}

function makeMeters(clock: Clock, processCount: () => number): Meters {
  const bytes = { windowSeconds: byteWindowSeconds, unit: 'KB', perUnit: bytesPerKB }
  const requests = { windowSeconds: deleteWindowSeconds, unit: 'requests', perUnit: 1 }
  return {
    writes: new Meter(clock, processCount, { noun: 'write', ...bytes }),
    reads: new Meter(clock, processCount, { noun: 'read', ...bytes }),
    deletes: new Meter(clock, processCount, { noun: 'delete', ...requests }),
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
  readonly #processCount: () => number
  readonly #kind: MeterKind
  #perSecond = 0
  #requestsMax = 0
  #requests = 0
  #credit = 0
  #filledAt: bigint
  /** By this process, and not taken from the credit of all processes yet. */
  #charged = 0
  #chargedAt: bigint | undefined

  constructor(clock: Clock, processCount: () => number, kind: MeterKind) {
    this.#clock = clock
    this.#processCount = processCount
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
    this.#charged += amount
    this.#chargedAt = this.#filledAt
  }

  get isLimited(): boolean {
    return this.#perSecond > 0
  }

  /** Whether something was charged lately: within a window all is paid. */
  isShared(): boolean {
    if (!this.isLimited || this.#chargedAt === undefined) return false
    return Number(this.#clock.now() - this.#chargedAt) / nsPerSecond < byteWindowSeconds
  }

  /** What was charged here is the caller's now, who takes it from the credit of all. */
  take(): Pick<CreditUse, 'perSecond' | 'creditMax' | 'amount'> {
    const [perSecond, amount] = [this.#perSecond, this.#charged]
    this.#charged = 0
    return { perSecond, creditMax: perSecond * this.#kind.windowSeconds, amount }
  }

  giveBack(amount: number): void {
    this.#charged += amount
  }

  /** What is left for all processes, of which this one may have used some since. */
  learn(credit: number): void {
    this.#credit = credit - this.#charged
    this.#filledAt = this.#clock.now()
  }

  /** Takes a place, or says why there is none. */
  tryEnter(): string | undefined {
    // Its share of what all processes together may do.
    const processes = this.#processCount()
    const max = Math.ceil(this.#requestsMax / processes)
    if (max > 0 && this.#requests >= max) {
      const share = processes === 1 ? '' : ` in this one of ${processes} processes`
      return `more than ${max} concurrent ${this.#kind.noun}s of the organization${share}`
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
