// `/api/v3/configure/database`: databases made, listed, changed and deleted: in the cluster variant by whoever runs it,
// in the managed one, where they are buckets, by whoever may. Paths, parameters and the names in bodies are those of
// InfluxDB 3; answers say a little more.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseDuration } from '../catalog/base/durations.js'
import type { Bucket } from '../catalog/storage/buckets.js'
import { UserError } from '../errors.js'
import { ClusterDatabases } from '../service/cluster/databases.js'
import {
  type DatabaseManagement,
  OrganizationDatabases,
} from '../service/databases/organization-databases.js'
import { identify } from './base/credentials.js'
import { guardedRoutes } from './base/guarded-routes.js'
import { parameter } from './base/parameters.js'
import type { Services } from './base/services.js'
import { requireOperator } from './cluster/cluster-access.js'

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
  databaseRoutes(app, async () => databases)
}

/** In the token's organization. */
export function managedDatabaseRoutes(app: FastifyInstance, services: Services): void {
  const { catalog, targets } = services
  guardedRoutes(app, services, (scope) =>
    databaseRoutes(scope, async (request) => {
      const identity = await identify(services, request)
      const [org, orgID] = [parameter(request, 'org'), parameter(request, 'orgID')]
      const { id } = await targets.organizationOfPoints(identity, { org, orgID })
      return new OrganizationDatabases(catalog, identity, id)
    }),
  )
}

type Manage = (request: FastifyRequest) => Promise<DatabaseManagement>

function databaseRoutes(app: FastifyInstance, manage: Manage): void {
  app.get(path, async (request) => {
    requireJson(request)
    return (await (await manage(request)).list()).map(databaseJson)
  })

  app.post<{ Body: Static<typeof DatabaseCreate> }>(
    path,
    { schema: { body: DatabaseCreate } },
    async (request, reply) => {
      const { db, retention_period } = request.body
      const databases = await manage(request)
      const made = await databases.create(db, retentionOf(retention_period))
      return reply.code(201).send(databaseJson(made))
    },
  )

  app.put<{ Body: Static<typeof DatabaseUpdate> }>(
    path,
    { schema: { body: DatabaseUpdate } },
    async (request) => {
      const { db, retention_period } = request.body
      const databases = await manage(request)
      return databaseJson(await databases.setRetention(db, retentionOf(retention_period)))
    },
  )

  app.delete(path, async (request) =>
    databaseJson(await (await manage(request)).drop(requireName(request))),
  )

  app.delete(`${path}/retention_period`, async (request) =>
    databaseJson(await (await manage(request)).setRetention(requireName(request), 0)),
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
