// Checks, rules, endpoints and silences: what is watched, what of it is told, where, and what is
// kept quiet for a while. All four are lists of definitions with the same calls.

import { useQuery } from '@tanstack/react-query'
import { request, requestJson } from './http.js'

export type Level = 'OK' | 'INFO' | 'WARN' | 'CRIT' | 'UNKNOWN'
export type Status = 'active' | 'inactive'

interface Definition {
  readonly id: string
  readonly orgID: string
  readonly name: string
  readonly description?: string
  readonly status: Status
  readonly lastRunStatus?: 'success' | 'failed' | 'canceled'
  readonly lastRunError?: string
  readonly latestCompleted?: string
}

export interface Threshold {
  readonly type: 'greater' | 'lesser' | 'range'
  readonly level: Level
  readonly value?: number
  readonly min?: number
  readonly max?: number
  readonly within?: boolean
}

export interface Check extends Definition {
  readonly type: 'threshold' | 'deadman' | 'custom'
  readonly query: { readonly text?: string }
  readonly every?: string
  readonly offset?: string
  readonly statusMessageTemplate?: string
  readonly thresholds?: readonly Threshold[]
  readonly timeSince?: string
  readonly level?: Level
  readonly for?: string
  readonly keepFor?: string
}

export interface StatusRule {
  readonly currentLevel?: Level | 'ANY'
  readonly previousLevel?: Level | 'ANY'
}

export interface TagRule {
  readonly key: string
  readonly value: string
  readonly operator?: string
}

export interface Rule extends Definition {
  readonly type: string
  readonly endpointID: string
  readonly every?: string
  readonly statusRules?: readonly StatusRule[]
  readonly tagRules?: readonly TagRule[]
  readonly messageTemplate?: string
  readonly subjectTemplate?: string
  readonly bodyTemplate?: string
  readonly channel?: string
  readonly to?: string
  readonly sendResolved?: boolean
  readonly repeatEvery?: string
  readonly groupBy?: readonly string[]
  readonly limit?: number
  readonly limitEvery?: number
}

export interface Endpoint extends Definition {
  readonly type: string
  readonly url?: string
  readonly [field: string]: unknown
}

export interface Matcher {
  readonly name: string
  readonly value: string
  readonly isRegex?: boolean
  readonly isEqual?: boolean
}

export interface Silence {
  readonly id: string
  readonly matchers: readonly Matcher[]
  readonly startsAt: string
  readonly endsAt: string
  readonly comment: string
  readonly status: 'pending' | 'active' | 'expired'
}

interface Kinds {
  readonly checks: Check
  readonly notificationRules: Rule
  readonly notificationEndpoints: Endpoint
  readonly silences: Silence
}

export type Kind = keyof Kinds

/** A page reaches this far; with more of them the list says so. */
export const definitionsMax = 100

export function useDefinitions<K extends Kind>(kind: K, orgID: string) {
  return useQuery({
    queryKey: [kind, orgID],
    queryFn: async () => {
      const query = { orgID, limit: definitionsMax }
      return (await requestJson<Record<K, Kinds[K][]>>(`api/v2/${kind}`, { query }))[kind]
    },
  })
}

export function useDefinition<K extends Kind>(kind: K, id: string) {
  return useQuery({
    queryKey: [kind, 'one', id],
    queryFn: () => requestJson<Kinds[K]>(`api/v2/${kind}/${id}`),
  })
}

/** A whole definition, in the place of the one before if there was one. */
export function saveDefinition<K extends Kind>(
  kind: K,
  id: string | undefined,
  json: object,
): Promise<Kinds[K]> {
  if (id === undefined) return requestJson(`api/v2/${kind}`, { json })
  return requestJson(`api/v2/${kind}/${id}`, { method: 'PUT', json })
}

export async function switchDefinition(kind: Kind, id: string, status: Status): Promise<void> {
  await request(`api/v2/${kind}/${id}`, { method: 'PATCH', json: { status } })
}

export async function deleteDefinition(kind: Kind, id: string): Promise<void> {
  await request(`api/v2/${kind}/${id}`, { method: 'DELETE' })
}

/** One message now. */
export function sendTest(id: string): Promise<{ readonly sent: boolean; readonly error?: string }> {
  return requestJson(`api/v2/notificationEndpoints/${id}/test`, { json: {} })
}

export interface TestedStatus {
  readonly time: string
  readonly level: string
  readonly message: string
  readonly tags: Readonly<Record<string, string>>
}

export interface CheckTest {
  readonly runs: number
  readonly statuses: readonly TestedStatus[]
  readonly errors: readonly { readonly time: string; readonly error: string }[]
}

export function testCheck(id: string, start: string): Promise<CheckTest> {
  return requestJson(`api/v2/checks/${id}/test`, { json: { start } })
}
