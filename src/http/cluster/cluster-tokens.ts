// `/api/v3/configure/token`: database tokens of the cluster variant, given out, listed and revoked by
// whoever runs it. Bodies are those of InfluxDB 3's resource tokens, which are also found under its
// other path. A token is shown once, when it is made.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DatabaseToken, DatabaseTokenBody } from '../../catalog/accounts/database-tokens.js'
import { formatTimestamp } from '../../catalog/base/timestamps.js'
import { UserError } from '../../errors.js'
import { ClusterTokens } from '../../service/cluster/tokens.js'
import { parameter, parseTime } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import { requireOperator } from './cluster-access.js'
import { adminTokenJson, clusterAdminTokens, withLastUses } from './cluster-admin-tokens.js'

const path = '/api/v3/configure/token'
/** The second is the one of InfluxDB's other edition. */
export const tokenPaths = [path, '/api/v3/enterprise/configure/token']

const Action = Type.Union([Type.Literal('read'), Type.Literal('write')])

export const TokenCreate = Type.Object({
  token_name: Type.Optional(Type.String({ maxLength: 256 })),
  permissions: Type.Array(
    Type.Object({
      resource_type: Type.Literal('db'),
      /** Names of databases; `*` for all of them. InfluxDB's pages and its server have a name each for it. */
      resource_names: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
      resource_identifier: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
      actions: Type.Array(Action, { minItems: 1 }),
    }),
    { minItems: 1 },
  ),
  /** How long the token is good for, or until when; neither: for ever. */
  expiry_secs: Type.Optional(Type.Integer({ minimum: 1 })),
  expires_at: Type.Optional(Type.String()),
})

export type TokenRequest = Static<typeof TokenCreate>

export function clusterTokenRoutes(app: FastifyInstance, services: Services): void {
  const tokens = new ClusterTokens(services)
  const admins = clusterAdminTokens(services)
  requireOperator(app, services)

  for (const url of tokenPaths) {
    app.post<{ Body: TokenRequest }>(
      url,
      { schema: { body: TokenCreate } },
      async ({ body }, reply) => {
        const { record, token } = await tokens.create({
          name: body.token_name ?? '',
          permissions: permissionsOf(body),
          expiresAtSeconds: endOf(body, tokens.nowSeconds),
        })
        return reply.code(201).send({ ...tokenJson(record), token })
      },
    )
  }

  app.get(path, async () => [
    ...(await withLastUses(services, await tokens.list(), tokenJson)),
    ...(await withLastUses(services, await admins.list(), adminTokenJson)),
  ])

  app.delete(path, async (request) => {
    const named = parameter(request, 'id') ?? parameter(request, 'token_name')
    const admin = named === undefined ? undefined : await admins.revoke(named)
    if (admin !== undefined) return adminTokenJson(admin)
    return tokenJson(await tokens.revoke((listed) => chooseToken(listed, request)))
  })
}

/** Each database once. */
export function permissionsOf({ permissions }: TokenRequest): DatabaseTokenBody['permissions'] {
  const byDatabase = new Map<string, Set<'read' | 'write'>>()
  for (const { resource_names: named, resource_identifier: identified, actions } of permissions) {
    const names = named ?? identified
    if (names === undefined) {
      throw new UserError('invalid', 'a permission must have resource_names')
    }
    for (const name of names) {
      byDatabase.set(name, new Set([...(byDatabase.get(name) ?? []), ...actions]))
    }
  }
  return Array.from(byDatabase, ([database, actions]) => ({
    database,
    actions: Array.from(actions).sort(),
  }))
}

/** Beyond it a moment cannot be written as RFC3339. */
const endSecondsMax = 253_402_300_799

function endOf(asked: TokenRequest, nowSeconds: number): number | undefined {
  const { expiry_secs: seconds, expires_at: moment } = asked
  if (seconds !== undefined && moment !== undefined) {
    throw new UserError('invalid', 'expiry_secs and expires_at cannot both be given')
  }
  if (seconds === undefined && moment === undefined) return undefined
  const end =
    moment === undefined
      ? nowSeconds + (seconds ?? 0)
      : Number(parseTime('expires_at', moment) / 1_000_000_000n)
  if (end <= nowSeconds) throw new UserError('invalid', 'the token would have ended already')
  if (end > endSecondsMax) throw new UserError('invalid', 'the token would end after the year 9999')
  return end
}

function chooseToken(tokens: readonly DatabaseToken[], request: FastifyRequest): DatabaseToken {
  const id = parameter(request, 'id')
  const name = parameter(request, 'token_name')
  if (id === undefined && name === undefined) {
    throw new UserError('invalid', 'id or token_name is required')
  }
  if (id !== undefined) {
    const found = tokens.find((token) => token.id === id)
    if (found === undefined) throw new UserError('not found', `token not found: ${id}`)
    return found
  }
  const named = tokens.filter((token) => token.name === name && token.body.revokedAt === undefined)
  if (named.length === 0) throw new UserError('not found', `token not found: ${name}`)
  if (named.length === 1) return named[0]
  throw new UserError('invalid', `${named.length} tokens are called "${name}": give the id of one`)
}

function tokenJson({ id, name, body, createdAt }: DatabaseToken): object {
  const { expiresAtSeconds, revokedAt } = body
  const expiresAt =
    expiresAtSeconds === undefined
      ? null
      : formatTimestamp(BigInt(expiresAtSeconds) * 1_000_000_000n)
  return {
    id,
    name,
    permissions: body.permissions.map(({ database, actions }) => ({
      resource_type: 'db',
      resource_names: [database],
      actions,
    })),
    created_at: createdAt,
    /** null: never. */
    expiry: expiresAt,
    revoked_at: revokedAt ?? null,
  }
}
