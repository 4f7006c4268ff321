// What an organization keeps beside its data: variables, labels, secrets, scripts, names of databases for v1, and
// configurations of agents. Lists, making, changing and deleting.

import { useQuery } from '@tanstack/react-query'
import { request, requestJson } from './http.js'

export type VariableArguments =
  | { readonly type: 'constant'; readonly values: readonly string[] }
  | { readonly type: 'map'; readonly values: Readonly<Record<string, string>> }
  | {
      readonly type: 'query'
      readonly values: { readonly query: string; readonly language: string }
    }

export interface Variable {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly arguments: VariableArguments
}

export interface Label {
  readonly id: string
  readonly name: string
  readonly properties?: { readonly color?: string; readonly description?: string }
}

export interface Script {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly script: string
  readonly language: 'flux' | 'influxql' | 'sql'
}

export interface Mapping {
  readonly id: string
  readonly database: string
  readonly retention_policy: string
  readonly bucketID: string
  readonly default: boolean
  readonly virtual?: boolean
}

export interface Telegraf {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly config: string
}

interface Kinds {
  readonly variables: Variable
  readonly labels: Label
  readonly scripts: Script
  readonly dbrps: Mapping
  readonly telegrafs: Telegraf
}

export type SettingKind = keyof Kinds

/** Where the list stands in the answer, if not under the kind's own name. */
const listNames: Partial<Record<SettingKind, string>> = {
  dbrps: 'content',
  telegrafs: 'configurations',
}

export function useSettings<K extends SettingKind>(kind: K, orgID: string) {
  return useQuery({
    queryKey: [kind, orgID],
    queryFn: async () => {
      const answer = await requestJson<Record<string, Kinds[K][]>>(`api/v2/${kind}`, {
        query: { orgID },
      })
      return answer[listNames[kind] ?? kind] ?? []
    },
  })
}

/** `method` of a change: some kinds want all of it, others what is new. */
export async function saveSetting(
  kind: SettingKind,
  id: string | undefined,
  json: object,
  method: 'PATCH' | 'PUT' = 'PATCH',
): Promise<void> {
  if (id === undefined) await request(`api/v2/${kind}`, { json })
  else await request(`api/v2/${kind}/${id}`, { method, json })
}

export async function deleteSetting(kind: SettingKind, id: string, orgID: string): Promise<void> {
  await request(`api/v2/${kind}/${id}`, {
    method: 'DELETE',
    query: kind === 'dbrps' ? { orgID } : {},
  })
}

export function useSecrets(orgId: string) {
  return useQuery({
    queryKey: ['secrets', orgId],
    queryFn: async () =>
      (await requestJson<{ secrets: string[] }>(`api/v2/orgs/${orgId}/secrets`)).secrets,
  })
}

export async function putSecret(orgId: string, key: string, value: string): Promise<void> {
  await request(`api/v2/orgs/${orgId}/secrets`, { method: 'PATCH', json: { [key]: value } })
}

export async function deleteSecret(orgId: string, key: string): Promise<void> {
  await request(`api/v2/orgs/${orgId}/secrets/${encodeURIComponent(key)}`, { method: 'DELETE' })
}
