// Variables of an organization: named values that queries of dashboards use. Their values are a list, a map of names
// to values, or what a query answers.

import { useQuery } from '@tanstack/react-query'
import { sortedByName } from './by-name.js'
import { request, requestJson } from './http.js'
import type { Variable, VariableInput } from './variable-types.js'

export type { Variable, VariableArguments, VariableInput } from './variable-types.js'

export function variablesQuery(orgID: string) {
  return { queryKey: ['variables', orgID], queryFn: () => variables(orgID) }
}

export function useVariables(orgID: string) {
  return useQuery(variablesQuery(orgID))
}

export async function variables(orgID: string): Promise<Variable[]> {
  const query = { orgID }
  const found = await requestJson<{ variables: Variable[] }>('api/v2/variables', { query })
  return sortedByName(found.variables)
}

export function createVariable(orgID: string, input: VariableInput): Promise<Variable> {
  return requestJson('api/v2/variables', { json: { orgID, ...input } })
}

export function replaceVariable(
  id: string,
  orgID: string,
  input: VariableInput,
): Promise<Variable> {
  return requestJson(`api/v2/variables/${id}`, { method: 'PUT', json: { orgID, ...input } })
}

export async function deleteVariable(id: string): Promise<void> {
  await request(`api/v2/variables/${id}`, { method: 'DELETE' })
}
