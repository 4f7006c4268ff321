// API tokens: what they may do, switching them off and on, deleting them. The text of one comes with the answer that
// made it and never again.

import { useQuery } from '@tanstack/react-query'
import type { Permission } from './accounts.js'
import { request, requestJson } from './http.js'

export interface Token {
  readonly id: string
  readonly description: string
  readonly status: 'active' | 'inactive'
  readonly user?: string
  readonly createdAt?: string
  /** To the minute; absent: never. */
  readonly lastUsedAt?: string
  readonly permissions: readonly Permission[]
}

export async function tokens(orgID: string): Promise<Token[]> {
  const query = { orgID }
  const { authorizations } = await requestJson<{ authorizations: Token[] }>(
    'api/v2/authorizations',
    { query },
  )
  return authorizations
}

export function useTokens(orgID: string) {
  return useQuery({ queryKey: ['tokens', orgID], queryFn: () => tokens(orgID) })
}

export interface TokenInput {
  readonly description: string
  readonly permissions: readonly Permission[]
}

/** With its text, this once. */
export function createToken(
  orgID: string,
  input: TokenInput,
): Promise<Token & { readonly token: string }> {
  return requestJson('api/v2/authorizations', { json: { orgID, ...input } })
}

export async function switchToken(id: string, status: Token['status']): Promise<void> {
  await request(`api/v2/authorizations/${id}`, { method: 'PATCH', json: { status } })
}

export async function deleteToken(id: string): Promise<void> {
  await request(`api/v2/authorizations/${id}`, { method: 'DELETE' })
}
