// Who gets in, for one endpoint of a resource: every kind of credential against it, and what each
// refusal says. Resources bring their endpoints as a table.

import { expect } from 'vitest'
import type { Permission, ResourceType } from '../../src/access/permissions.js'
import { hashToken } from '../../src/access/tokens.js'
import { type Answer, type Installation, send } from './harness.js'

export interface Guarded {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `:id` stands for the resource's id, `:org` for its organization's. */
  readonly path: string
  readonly body?: unknown
  /** With a good credential. */
  readonly status: number
}

export async function checkGuards(
  place: Installation,
  type: ResourceType,
  id: string,
  endpoint: Guarded,
): Promise<void> {
  const path = endpoint.path.replace(':id', id).replace(':org', place.orgId)
  const call = (authorization: string | undefined): Promise<Answer> =>
    send(`${place.url}${path}`, {
      method: endpoint.method,
      headers: authorization === undefined ? {} : { authorization },
      ...(endpoint.body === undefined ? {} : { body: JSON.stringify(endpoint.body) }),
    })
  const action = endpoint.method === 'GET' ? 'read' : 'write'
  const good: Permission[] = [{ action, resource: { type, orgID: place.orgId } }]

  for (const authorization of [undefined, 'Token', 'Token wrong', 'Digest x']) {
    const answer = await call(authorization)
    expect([authorization, answer.status]).toEqual([authorization, 401])
    expect(answer.json).toEqual({ code: 'unauthorized', message: 'unauthorized access' })
  }

  const inactive = await place.addToken(good)
  const record = await place.server.catalog.tokens.findByHash(hashToken(inactive))
  await place.server.catalog.tokens.setStatus(record?.id ?? '', 'inactive')
  expect((await call(`Token ${inactive}`)).status).toBe(401)

  const other = await otherOrganization(place)
  // For every organization this would be the permission of an operator, who gets in everywhere.
  const everywhere = type === 'orgs' ? { type, id: other } : { type }
  const foreign = await place.addToken([{ action, resource: everywhere }], other)
  const refused = await call(`Token ${foreign}`)
  // By its id a record is out of reach; an organization that is named does not own the token.
  expect(refused.status).toBe(endpoint.path.includes(':id') ? 401 : 400)

  const below = type === 'orgs' ? '' : `/${type}(/[0-9a-f]{16})?`
  const opposite = action === 'read' ? 'write' : 'read'
  for (const resource of [{ type: 'scrapers' }, { type, orgID: other }] as const) {
    const answer = await call(`Token ${await place.addToken([{ action, resource }])}`)
    expect(answer.status).toBe(401)
    expect(answer.json.message).toMatch(
      new RegExp(`^${action}:orgs/${place.orgId}${below} is unauthorized$`),
    )
  }
  const wrongAction = await place.addToken([{ action: opposite, resource: { type } }])
  expect((await call(`Token ${wrongAction}`)).status).toBe(401)

  const answer = await call(`Token ${await place.addToken(good)}`)
  expect([answer.status, answer.text]).toEqual([endpoint.status, answer.text])
}

async function otherOrganization(place: Installation): Promise<string> {
  const { catalog } = place.server
  const known = await catalog.organizations.findByName('other')
  if (known !== undefined) return known.id
  const made = await catalog.inTransaction((inside) =>
    inside.organizations.create({ name: 'other' }),
  )
  return made.id
}

/** Sends JSON with the operator's token. */
export function caller(place: Installation) {
  return (method: string, path: string, body?: unknown): Promise<Answer> =>
    send(`${place.url}${path}`, {
      method,
      token: place.token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}
