// `GET|DELETE /api/v2/queries`: what runs right now, how long and what it has read so far, and stopping one;
// `/slowest`: what took longest in the last hour. Of all processes that share the catalog. Whoever runs the
// installation sees all of them, everybody else their own; what somebody may not see is not there for them.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../access/authenticator.js'
import { isOperator } from '../../access/permissions.js'
import { formatTimestamp } from '../../catalog/base/timestamps.js'
import { UserError } from '../../errors.js'
import type { ListedQuery, QueryAsker } from '../../query/active-queries.js'
import type { PastQuery } from '../../query/slow-queries.js'
import { identify } from '../base/credentials.js'
import { guardedRoutes } from '../base/guarded-routes.js'
import type { Services } from '../base/services.js'

type QueryParams = { Params: { queryID: string } }

const path = '/api/v2/queries'
const slowestPath = `${path}/slowest`
const slowestMax = 20

export function runningQueryRoutes(app: FastifyInstance, services: Services): void {
  const { clock, queries } = services
  const { everywhere } = queries
  const visible = async (request: FastifyRequest) => {
    const identity = await identify(services, request)
    const { queries: found, unreachable } = await everywhere.active()
    return { found: found.filter(({ asker }) => maySee(identity, asker)), unreachable }
  }
  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => {
      const now = clock.now()
      const { found, unreachable } = await visible(request)
      const shown = found.map((query) => queryJson(query, now))
      return { links: { self: path }, queries: shown, ...unreachableJson(unreachable) }
    })

    scope.get(slowestPath, async (request) => {
      const identity = await identify(services, request)
      const { queries: all, unreachable } = await everywhere.slowest()
      const found = all.filter(({ asker }) => maySee(identity, asker))
      const shown = found.slice(0, slowestMax).map(pastQueryJson)
      return { links: { self: slowestPath }, queries: shown, ...unreachableJson(unreachable) }
    })

    scope.get<QueryParams>(`${path}/:queryID`, async (request) => {
      const { found } = await visible(request)
      return queryJson(requireQuery(found, request.params.queryID), clock.now())
    })

    scope.delete<QueryParams>(`${path}/:queryID`, async (request, reply) => {
      const { found } = await visible(request)
      await everywhere.kill(requireQuery(found, request.params.queryID).id)
      return reply.code(204).send()
    })
  })
}

/** Said only where the list may lack something. */
function unreachableJson(nodes: readonly string[]): object {
  return nodes.length === 0 ? {} : { unreachableNodes: nodes }
}

function requireQuery(found: readonly ListedQuery[], id: string): ListedQuery {
  const query = found.find((one) => String(one.id) === id)
  if (query === undefined) throw new UserError('not found', `no such query id: ${id}`)
  return query
}

/** A user's own are those of all their tokens and sessions. */
function maySee(
  { userId, tokenId, permissions }: Identity,
  asker: QueryAsker | undefined,
): boolean {
  if (isOperator(permissions)) return true
  if (asker === undefined) return false
  if (userId !== undefined) return asker.userId === userId
  return tokenId !== undefined && asker.tokenId === tokenId
}

function queryJson(query: ListedQuery, now: bigint): object {
  const { startedAt, requestId, figures, isKilled } = query
  return {
    ...toldOf(query),
    ...(requestId === undefined ? {} : { requestID: requestId }),
    // The clock may be set back.
    elapsedMs: now > startedAt ? Number((now - startedAt) / 1_000_000n) : 0,
    ...(figures === undefined ? {} : { rowsRead: figures.rowsRead, memoryBytes: figures.bytesMax }),
    status: isKilled ? 'killed' : 'running',
  }
}

function pastQueryJson(query: PastQuery): object {
  const { elapsedNs, rowsRead, bytesMax } = query
  const elapsedMs = Number(elapsedNs / 1000n) / 1000
  return { ...toldOf(query), elapsedMs, rowsRead, memoryBytes: bytesMax, status: 'ended' }
}

function toldOf(query: ListedQuery | PastQuery): object {
  const { id, text, language, database, startedAt, asker } = query
  return {
    id: String(id),
    language,
    query: text,
    ...(database === '' ? {} : { database }),
    ...(asker?.orgId === undefined ? {} : { orgID: asker.orgId }),
    ...(asker?.userId === undefined ? {} : { userID: asker.userId }),
    startedAt: formatTimestamp(startedAt),
  }
}
