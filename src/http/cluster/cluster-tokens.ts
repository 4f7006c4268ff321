// `/api/v3/configure/token`: database tokens of the cluster variant, given out, listed and revoked by
// whoever runs it. Bodies are those of InfluxDB 3's resource tokens, which are also found under its
// other path. A token is shown once, when it is made.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { everyDatabase, signDatabaseToken } from '../../access/database-tokens.js'
import type { DatabaseToken, DatabaseTokenBody } from '../../catalog/accounts/database-tokens.js'
import { formatTimestamp } from '../../catalog/base/timestamps.js'
import { limits } from '../../config.js'
import { assert, UserError } from '../../errors.js'
import { parameter, parseTime } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import { homeOrganization, requireOperator } from './cluster-access.js'

const path = '/api/v3/configure/token'
const enterprisePath = '/api/v3/enterprise/configure/token'

const Action = Type.Union([Type.Literal('read'), Type.Literal('write')])

const TokenCreate = Type.Object({
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
  expiry_secs: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  expires_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})

type TokenRequest = Static<typeof TokenCreate>

export function clusterTokenRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  const orgId = homeOrganization(services)
  requireOperator(app, services)

  for (const url of [path, enterprisePath]) {
    app.post<{ Body: TokenRequest }>(
      url,
      { schema: { body: TokenCreate } },
      async (request, reply) => reply.code(201).send(await give(services, orgId, request.body)),
    )
  }

  app.get(path, async () => (await catalog.databaseTokens.list(orgId)).map(tokenJson))

  app.delete(path, async (request) => {
    const revoked = await catalog.inTransaction(async (inside) => {
      const tokens = await inside.databaseTokens.list(orgId)
      return inside.databaseTokens.revoke(chooseToken(tokens, request).id)
    })
    return tokenJson(revoked)
  })
}

async function give(services: Services, orgId: string, asked: TokenRequest): Promise<object> {
  const { catalog, clock, databaseTokenKey: key } = services
  assert(key !== undefined, 'the cluster variant has a key for its tokens')
  const nowSeconds = Number(clock.now() / 1_000_000_000n)
  const expiresAtSeconds = endOf(asked, nowSeconds)
  const permissions = permissionsOf(asked)
  return catalog.inTransaction(async (inside) => {
    for (const { database } of permissions) {
      const isKnown =
        database === everyDatabase || (await inside.buckets.findByName(orgId, database))
      if (!isKnown) throw new UserError('not found', `database not found: ${database}`)
    }
    const body = { permissions, ...(expiresAtSeconds === undefined ? {} : { expiresAtSeconds }) }
    const made = await inside.databaseTokens.create(orgId, asked.token_name ?? '', body)
    const claims = { id: made.id, issuedAtSeconds: nowSeconds, expiresAtSeconds, permissions }
    const token = await signDatabaseToken(key, claims)
    if (token.length > limits.tokenBytesMax) {
      const rule = `the token would have more than ${limits.tokenBytesMax} bytes`
      throw new UserError('invalid', `too many databases for one token: ${rule}`)
    }
    return { ...tokenJson(made), token }
  })
}

/** Each database once. */
function permissionsOf({ permissions }: TokenRequest): DatabaseTokenBody['permissions'] {
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
  const hasSeconds = seconds !== undefined && seconds !== null
  const hasMoment = moment !== undefined && moment !== null
  if (hasSeconds && hasMoment) {
    throw new UserError('invalid', 'expiry_secs and expires_at cannot both be given')
  }
  if (!hasSeconds && !hasMoment) return undefined
  const end = hasMoment
    ? Number(parseTime('expires_at', moment) / 1_000_000_000n)
    : nowSeconds + (seconds ?? 0)
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
