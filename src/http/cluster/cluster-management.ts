// `/api/v0/accounts/{account}/clusters/{cluster}/…`: databases and database tokens as the management interface of the
// v3 cluster products has them, for the admin token. There is one cluster: the two ids are not looked at, and told as
// they were sent.

import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { DatabaseToken } from '../../catalog/accounts/database-tokens.js'
import { formatTimestamp } from '../../catalog/base/timestamps.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { DatabaseLimits } from '../../catalog/storage/databases.js'
import { UserError } from '../../errors.js'
import { ClusterDatabases } from '../../service/cluster/databases.js'
import { ClusterTokens } from '../../service/cluster/tokens.js'
import { parseTime } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import { requireOperator } from './cluster-access.js'

const path = '/api/v0/accounts/:account/clusters/:cluster'

interface ClusterParams {
  readonly account: string
  readonly cluster: string
}

type Route = { Params: ClusterParams }
type NameRoute = { Params: ClusterParams & { readonly name: string } }
type IdRoute = { Params: ClusterParams & { readonly id: string } }

const nsPerSecond = 1_000_000_000

/** Nanoseconds; 0: for ever, as where it is absent from what is made. */
const RetentionPeriod = Type.Optional(Type.Integer({ minimum: 0 }))

const Count = Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }))
const counts = { maxTables: Count, maxColumnsPerTable: Count }

const DatabaseCreate = Type.Object({
  name: Type.String(),
  retentionPeriod: RetentionPeriod,
  ...counts,
})
const DatabaseUpdate = Type.Object({ retentionPeriod: RetentionPeriod, ...counts })

const Description = Type.String({ maxLength: 256 })

const Permissions = Type.Array(
  Type.Object({
    action: Type.Union([Type.Literal('read'), Type.Literal('write')]),
    /** The name of a database, or `*` for all. */
    resource: Type.String(),
  }),
  { minItems: 1 },
)

const TokenCreate = Type.Object({
  description: Description,
  permissions: Permissions,
  expiresAt: Type.Optional(Type.String()),
})

const TokenUpdate = Type.Object({
  description: Type.Optional(Description),
  permissions: Type.Optional(Permissions),
})

export function clusterManagementRoutes(app: FastifyInstance, services: Services): void {
  requireOperator(app, services)
  databaseRoutes(app, services)
  tokenRoutes(app, services)
}

function databaseRoutes(app: FastifyInstance, services: Services): void {
  const databases = new ClusterDatabases(services)
  const url = `${path}/databases`

  app.get<Route>(url, async ({ params }) => {
    const limits = await databases.limits()
    return (await databases.list()).map((each) => databaseJson(params, each, limits.get(each.id)))
  })

  app.post<Route & { Body: Static<typeof DatabaseCreate> }>(
    url,
    { schema: { body: DatabaseCreate } },
    async ({ params, body }) => {
      const { name, retentionPeriod, maxTables, maxColumnsPerTable } = body
      const limits = hasLimits(body) ? { maxTables, maxColumnsPerTable } : undefined
      const made = await databases.create(name, secondsOf(retentionPeriod), limits)
      return databaseJson(params, made, limits)
    },
  )

  app.patch<NameRoute & { Body: Static<typeof DatabaseUpdate> }>(
    `${url}/:name`,
    { schema: { body: DatabaseUpdate } },
    async ({ params, body }) => {
      const { retentionPeriod } = body
      const database =
        retentionPeriod === undefined
          ? await databases.require(params.name)
          : await databases.setRetention(params.name, secondsOf(retentionPeriod))
      if (hasLimits(body)) await databases.limit(params.name, body)
      return databaseJson(params, database, (await databases.limits()).get(database.id))
    },
  )

  app.delete<NameRoute>(`${url}/:name`, async ({ params }, reply) => {
    await databases.drop(params.name)
    return reply.code(204).send()
  })
}

