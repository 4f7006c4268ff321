// The processes that share a catalog. Each has a row with a lease that it renews, and says in it what it has seen:
// whoever changes the catalog waits until all that are connected have seen the change. So a revoked token is refused
// everywhere when its revocation is answered. A process that cannot renew its lease answers for the rest of it.

import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import type { SharedDatabase } from './base/connection.js'
import type { VersionRow } from './base/tables.js'
import { formatTimestamp } from './base/timestamps.js'

export interface CatalogNode {
  readonly id: string
  readonly url: string
  readonly version: string
  readonly startedAt: string
  readonly leaseUntil: string
}

export interface NodesOptions {
  readonly shared: SharedDatabase
  readonly nodeId: string
  readonly programVersion: string
  readonly clock: Clock
  readonly random: Random
  /** Reads the versions, forgets what is outdated, and answers with their sum. */
  readonly refresh: () => Promise<number>
}

/** How long a process that lost the catalog goes on with what it knows. */
const leaseNs = 60_000_000_000n
const renewMs = 5000
/** How long a change waits for the others. One that is connected takes some milliseconds. */
const confirmMsMax = 5000

export class Nodes {
  readonly #options: NodesOptions
  readonly #startedAt: string
  #url = ''
  #seenChange = 0
  #leaseUntil = 0n
  #refreshing: Promise<void> | undefined
  #isHeardAgain = false
  #timer: NodeJS.Timeout | undefined
  #unconfirmed: readonly string[] = []

  constructor(options: NodesOptions) {
    this.#options = options
    this.#startedAt = formatTimestamp(options.clock.now())
  }

  async join(): Promise<void> {
    const { shared, nodeId, random } = this.#options
    await shared.listen(nodeId, random, () => void this.heard())
    await this.#refresh()
    this.#timer = setInterval(() => void this.heard(), renewMs)
    this.#timer.unref()
  }

  /** Where others reach this process. */
  async setUrl(url: string): Promise<void> {
    this.#url = url
    await this.#renew()
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer)
    await this.#refreshing
    const { shared, nodeId } = this.#options
    await shared.untracked
      .deleteFrom('nodes')
      .where('id', '=', nodeId)
      .execute()
      .catch(() => undefined)
    await shared.close()
  }

  /** False: the catalog was out of reach for so long that what is cached may no longer be used. */
  get isCurrent(): boolean {
    return this.#options.clock.now() < this.#leaseUntil
  }

  /** Processes that may not have seen the last change of this one yet: they were out of reach. */
  get unconfirmed(): readonly string[] {
    return this.#unconfirmed
  }

  /** Those whose lease has not ended. */
  async list(): Promise<CatalogNode[]> {
    const rows = await this.#live().selectAll().orderBy('started_at').orderBy('id').execute()
    return rows.map((row) => ({
      id: row.id,
      url: row.url,
      version: row.program_version,
      startedAt: row.started_at,
      leaseUntil: row.lease_until,
    }))
  }

  /** Something was changed by somebody, or may have been. One refresh at a time, and one after the last call. */
  heard(): Promise<void> {
    if (this.#refreshing !== undefined) {
      this.#isHeardAgain = true
      return this.#refreshing
    }
    this.#refreshing = this.#refreshUntilQuiet().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #refreshUntilQuiet(): Promise<void> {
    do {
      this.#isHeardAgain = false
      // Out of reach: the lease is not renewed, and the next connection is heard of.
      await this.#refresh().catch(() => undefined)
    } while (this.#isHeardAgain)
  }

  async #refresh(): Promise<void> {
    const from = this.#options.clock.now()
    this.#seenChange = await this.#options.refresh()
    await this.#renew()
    this.#leaseUntil = from + leaseNs
  }

  async #renew(): Promise<void> {
    const { shared, nodeId, clock, programVersion } = this.#options
    const changing = {
      url: this.#url,
      seen_change: this.#seenChange,
      lease_until: formatTimestamp(clock.now() + leaseNs),
    }
    const fixed = { id: nodeId, program_version: programVersion, started_at: this.#startedAt }
    await shared.untracked
      .insertInto('nodes')
      .values({ ...fixed, ...changing })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(changing))
      .execute()
  }

  /** Waits until every other process has seen this change, or is known to be out of reach. */
  async confirm(change: number): Promise<void> {
    const { shared, nodeId } = this.#options
    for (let waited = 0, wait = 2; ; waited += wait, wait = Math.min(wait * 2, 100)) {
      const behind = await this.#live()
        .select('id')
        .where('id', '<>', nodeId)
        .where('seen_change', '<', change)
        .execute()
      const ids = behind.map(({ id }) => id)
      const awaited = ids.length === 0 ? new Set() : await shared.connected(ids)
      if (awaited.size === 0 || waited >= confirmMsMax) {
        this.#unconfirmed = ids
        return
      }
      await setTimeout(wait)
    }
  }

  #live() {
    const { shared, clock } = this.#options
    const now = formatTimestamp(clock.now())
    return shared.untracked.selectFrom('nodes').where('lease_until', '>', now)
  }
}

/** Rises with every change of anything that has a version. */
export function changeOf(rows: readonly VersionRow[]): number {
  return rows.reduce((sum, { version }) => sum + Number(version), 0)
}
