// Databases and database tokens of the cluster variant, for whoever has the admin token. Reading what lies in a
// database is `buckets.ts`: the service keeps them as such.

import { useQuery } from '@tanstack/react-query'
import { request, requestJson } from './http.js'

const databasePath = 'api/v3/configure/database'
const tokenPath = 'api/v3/configure/token'

function retentionPeriod(seconds: number): string {
  return seconds === 0 ? 'none' : `${seconds}s`
}

export async function createDatabase(db: string, keptSeconds: number): Promise<void> {
  await request(databasePath, { json: { db, retention_period: retentionPeriod(keptSeconds) } })
}

export async function changeDatabase(db: string, keptSeconds: number): Promise<void> {
  const json = { db, retention_period: retentionPeriod(keptSeconds) }
  await request(databasePath, { method: 'PUT', json })
}

export async function deleteDatabase(db: string): Promise<void> {
  await request(databasePath, { method: 'DELETE', query: { db } })
}

export interface DatabaseToken {
  readonly id: string
  readonly name: string
  readonly permissions: readonly {
    readonly resource_type: string
    readonly resource_names: readonly string[]
    readonly actions: readonly string[]
  }[]
  readonly created_at: string
  readonly expiry: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
}

export function useDatabaseTokens() {
  return useQuery({
    queryKey: ['database-tokens'],
    queryFn: () => requestJson<DatabaseToken[]>(tokenPath),
  })
}

export interface DatabaseTokenInput {
  readonly name: string
  /** `*`: every database. */
  readonly databases: readonly string[]
  readonly actions: readonly ('read' | 'write')[]
  /** Absent: for ever. */
  readonly seconds?: number
}

export async function createDatabaseToken(input: DatabaseTokenInput): Promise<string> {
  const { name, databases, actions, seconds } = input
  const json = {
    token_name: name,
    permissions: [{ resource_type: 'db', resource_names: databases, actions }],
    ...(seconds === undefined ? {} : { expiry_secs: seconds }),
  }
  return (await requestJson<{ token: string }>(tokenPath, { json })).token
}

export async function revokeDatabaseToken(id: string): Promise<void> {
  await request(tokenPath, { method: 'DELETE', query: { id } })
}
