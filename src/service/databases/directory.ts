// The databases of an organization, as its mappings, the names of its buckets and what v1 statements
// kept make them up: each with its policies, and each policy with its bucket. Built once and cached
// until the catalog changes, so that a query costs no question to the catalog's database.

import { wholeList } from '../../catalog/base/page.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { PolicyDetails } from '../../catalog/storage/databases.js'
import type { Dbrp } from '../../catalog/storage/dbrps.js'
import type { CacheFigures } from '../../platform/lru-cache.js'
import type { ServiceParts } from '../base/parts.js'
import { VersionedCache } from '../base/versioned-cache.js'

export interface PolicyEntry {
  readonly name: string
  readonly bucket: Bucket
  readonly isDefault: boolean
  /** How the bucket is reached; a virtual one cannot be changed or deleted. */
  readonly mapping: Dbrp
  /** What the bucket does not know; undefined: what InfluxDB makes of its retention. */
  readonly details: PolicyDetails | undefined
}

export interface DatabaseEntry {
  readonly name: string
  /** In the order in which their buckets were made. */
  readonly policies: readonly PolicyEntry[]
}

/** By name, in the order in which they were made. */
export type DatabaseDirectory = ReadonlyMap<string, DatabaseEntry>

/** Those of all organizations, cached. */
export class DatabaseDirectories {
  readonly #catalog: Catalog
  readonly #homeOrgId: string | undefined
  readonly #directories: VersionedCache<DatabaseDirectory>
  readonly #firstOrganization: VersionedCache<string | undefined>

  /** `homeOrgId`: the cluster's one organization, whose system buckets are no databases of anybody. */
  constructor({ catalog, homeOrgId }: Pick<ServiceParts, 'catalog' | 'homeOrgId'>) {
    this.#catalog = catalog
    this.#homeOrgId = homeOrgId
    this.#directories = new VersionedCache(catalog, ['buckets', 'dbrps', 'organizations'])
    this.#firstOrganization = new VersionedCache(catalog, ['organizations'])
  }

  figures(): CacheFigures {
    return this.#directories.figures()
  }

  of(orgId: string): Promise<DatabaseDirectory> {
    const hasSystem = orgId !== this.#homeOrgId
    return this.#directories.find(orgId, () => readDirectory(this.#catalog, orgId, hasSystem))
  }

  /** The same without a promise; undefined where it has not been read yet. */
  cached(orgId: string): DatabaseDirectory | undefined {
    return this.#directories.cached(orgId)
  }

  /** Where a credential that is bound to no organization works; undefined where there is none yet. */
  firstOrganization(): Promise<string | undefined> {
    const { organizations } = this.#catalog
    return this.#firstOrganization.find('', async () => (await organizations.findFirst())?.id)
  }
}

/** As it is inside a transaction. */
export async function readDirectory(
  catalog: Catalog,
  orgId: string,
  systemBuckets = true,
): Promise<DatabaseDirectory> {
  const filter = { orgId, userBuckets: 'all', systemBuckets } as const
  const buckets = await catalog.buckets.list(filter, wholeList)
  const place = new Map(buckets.map((bucket, i) => [bucket.id, i]))
  const details = await catalog.databases.details(orgId)
  const kept = await catalog.databases.list(orgId)
  const madeAt = new Map(kept.map(({ name, createdAt }) => [name, createdAt]))
  const policies = new Map<string, PolicyEntry[]>(kept.map(({ name }) => [name, []]))
  const mappings = (await catalog.dbrps.listAll(orgId)).filter(({ bucketId }) =>
    place.has(bucketId),
  )
  mappings.sort((a, b) => placeOf(place, a) - placeOf(place, b))
  for (const mapping of mappings) {
    const bucket = buckets[placeOf(place, mapping)]
    const list = policies.get(mapping.database) ?? []
    policies.set(mapping.database, list)
    if (!madeAt.has(mapping.database)) madeAt.set(mapping.database, bucket.createdAt)
    const { retentionPolicy: name, isDefault } = mapping
    list.push({ name, bucket, isDefault, mapping, details: details.get(bucket.id) })
  }
  const entries = Array.from(policies, ([name, list]): DatabaseEntry => ({ name, policies: list }))
  entries.sort((a, b) => compare(madeAt.get(a.name) ?? '', madeAt.get(b.name) ?? ''))
  return new Map(entries.map((entry) => [entry.name, entry]))
}

function placeOf(place: ReadonlyMap<string, number>, { bucketId }: Dbrp): number {
  return place.get(bucketId) ?? 0
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
