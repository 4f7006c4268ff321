// What a parsed batch has to pass before the store sees it: the schemas of explicit buckets, tables that were defined,
// the write window of the retention policy, the limits of the database. One list per bucket, in this order; each check
// sees what those before it let through. Most buckets have none.

import type { Bucket } from '../../catalog/storage/buckets.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { limits } from '../../config.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import type { RejectedPoint, Store } from '../../store/store.js'
import type { ServiceParts } from '../base/parts.js'
import { VersionedCache } from '../base/versioned-cache.js'
import type { DefinedTables } from '../tables/defined-tables.js'
import type { CheckedBatch } from './refused-rows.js'
import { SchemaChecks } from './schema-checks.js'
import { TableLimits } from './table-limits.js'
import { WriteWindows } from './write-windows.js'

export interface BatchCheck {
  check(batch: WriteBatch, now: bigint): MaybePromise<CheckedBatch>
}

type CheckParts = Pick<ServiceParts, 'catalog' | 'homeOrgId'> & {
  readonly store: Store
  readonly definedTables: DefinedTables
}

type DatabaseLimitsByBucket = Awaited<ReturnType<ServiceParts['catalog']['databases']['limits']>>

export class BatchChecks {
  readonly #parts: CheckParts
  readonly #schemas: SchemaChecks
  readonly #windows: WriteWindows
  readonly #limits: VersionedCache<DatabaseLimitsByBucket>

  constructor(parts: CheckParts) {
    this.#parts = parts
    this.#schemas = new SchemaChecks(parts.catalog, parts.definedTables)
    this.#windows = new WriteWindows(parts.catalog)
    this.#limits = new VersionedCache(parts.catalog, ['buckets', 'dbrps'])
  }

  /** Without a promise unless something has changed since the last write to the bucket. */
  of(bucket: Bucket): MaybePromise<readonly BatchCheck[]> {
    const found = [
      this.#schemas.ofSchemas(bucket),
      this.#schemas.ofTables(bucket),
      this.#windows.of(bucket),
      this.#limitsOf(bucket),
    ]
    if (found.some((one) => one instanceof Promise)) return Promise.all(found).then(those)
    return those(found as readonly (BatchCheck | undefined)[])
  }

  /** Only databases of the cluster variant have them. */
  #limitsOf({ id, orgId }: Bucket): MaybePromise<TableLimits | undefined> {
    const { homeOrgId, catalog, store } = this.#parts
    if (homeOrgId === undefined) return undefined
    const check = (all: DatabaseLimitsByBucket) => {
      const limited = all.get(id)
      return limited === undefined ? undefined : new TableLimits(store, id, limited)
    }
    const cached = this.#limits.cached(orgId)
    if (cached !== undefined) return check(cached)
    return this.#limits.find(orgId, () => catalog.databases.limits(orgId)).then(check)
  }
}

function those(found: readonly (BatchCheck | undefined)[]): readonly BatchCheck[] {
  return found.filter((one) => one !== undefined)
}

/** All of the checks, one after the other; at once where none of them has to ask. */
export async function checkBatch(
  checks: readonly BatchCheck[],
  batch: WriteBatch,
  now: bigint,
): Promise<CheckedBatch> {
  let passed: CheckedBatch = { batch, rejectedCount: 0, rejected: [] }
  for (const check of checks) {
    const result = check.check(passed.batch, now)
    passed = joined(passed, result instanceof Promise ? await result : result)
  }
  return passed
}

function joined(first: CheckedBatch, second: CheckedBatch): CheckedBatch {
  return {
    batch: second.batch,
    rejectedCount: first.rejectedCount + second.rejectedCount,
    rejected: inLineOrder(first.rejected, second.rejected),
  }
}

export function inLineOrder(
  a: readonly RejectedPoint[],
  b: readonly RejectedPoint[],
): readonly RejectedPoint[] {
  if (a.length === 0) return b
  const both = [...a, ...b].sort((left, right) => left.line - right.line)
  return both.slice(0, limits.reportedErrorsMax)
}