function tokenRoutes(app: FastifyInstance, services: Services): void {
  const tokens = new ClusterTokens(services)
  const url = `${path}/tokens`
  const active = async () =>
    (await tokens.list()).filter(({ body }) => body.revokedAt === undefined)

  app.get<Route>(url, async ({ params }) =>
    (await active()).map((token) => tokenJson(params, token)),
  )

  app.post<Route & { Body: Static<typeof TokenCreate> }>(
    url,
    { schema: { body: TokenCreate } },
    async ({ params, body }) => {
      const { description, permissions, expiresAt } = body
      const { record, token } = await tokens.create({
        name: description,
        permissions: byDatabase(permissions),
        expiresAtSeconds: endOf(expiresAt, tokens.nowSeconds),
      })
      return { ...tokenJson(params, record), accessToken: token }
    },
  )

  app.get<IdRoute>(`${url}/:id`, async ({ params }) =>
    tokenJson(params, requireToken(await active(), params.id)),
  )

  app.patch<IdRoute & { Body: Static<typeof TokenUpdate> }>(
    `${url}/:id`,
    { schema: { body: TokenUpdate } },
    async ({ params, body }) => {
      const token = requireToken(await active(), params.id)
      const { description = token.name, permissions } = body
      requireSamePermissions(token, permissions)
      return tokenJson(
        params,
        await tokens.rename((all) => requireToken(all, params.id), description),
      )
    },
  )

  app.delete<IdRoute>(`${url}/:id`, async ({ params }, reply) => {
    await tokens.revoke((all) => requireToken(all, params.id))
    return reply.code(204).send()
  })
}

function requireToken(tokens: readonly DatabaseToken[], id: string): DatabaseToken {
  const found = tokens.find((token) => token.id === id && token.body.revokedAt === undefined)
  if (found === undefined) throw new UserError('not found', `token not found: ${id}`)
  return found
}

/** A client that changes the description alone may send all that it knows. */
function requireSamePermissions(
  token: DatabaseToken,
  asked: Static<typeof Permissions> | undefined,
): void {
  if (asked === undefined) return
  const granted = (list: DatabaseToken['body']['permissions']) =>
    list.flatMap(({ database, actions }) => actions.map((action) => `${action} ${database}`)).sort()
  if (isDeepStrictEqual(granted(byDatabase(asked)), granted(token.body.permissions))) return
  throw new UserError('invalid', 'permissions of a token are fixed at creation: make another token')
}

/** A bucket knows whole seconds. */
function secondsOf(retentionNs: number | undefined): number {
  return Math.ceil((retentionNs ?? 0) / nsPerSecond)
}

function endOf(moment: string | undefined, nowSeconds: number): number | undefined {
  if (moment === undefined) return undefined
  const end = Number(parseTime('expiresAt', moment) / BigInt(nsPerSecond))
  if (end <= nowSeconds) throw new UserError('invalid', 'the token would have ended already')
  return end
}

function byDatabase(permissions: Static<typeof Permissions>) {
  const actions = new Map<string, Set<'read' | 'write'>>()
  for (const { action, resource } of permissions) {
    actions.set(resource, (actions.get(resource) ?? new Set()).add(action))
  }
  return Array.from(actions, ([database, granted]) => ({
    database,
    actions: Array.from(granted).sort(),
  }))
}

function hasLimits({ maxTables, maxColumnsPerTable }: DatabaseLimits): boolean {
  return maxTables !== undefined || maxColumnsPerTable !== undefined
}

function databaseJson(
  { account, cluster }: ClusterParams,
  database: Bucket,
  limits: DatabaseLimits | undefined,
): object {
  return {
    accountId: account,
    clusterId: cluster,
    name: database.name,
    ...limits,
    retentionPeriod: database.retentionSeconds * nsPerSecond,
  }
}

function tokenJson({ account, cluster }: ClusterParams, token: DatabaseToken): object {
  const { id, name, body, createdAt } = token
  const { permissions, expiresAtSeconds: end } = body
  return {
    accountId: account,
    clusterId: cluster,
    id,
    description: name,
    permissions: permissions.flatMap(({ database, actions }) =>
      actions.map((action) => ({ action, resource: database })),
    ),
    createdAt,
    ...(end === undefined ? {} : { expiresAt: formatTimestamp(BigInt(end) * BigInt(nsPerSecond)) }),
  }
}
