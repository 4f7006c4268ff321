// The package `influxdata/influxdb/v1`: databases and retention policies, answers of InfluxQL queries,
// and the older names of the package `schema`.

import type { TableColumn } from '../../../../../query/table.js'
import { type Call, type Definitions, native } from '../../../../package/define.js'
import { FluxError } from '../../../../value/error.js'
import type { FluxValue } from '../../../../value/value.js'
import { organizationTables } from '../from.js'
import { organizationOf } from '../reference.js'
import { influxqlTables } from './influxql-json.js'

const databaseColumns: readonly TableColumn[] = [
  { name: 'organizationID', type: 'string' },
  { name: 'databaseName', type: 'string' },
  { name: 'retentionPolicy', type: 'string' },
  { name: 'retentionPeriod', type: 'int' },
  { name: 'default', type: 'bool' },
  { name: 'bucketID', type: 'string' },
]

function databases(call: Call): FluxValue {
  const organization = organizationOf(call)
  return call.node([], async function* (_, { scope }) {
    const found = await scope.databases(organization)
    const rows = found.map((each) => [
      each.organizationId,
      each.database,
      each.retentionPolicy,
      each.retentionNs,
      each.isDefault,
      each.bucketId,
    ])
    yield* organizationTables(databaseColumns, rows)
  })
}

function json(call: Call): FluxValue {
  const text = call.string('json', '')
  const file = call.string('file', '')
  if (text === '' && file === '') throw new FluxError('must provide json raw text or filename')
  if (text !== '' && file !== '') {
    throw new FluxError('must provide exactly one of the parameters json or file')
  }
  if (file !== '') throw new FluxError('reading files is not available')
  return call.node([], async function* () {
    yield* influxqlTables(text)
  })
}

const databasesType = `(?org: string, ?orgID: string, ?host: string, ?token: string) => stream[{
  organizationID: string, databaseName: string, retentionPolicy: string, retentionPeriod: int,
  default: bool, bucketID: string}]`

export const v1Builtins: Definitions = {
  databases: native(databasesType, databases),
  json: native('(?json: string, ?file: string) => stream[A] where A: Record', json),
}
