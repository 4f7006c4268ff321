// `/api/v2/orgs/{orgID}/usage`: what an organization used, as annotated CSV, one table for each
// bucket and figure; `/usage/recent`: writes of the last hour by bucket and minute, as JSON.

import type { FastifyInstance } from 'fastify'
import { formatTimestamp } from '../../../catalog/base/timestamps.js'
import { UserError } from '../../../errors.js'
import type { UsageRow } from '../../../service/limits/usage.js'
import { flag, parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { type OrganizationParams, requireOrganization } from './organizations.js'

interface Range {
  readonly start: bigint
  readonly stop: bigint
}

const nsPerSecond = 1_000_000_000n

export function usageRoute(app: FastifyInstance, services: Services): void {
  app.get<OrganizationParams>('/api/v2/orgs/:id/usage', async (request, reply) => {
    const { org } = await requireOrganization(services, request, 'read')
    const start = seconds('start', parameter(request, 'start'))
    if (start === undefined) throw new UserError('invalid', 'start is required')
    const stop = seconds('stop', parameter(request, 'stop')) ?? services.clock.now()
    if (stop <= start) throw new UserError('invalid', 'stop must be after start')
    const isRaw = flag(request, 'raw') ?? false
    const rows = await services.usage.rows(org.id, { start, stop }, isRaw)
    reply.header('content-type', 'text/csv; charset=utf-8')
    return reply.send(csv(org.id, { start, stop }, rows))
  })

  app.get<OrganizationParams>('/api/v2/orgs/:id/usage/recent', async (request) => {
    const { org } = await requireOrganization(services, request, 'read')
    const found = await services.usage.recentWrites(org.id)
    const buckets = found.map(({ bucketId, requests, bytes }) => {
      return { bucketID: bucketId, writeRequests: requests, writeBytes: bytes }
    })
    return { links: { self: `/api/v2/orgs/${org.id}/usage/recent` }, buckets }
  })
}

/** Seconds since 1970, as nanoseconds. */
function seconds(name: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,10}$/.test(text)) {
    throw new UserError('invalid', `${name} is not a number of seconds since 1970`)
  }
  return BigInt(text) * nsPerSecond
}

const times = 'dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339'
const header = [
  '#group,false,false,true,true,false,false,true,true,true,true',
  `#datatype,string,long,${times},double,string,string,string,string`,
  '#default,_result,,,,,,,,,',
  ',result,table,_start,_stop,_time,_value,_field,_measurement,bucket_id,org_id',
]

function csv(orgId: string, range: Range, rows: readonly UsageRow[]): string {
  const tables = new Map<string, number>()
  const bounds = `${formatTimestamp(range.start)},${formatTimestamp(range.stop)}`
  const lines = rows.map((row) => {
    const { bucketId, field, measurement, time, value } = row
    const key = `${bucketId}/${field}`
    const table = tables.get(key) ?? tables.size
    tables.set(key, table)
    const at = formatTimestamp(time)
    return `,,${table},${bounds},${at},${value},${field},${measurement},${bucketId},${orgId}`
  })
  return [...header, ...lines, '', ''].join('\r\n')
}
