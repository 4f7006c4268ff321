// A version per kind of resource: it rises with every change of such a resource, in the transaction that makes the
// change, and every process that opens the catalog reads the same ones. Whoever caches something remembers the sum of
// the versions it was made from, taken before it was read, and makes it again when the sum is another: versions never
// fall. Triggers count the changes (see `dialect.ts`), so that no way of changing a row can forget it.

import type { CatalogTables, VersionRow } from './tables.js'

/** By table, or by `kind` for those in the table of records: which version its rows raise. */
const versionOf = {
  organizations: 'organizations',
  users: 'users',
  tokens: 'tokens',
  legacy_tokens: 'tokens',
  memberships: 'memberships',
  limits: 'limits',
  secrets: 'secrets',
  buckets: 'buckets',
  dbrps: 'dbrps',
  label_mappings: 'labels',
  store_retired: 'store-measurements',
  store_generations: 'store-measurements',
  store_replicas: 'store-replicas',
  label: 'labels',
  'database-token': 'tokens',
  'signing-key': 'tokens',
  database: 'dbrps',
  'retention-policy': 'dbrps',
  'database-limits': 'dbrps',
  'measurement-schema': 'measurement-schemas',
  table: 'tables',
  'last-cache': 'value-caches',
  'distinct-cache': 'value-caches',
  'continuous-query': 'continuous-queries',
  subscription: 'subscriptions',
  source: 'sources',
  variable: 'variables',
  dashboard: 'dashboards',
  telegraf: 'telegrafs',
  task: 'tasks',
  script: 'scripts',
  check: 'checks',
  'notification-endpoint': 'notification-endpoints',
  'notification-rule': 'notification-rules',
  silence: 'silences',
  stack: 'stacks',
  remote: 'remotes',
  replication: 'replications',
  scraper: 'scrapers',
} as const

export type VersionKind = (typeof versionOf)[keyof typeof versionOf]

/** Persisted in the table of records: never change one. */
export type StoredKind = Exclude<keyof typeof versionOf, keyof CatalogTables>

/** As this process last read them: a look costs no statement. */
export type Versions = Readonly<Record<VersionKind, number>>

export function newVersions(): Record<VersionKind, number> {
  const kinds = Object.values(versionOf).map((kind) => [kind, 0])
  return Object.fromEntries(kinds)
}

/** Brings the versions up to date and answers with those that rose. */
export function raiseVersions(
  versions: Record<VersionKind, number>,
  rows: readonly VersionRow[],
): VersionKind[] {
  const read = newVersions()
  for (const { kind, version } of rows) {
    if (Object.hasOwn(versionOf, kind))
      read[versionOf[kind as keyof typeof versionOf]] += Number(version)
  }
  const kinds = Object.keys(read) as VersionKind[]
  // Of two that read at once, the later may have been answered first.
  const risen = kinds.filter((kind) => read[kind] > versions[kind])
  for (const kind of risen) versions[kind] = read[kind]
  return risen
}
