// Rows of the access table as requests and permissions: what stands for ids replaced by them.

import { type Permission, resourceTypes } from '../../src/access/permissions.js'
import type { Row } from './access-table.js'

/** By the plural of what they are ids of. */
export type Ids = Readonly<Record<string, string>>

/** Whose ids stand where. What is not given takes those of the path. */
export interface IdsOfRequest {
  readonly path: Ids
  readonly query?: Ids
  readonly body?: Ids
}

export function withIds(text: string, ids: Ids): string {
  return text.replace(/\{(\w+)\}/g, (whole, name) => ids[name] ?? whole)
}

export function requestOf(
  area: string,
  row: Row,
  ids: IdsOfRequest,
): { readonly method: string; readonly target: string; readonly body: { body?: string } } {
  const [method, path] = row.endpoint.split(' ')
  const query = withIds(row.query ?? '', ids.query ?? ids.path)
  const text = typeof row.body === 'string' ? row.body : JSON.stringify(row.body)
  return {
    method,
    target: withIds(path, pathIds(area, row, ids.path)) + query,
    body: text === undefined ? {} : { body: withIds(text, ids.body ?? ids.path) },
  }
}

/** Its errors have `error` besides. */
export function isV1({ endpoint }: Row): boolean {
  return / \/(write|query|api\/v1\/prom\/\w+)$/.test(endpoint)
}

/** Its errors are `{error, data}`. */
export function isV3({ endpoint }: Row): boolean {
  return / \/api\/v3\/(write|query)_/.test(endpoint)
}

/** In paths ids go by other names than their resources. */
function pathIds(area: string, row: Row, ids: Ids): Ids {
  return {
    id: row.id ?? ids[area],
    labelID: ids.labels,
    userID: ids.users,
    cellID: ids.cells,
    runID: ids.runs,
    backfillID: ids.backfills,
    measurementID: ids.measurements,
    secretID: 'l',
    name: 'limit',
  }
}

/** As the contract names permissions, in an organization. */
export function permissionOf(name: string, orgId: string): Permission {
  const [action, type, id] = name.split('-') as [Permission['action'], never, string | undefined]
  if (id === '*') return { action, resource: { type } }
  if (id !== undefined) return { action, resource: { type, id } }
  return { action, resource: type === 'orgs' ? { type, id: orgId } : { type, orgID: orgId } }
}

/** What an owner of the organization has. */
export function everythingIn(orgId: string): Permission[] {
  const types = resourceTypes.filter((type) => type !== 'instance')
  return types.flatMap((type) =>
    ['read', 'write'].map((action) => permissionOf(`${action}-${type}`, orgId)),
  )
}
