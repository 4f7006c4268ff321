// How far from now the points of a retention policy may lie when they are written: FUTURE LIMIT and PAST LIMIT of
// v1 statements. Cached by bucket while no policy changes; most buckets have no limit, and cost a look into the cache.

import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { WriteBatch, WriteTable } from '../../column/write-batch.js'
import { printGoDuration } from '../../influxql/syntax/durations.js'
import { type MaybePromise, whenReady } from '../../platform/pull-stream.js'
import { VersionedCache } from '../base/versioned-cache.js'
import { type CheckedBatch, Refusals, refuseRows } from './refused-rows.js'

export class WriteWindows {
  readonly #catalog: Catalog
  readonly #windows: VersionedCache<WriteWindow>

  constructor(catalog: Catalog) {
    this.#catalog = catalog
    this.#windows = new VersionedCache(catalog, ['buckets', 'dbrps'])
  }

  /** Undefined where points may lie anywhere. */
  of(bucket: Bucket): MaybePromise<WriteWindow | undefined> {
    return whenReady(this.#windows.cached(bucket.id) ?? this.#read(bucket), (window) =>
      window.isOpen ? undefined : window,
    )
  }

  #read({ id, orgId }: Bucket): Promise<WriteWindow> {
    return this.#windows.find(id, async () => {
      const details = await this.#catalog.databases.detailsOf(orgId, id)
      const { futureLimitNs = '0', pastLimitNs = '0' } = details ?? {}
      return new WriteWindow(BigInt(futureLimitNs), BigInt(pastLimitNs))
    })
  }
}

/** 0n: no limit on that side. */
export class WriteWindow {
  readonly #futureNs: bigint
  readonly #pastNs: bigint

  constructor(futureNs: bigint, pastNs: bigint) {
    this.#futureNs = futureNs
    this.#pastNs = pastNs
  }

  get isOpen(): boolean {
    return this.#futureNs === 0n && this.#pastNs === 0n
  }

  check(batch: WriteBatch, now: bigint): CheckedBatch {
    return refuseRows(batch, (table) => this.#refusedRows(table, now))
  }

  #refusedRows(table: WriteTable, now: bigint): Refusals | undefined {
    const { base, offsets } = table.times
    const first = this.#pastNs === 0n ? -Infinity : Number(now - this.#pastNs - base)
    const last = this.#futureNs === 0n ? Infinity : Number(now + this.#futureNs - base)
    const refusals = new Refusals(table)
    for (let row = 0; row < table.rowCount; row++) {
      if (offsets[row] < first || offsets[row] > last) refusals.add(row, this.#reason())
    }
    return refusals.count === 0 ? undefined : refusals
  }

  #reason(): string {
    const past = this.#pastNs === 0n ? '' : `-${printGoDuration(this.#pastNs)}`
    const future = this.#futureNs === 0n ? '' : printGoDuration(this.#futureNs)
    const window = [past, future].filter((side) => side !== '').join(' to ')
    return `point is outside the write window of its retention policy (${window})`
  }
}
