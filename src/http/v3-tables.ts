// `/api/v3/configure/table`: tables of a database made empty, listed and dropped, by whoever may write to it (to list
// them: may read it). Paths and names in bodies are those of InfluxDB 3; answers say a little more.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Action } from '../access/permissions.js'
import type { Bucket } from '../catalog/storage/buckets.js'
import type { SchemaColumn } from '../catalog/storage/measurement-schemas.js'
import type { FieldType } from '../column/column.js'
import { UserError } from '../errors.js'
import type { DatabaseTable, TableColumn } from '../query/database-tables.js'
import { TableManagement } from '../service/databases/table-management.js'
import { databaseBucket } from '../service/targets/database-bucket.js'
import { identify } from './base/credentials.js'
import { guardedRoutes } from './base/guarded-routes.js'
import { parameter } from './base/parameters.js'
import type { Services } from './base/services.js'

const path = '/api/v3/configure/table'

const fieldTypes = {
  utf8: 'string',
  int64: 'integer',
  uint64: 'unsigned',
  float64: 'float',
  bool: 'boolean',
} as const

type V3Type = keyof typeof fieldTypes

const TableCreate = Type.Object({
  db: Type.String(),
  table: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  fields: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.Union((Object.keys(fieldTypes) as V3Type[]).map((name) => Type.Literal(name))),
      }),
    ),
  ),
})

export function tableRoutes(app: FastifyInstance, services: Services): void {
  const tables = new TableManagement(services)
  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const db = requireParameter(request, 'db')
      const bucket = await bucketOf(services, request, db, 'read')
      return (await tables.list(bucket)).map((table) => tableJson(db, table))
    })

    scope.post<{ Body: Static<typeof TableCreate> }>(
      path,
      { schema: { body: TableCreate } },
      async (request, reply) => {
        const { db, table } = request.body
        const columns = columnsOf(request.body)
        await tables.create(await bucketToWrite(services, request, db), table, columns)
        const made = { name: table, columns: [...columns.map(columnOf), timeColumn] }
        return reply.code(201).send(tableJson(db, made))
      },
    )

    scope.delete(path, async (request) => {
      const [db, table] = [requireParameter(request, 'db'), requireParameter(request, 'table')]
      await tables.drop(await bucketOf(services, request, db, 'write'), table)
      return placeJson(db, table)
    })
  })
}

async function bucketOf(
  services: Services,
  request: FastifyRequest,
  db: string,
  action: Action,
): Promise<Bucket> {
  return databaseBucket(services, await identify(services, request), db, action)
}

/** As a write does: in the cluster variant a database that is missing is made, where the caller may. */
async function bucketToWrite(
  services: Services,
  request: FastifyRequest,
  db: string,
): Promise<Bucket> {
  if (services.config.variant === 'cluster') {
    const identity = await identify(services, request)
    const target = await services.targets.databaseToWrite(identity, db, undefined)
    if ('make' in target) return target.make()
  }
  return bucketOf(services, request, db, 'write')
}

function requireParameter(request: FastifyRequest, name: string): string {
  const value = parameter(request, name)
  if (value === undefined) throw new UserError('invalid', `${name} is required`)
  return value
}

function columnsOf({ tags = [], fields = [] }: Static<typeof TableCreate>): SchemaColumn[] {
  return [
    ...tags.map((name): SchemaColumn => ({ name, type: 'tag' })),
    ...fields.map(
      ({ name, type }): SchemaColumn => ({ name, type: 'field', dataType: fieldTypes[type] }),
    ),
  ]
}

const timeColumn: TableColumn = { name: 'time', role: 'time', type: 'time' }

function columnOf(column: SchemaColumn): TableColumn {
  const { name } = column
  if (column.type !== 'field') return { name, role: 'tag', type: 'string' }
  return { name, role: 'field', type: column.dataType }
}

function placeJson(db: string, table: string) {
  return { 'iox::database': db, 'iox::table': table }
}

function tableJson(db: string, { name, columns }: DatabaseTable): object {
  return {
    ...placeJson(db, name),
    tags: columns.flatMap((column) => (column.role === 'tag' ? [column.name] : [])),
    fields: columns.flatMap(({ name: field, role, type }) =>
      role === 'field' && type !== 'time' ? [{ name: field, type: v3TypeOf(type) }] : [],
    ),
  }
}

function v3TypeOf(type: FieldType): string {
  const found = Object.entries(fieldTypes).find((entry) => entry[1] === type)
  return found?.[0] ?? type
}
