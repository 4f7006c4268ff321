// An organization's limits on the way of its writes: how many at once, and how many bytes over time.
// The rate is a bucket that fills with `writeKBs` per second up to five minutes' worth, the window
// in which InfluxDB Cloud counts. A write is let in while anything is left and is charged when it
// ends, so that one body of any size passes and those after it wait until the debt is paid.
//
// Bytes are those that memory was taken for: the body, and for a packed one both of its forms.
// Limits are remembered until the catalog tells of a change.

import type { Bucket } from '../catalog/buckets.js'
import type { OrganizationLimits } from '../catalog/limits.js'
import { BusyError } from '../errors.js'
import type { Clock } from '../platform/clock.js'
import { OverloadError } from './errors.js'
import type { Services } from './services.js'
import { Usage } from './usage.js'
import type { GateRule } from './write-gate.js'

const windowSeconds = 300
const bytesPerKB = 1000
const nsPerSecond = 1e9

export class RateLimits {
  readonly usage: Usage
  readonly #services: Services
  readonly #meters = new Map<string, WriteMeter>()
  /** By bucket: the services, with a gate that knows the limits of the bucket's organization. */
  readonly #narrowed = new Map<string, { meter: WriteMeter; services: Services }>()
  #limits = new Map<string, OrganizationLimits>()
  #generation = 0

  constructor(services: Services) {
    this.#services = services
    this.usage = new Usage(services.clock)
    services.catalog.onChange((change) => {
      if (change.kind === 'bucket-deleted') this.#narrowed.delete(change.bucketId)
      if (change.kind !== 'limits-changed' && change.kind !== 'organizations-changed') return
      this.#generation++
      this.#limits.clear()
    })
  }

  /**
   * The services as a write to this bucket may use them. Throws BusyError where the organization
   * has written too much lately.
   */
  async forWrite(bucket: Bucket): Promise<Services> {
    const { rate } = this.#limits.get(bucket.orgId) ?? (await this.#load(bucket.orgId))
    const { meter, services } = this.#narrowed.get(bucket.id) ?? this.#narrow(bucket)
    meter.set(rate.writeKBs * bytesPerKB, rate.concurrentWriteRequests)
    meter.requireCredit()
    return services
  }

  async #load(orgId: string): Promise<OrganizationLimits> {
    const generation = this.#generation
    const limits = await this.#services.catalog.limits.of(orgId)
    if (generation === this.#generation) this.#limits.set(orgId, limits)
    return limits
  }

  #narrow({ id, orgId }: Bucket): { meter: WriteMeter; services: Services } {
    const meter = this.#meters.get(orgId) ?? new WriteMeter(this.#services.clock)
    this.#meters.set(orgId, meter)
    const gate = this.#services.gate.narrowedBy({
      enter: () => meter.enter(),
      leave: (bytes) => {
        meter.leave(bytes)
        this.usage.count({ orgId, bucketId: id }, 'write', bytes)
      },
    })
    const narrowed = { meter, services: { ...this.#services, gate } }
    this.#narrowed.set(id, narrowed)
    return narrowed
  }
}

/** One organization's writes. */
class WriteMeter implements GateRule {
  readonly #clock: Clock
  #bytesPerSecond = 0
  #requestsMax = 0
  #requests = 0
  #creditBytes = 0
  #filledAt: bigint

  constructor(clock: Clock) {
    this.#clock = clock
    this.#filledAt = clock.now()
  }

  /** 0: without limit. A new rate starts with a full bucket. */
  set(bytesPerSecond: number, requestsMax: number): void {
    this.#requestsMax = requestsMax
    if (bytesPerSecond === this.#bytesPerSecond) return
    this.#bytesPerSecond = bytesPerSecond
    this.#creditBytes = bytesPerSecond * windowSeconds
    this.#filledAt = this.#clock.now()
  }

  requireCredit(): void {
    if (this.#bytesPerSecond === 0) return
    this.#fill()
    if (this.#creditBytes > 0) return
    const waitSeconds = Math.floor(-this.#creditBytes / this.#bytesPerSecond) + 1
    const rate = `${this.#bytesPerSecond / bytesPerKB} KB per second`
    throw new BusyError(`the organization's write limit of ${rate} is exceeded`, waitSeconds)
  }

  enter(): void {
    if (this.#requestsMax > 0 && this.#requests >= this.#requestsMax) {
      const limit = `more than ${this.#requestsMax} concurrent writes`
      throw new OverloadError(`${limit} of the organization`)
    }
    this.#requests++
  }

  leave(bytes: number): void {
    this.#requests--
    if (this.#bytesPerSecond === 0) return
    this.#fill()
    this.#creditBytes -= bytes
  }

  #fill(): void {
    const now = this.#clock.now()
    const elapsedSeconds = Math.max(0, Number(now - this.#filledAt) / nsPerSecond)
    this.#filledAt = now
    const filled = this.#creditBytes + elapsedSeconds * this.#bytesPerSecond
    this.#creditBytes = Math.min(filled, this.#bytesPerSecond * windowSeconds)
  }
}
