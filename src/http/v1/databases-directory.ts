// The databases of an organization, as its mappings, the names of its buckets and what v1 statements
// kept make them up: each with its policies, and each policy with its bucket. Built once and used
// until the catalog changes, so that a query costs no question to the catalog's database.

import { wholeList } from '../../catalog/base/page.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { PolicyDetails } from '../../catalog/storage/databases.js'
import type { Dbrp } from '../../catalog/storage/dbrps.js'

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

interface Remembered {
  /** Of the buckets, mappings and organizations it was made from. */
  readonly version: number
  readonly byOrganization: Map<string, Promise<DatabaseDirectory>>
  /** Those of them that have been read. */
  readonly whole: Map<string, DatabaseDirectory>
  firstOrganization: Promise<string | undefined> | undefined
}

const remembered = new WeakMap<Catalog, Remembered>()

export function databaseDirectory(catalog: Catalog, orgId: string): Promise<DatabaseDirectory> {
  const { byOrganization, whole } = whatIsKnown(catalog)
  let directory = byOrganization.get(orgId)
  if (directory === undefined) {
    directory = readDirectory(catalog, orgId)
    byOrganization.set(orgId, directory)
    directory.then(
      (read) => whole.set(orgId, read),
      () => byOrganization.delete(orgId),
    )
  }
  return directory
}

/** The same without waiting; undefined where it has not been read yet. */
export function knownDirectory(catalog: Catalog, orgId: string): DatabaseDirectory | undefined {
  return whatIsKnown(catalog).whole.get(orgId)
}

/** Where a credential that is bound to no organization works; undefined where there is none yet. */
export function firstOrganization(catalog: Catalog): Promise<string | undefined> {
  const known = whatIsKnown(catalog)
  known.firstOrganization ??= catalog.organizations.findFirst().then((org) => org?.id)
  return known.firstOrganization
}

function whatIsKnown(catalog: Catalog): Remembered {
  const { buckets, dbrps, organizations } = catalog.versions
  const version = buckets + dbrps + organizations
  const known = remembered.get(catalog)
  if (known?.version === version) return known
  const fresh = {
    version,
    byOrganization: new Map(),
    whole: new Map(),
    firstOrganization: undefined,
  }
  remembered.set(catalog, fresh)
  return fresh
}

/** As it is inside a transaction. */
export async function readDirectory(catalog: Catalog, orgId: string): Promise<DatabaseDirectory> {
  const filter = { orgId, userBuckets: 'all', systemBuckets: true } as const
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
