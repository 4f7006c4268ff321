// Whether the service can do its work: not while it is about to stop, and not while a server that it needs is out of
// reach. Balancers ask often, so an answer is kept for a moment.

import { formatTimestamp } from '../../catalog/base/timestamps.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Clock } from '../../platform/clock.js'
import type { DamagedPlace, Store } from '../../store/store.js'

export interface HealthCheck {
  readonly name: string
  readonly status: 'pass' | 'fail'
  readonly message?: string
}

export interface HealthReport {
  readonly isHealthy: boolean
  readonly message: string
  readonly checks: readonly HealthCheck[]
}

const keptNs = 1_000_000_000n

/** The log has all of them. */
const damageShownMax = 20

/** What of whose points cannot be read, for the operator. */
function placeText({ bucket, measurement, range, message }: DamagedPlace): string {
  const parts = [
    ...(bucket === undefined ? [] : [`bucket ${bucket}`]),
    ...(measurement === undefined ? [] : [`measurement ${JSON.stringify(measurement)}`]),
    ...(range === undefined
      ? []
      : [`from ${formatTimestamp(range.start)} to ${formatTimestamp(range.stop)}`]),
  ]
  return [parts.join(', '), message].filter((text) => text !== '').join(': ')
}

export class Health {
  readonly #catalog: Catalog
  readonly #store: Pick<Store, 'reach' | 'damage' | 'weakness'>
  readonly #clock: Clock
  #isDraining = false
  #asked: Promise<HealthReport> | undefined
  #askedAt = 0n

  constructor(catalog: Catalog, store: Pick<Store, 'reach' | 'damage' | 'weakness'>, clock: Clock) {
    this.#catalog = catalog
    this.#store = store
    this.#clock = clock
  }

  /** From now on it is told that requests should go elsewhere; they are answered as before. */
  drain(): void {
    this.#isDraining = true
    this.#asked = undefined
  }

  report(): Promise<HealthReport> {
    const now = this.#clock.now()
    if (this.#asked === undefined || now - this.#askedAt >= keptNs) {
      this.#asked = this.#ask()
      this.#askedAt = now
    }
    return this.#asked
  }

  async #ask(): Promise<HealthReport> {
    const [catalog, store] = [this.#catalog, this.#store]
    const checks = await Promise.all([
      ...(catalog.nodes === undefined ? [] : [check('catalog', () => catalog.refresh())]),
      ...(store.reach === undefined ? [] : [check('store', () => store.reach!())]),
    ])
    if (this.#isDraining) return { isHealthy: false, message: 'about to stop', checks }
    const failed = checks.find(({ status }) => status === 'fail')
    if (failed !== undefined)
      return { isHealthy: false, message: failed.message ?? `${failed.name} fails`, checks }
    const [damage, weakness] = [this.#damage(), this.#weakness()]
    const words = [
      catalog.isReadOnly
        ? 'ready for queries, on a disk that is read-only'
        : 'ready for queries and writes',
      ...(damage.length === 0 ? [] : ['some points cannot be read']),
      ...(weakness.length === 0 ? [] : ['degraded']),
    ]
    if (words.length === 1) return { isHealthy: true, message: words[0], checks }
    // Points are read and written as ever: no reason to send requests elsewhere.
    const message = `${words.join('; ')}, see the checks`
    return { isHealthy: true, message, checks: [...checks, ...damage, ...weakness] }
  }

  #weakness(): HealthCheck[] {
    const found = this.#store.weakness?.() ?? []
    return found.map((message): HealthCheck => ({ name: 'replicas', status: 'fail', message }))
  }

  #damage(): HealthCheck[] {
    const places = this.#store.damage?.() ?? []
    return places
      .slice(0, damageShownMax)
      .map((place): HealthCheck => ({ name: 'damage', status: 'fail', message: placeText(place) }))
  }
}

async function check(name: string, reach: () => Promise<unknown>): Promise<HealthCheck> {
  try {
    await reach()
    return { name, status: 'pass' }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { name, status: 'fail', message }
  }
}
