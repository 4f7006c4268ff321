// `/api/v3/configure/database`: databases of the cluster variant, made, listed, changed and deleted by
// whoever runs it. Paths, parameters and the names in bodies are those of InfluxDB 3; answers say a
// little more.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseDuration } from '../../catalog/base/durations.js'
import { wholeList } from '../../catalog/base/page.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { UserError } from '../../errors.js'
import { clusterDatabaseName } from '../../service/targets/cluster-names.js'
import { parameter } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import { homeOrganization, requireOperator } from './cluster-access.js'

const path = '/api/v3/configure/database'

const DatabaseCreate = Type.Object({
  db: Type.String(),
  retention_period: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})

const DatabaseUpdate = Type.Object({
  db: Type.String(),
  retention_period: Type.Union([Type.String(), Type.Null()]),
})

export function clusterDatabaseRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  const orgId = homeOrganization(services)
  requireOperator(app, services)

  app.get(path, async (request) => {
    requireJson(request)
    const filter = { orgId, userBuckets: 'all', systemBuckets: false } as const
    const databases = await catalog.buckets.list(filter, wholeList)
    return databases.map(databaseJson)
  })

  app.post<{ Body: Static<typeof DatabaseCreate> }>(
    path,
    { schema: { body: DatabaseCreate } },
    async (request, reply) => {
      const name = clusterDatabaseName(request.body.db, undefined)
      const retentionSeconds = retentionOf(request.body.retention_period)
      const made = await catalog.inTransaction(async (inside) => {
        if ((await inside.buckets.findByName(orgId, name)) !== undefined) {
          throw new UserError('conflict', `database "${name}" already exists`, 409)
        }
        return inside.buckets.create({ orgId, name, retentionSeconds })
      })
      return reply.code(201).send(databaseJson(made))
    },
  )

  app.put<{ Body: Static<typeof DatabaseUpdate> }>(
    path,
    { schema: { body: DatabaseUpdate } },
    async ({ body }) => {
      const retentionSeconds = retentionOf(body.retention_period)
      return databaseJson(await setRetention(catalog, orgId, body.db, retentionSeconds))
    },
  )

  app.delete(path, async (request) => {
    const name = requireName(request)
    const gone = await catalog.inTransaction(async (inside) => {
      const database = await requireDatabase(inside, orgId, name)
      await inside.buckets.delete(database.id)
      await inside.databases.forget(orgId, name)
      await inside.continuousQueries.deleteOfDatabase(orgId, name)
      await inside.subscriptions.deleteOfDatabase(orgId, name)
      return database
    })
    return databaseJson(gone)
  })

  app.delete(`${path}/retention_period`, async (request) =>
    databaseJson(await setRetention(catalog, orgId, requireName(request), 0)),
  )
}

function requireJson(request: FastifyRequest): void {
  const format = parameter(request, 'format') ?? 'json'
  if (format === 'json') return
  throw new UserError('invalid', `format "${format}" is not known here: use json`)
}

function requireName(request: FastifyRequest): string {
  const name = parameter(request, 'db')
  if (name === undefined) throw new UserError('invalid', 'db is required')
  return name
}

async function requireDatabase(inside: Catalog, orgId: string, name: string): Promise<Bucket> {
  const database = await inside.buckets.findByName(orgId, name)
  if (database?.type === 'user') return database
  throw new UserError('not found', `database not found: ${name}`)
}

function setRetention(
  catalog: Catalog,
  orgId: string,
  name: string,
  retentionSeconds: number,
): Promise<Bucket> {
  return catalog.inTransaction(async (inside) => {
    const { id } = await requireDatabase(inside, orgId, name)
    return inside.buckets.update(id, { retentionSeconds })
  })
}

const daySeconds = 86_400
/** As InfluxDB has it, for databases and for retention policies. */
const retentionSecondsMin = 3600

/** `30d`, `1h30m`; a month has 30 days and a year 365. Absent or `none`: for ever, which is 0. */
function retentionOf(text: string | null | undefined): number {
  if (text === undefined || text === null || /^(none|inf|infinite)$/i.test(text)) return 0
  const duration = parseDuration(text)
  if (duration === undefined) {
    throw new UserError('invalid', `retention_period "${text}" is no duration, such as 30d or none`)
  }
  const { months, ns } = duration
  const days = Math.trunc(months / 12) * 365 + (months % 12) * 30
  const seconds = days * daySeconds + Number(ns) / 1e9
  if (!Number.isSafeInteger(seconds) || seconds < retentionSecondsMin) {
    const rule = 'must be whole seconds, and at least an hour'
    throw new UserError('invalid', `retention_period "${text}" ${rule}`)
  }
  return seconds
}

function databaseJson(database: Bucket): object {
  const { id, name, retentionSeconds, createdAt } = database
  return {
    'iox::database': name,
    id,
    /** null: for ever. */
    retention_period: retentionSeconds === 0 ? null : retentionText(retentionSeconds),
    created_at: createdAt,
  }
}

const units: readonly (readonly [name: string, seconds: number])[] = [
  ['d', daySeconds],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
]

/** In the largest unit that leaves nothing over. */
function retentionText(seconds: number): string {
  const [name, size] = units.find((unit) => seconds % unit[1] === 0) ?? ['s', 1]
  return `${seconds / size}${name}`
}
