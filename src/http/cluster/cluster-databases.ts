// `/api/v3/configure/database`: databases of the cluster variant, made, listed, changed and deleted by
// whoever runs it. Paths, parameters and the names in bodies are those of InfluxDB 3; answers say a
// little more.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseDuration } from '../../catalog/base/durations.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { UserError } from '../../errors.js'
import { ClusterDatabases } from '../../service/cluster/databases.js'
import { parameter } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import { requireOperator } from './cluster-access.js'

const path = '/api/v3/configure/database'

const DatabaseCreate = Type.Object({
  db: Type.String(),
  retention_period: Type.Optional(Type.String()),
})

const DatabaseUpdate = Type.Object({
  db: Type.String(),
  retention_period: Type.String(),
})

export function clusterDatabaseRoutes(app: FastifyInstance, services: Services): void {
  const databases = new ClusterDatabases(services)
  requireOperator(app, services)

  app.get(path, async (request) => {
    requireJson(request)
    return (await databases.list()).map(databaseJson)
  })

  app.post<{ Body: Static<typeof DatabaseCreate> }>(
    path,
    { schema: { body: DatabaseCreate } },
    async ({ body }, reply) => {
      const made = await databases.create(body.db, retentionOf(body.retention_period))
      return reply.code(201).send(databaseJson(made))
    },
  )

  app.put<{ Body: Static<typeof DatabaseUpdate> }>(
    path,
    { schema: { body: DatabaseUpdate } },
    async ({ body }) =>
      databaseJson(await databases.setRetention(body.db, retentionOf(body.retention_period))),
  )

  app.delete(path, async (request) => databaseJson(await databases.drop(requireName(request))))

  app.delete(`${path}/retention_period`, async (request) =>
    databaseJson(await databases.setRetention(requireName(request), 0)),
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

const daySeconds = 86_400
/** As InfluxDB has it, for databases and for retention policies. */
const retentionSecondsMin = 3600

/** `30d`, `1h30m`; a month has 30 days and a year 365. Absent or `none`: for ever, which is 0. */
function retentionOf(text: string | undefined): number {
  if (text === undefined || /^(none|inf|infinite)$/i.test(text)) return 0
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
