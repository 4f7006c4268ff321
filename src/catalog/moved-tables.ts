// All resources of one catalog into another that has none, whichever databases they are in: row by row, in one
// transaction. Ids, hashes of tokens and passwords, and moments stay as they are. What belongs to processes or to a
// store, and not to the installation, stays behind.

import type { Kysely, Transaction } from 'kysely'
import type { CatalogTables } from './base/tables.js'

/** A table that is not named here does not compile. */
const isMoved: Readonly<Record<keyof CatalogTables, boolean>> = {
  organizations: true,
  users: true,
  buckets: true,
  tokens: true,
  dbrps: true,
  records: true,
  label_mappings: true,
  memberships: true,
  legacy_tokens: true,
  sessions: true,
  secrets: true,
  limits: true,
  task_runs: true,
  task_states: true,
  backfills: true,
  late_marks: true,
  rule_states: true,
  outbox: true,
  usage_hours: true,
  token_uses: true,
  // Counted by triggers as the rows come.
  versions: false,
  // Of processes.
  nodes: false,
  node_questions: false,
  node_answers: false,
  task_runners: false,
  rate_credits: false,
  // Of the store that the points were in.
  bucket_drops: false,
  store_measurements: false,
  store_spans: false,
  store_generations: false,
  store_emptied: false,
  store_retired: false,
  store_leases: false,
  store_replicas: false,
  store_facts: false,
}

/** Rows of one statement. */
const rowsMax = 200

/** What there is goes first: it came from an earlier state of the same catalog, or there is nothing. */
export async function moveTables(
  from: Kysely<CatalogTables>,
  to: Transaction<CatalogTables>,
): Promise<void> {
  const tables = (Object.keys(isMoved) as (keyof CatalogTables)[]).filter((name) => isMoved[name])
  for (const table of [...tables].reverse()) await to.deleteFrom(table).execute()
  for (const table of tables) {
    const rows = await from.selectFrom(table).selectAll().execute()
    for (let at = 0; at < rows.length; at += rowsMax) {
      // Rows of this very table: what the types of all tables have in common says less.
      const values = rows.slice(at, at + rowsMax) as never
      await to.insertInto(table).values(values).execute()
    }
  }
}
