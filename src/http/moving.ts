// What a migration asks of the server that it moves while it runs: to hold writes back for some seconds, and what has
// changed in a bucket since a moment. The operator alone may ask. docs/cluster.md tells how it is used.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { requirePermission } from '../service/base/identities.js'
import { identify } from './base/credentials.js'
import { guardedRoutes } from './base/guarded-routes.js'
import type { Services } from './base/services.js'

const holdSecondsMax = 600

const holdSchema = Type.Object({ seconds: Type.Integer({ minimum: 1, maximum: holdSecondsMax }) })

const changesSchema = Type.Object({
  bucketID: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  /** Nanoseconds since 1970. */
  since: Type.String({ pattern: '^\\d{1,19}$' }),
})

export function movingRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    const guard = async (request: Parameters<typeof identify>[1]) => {
      requirePermission(await identify(services, request), { action: 'write', type: 'orgs' })
    }
    scope.post<{ Body: Static<typeof holdSchema> }>(
      '/api/v2/writes/hold',
      { schema: { body: holdSchema } },
      async (request) => {
        await guard(request)
        const { since, until } = await services.heldWrites.hold(request.body.seconds)
        return { since: String(since), until: String(until) }
      },
    )
    scope.delete('/api/v2/writes/hold', async (request, reply) => {
      await guard(request)
      services.heldWrites.release()
      return reply.code(204).send()
    })
    // Asking is no reading alone: a bucket is looked after from then on.
    scope.post<{ Body: Static<typeof changesSchema> }>(
      '/api/v2/writes/changes',
      { schema: { body: changesSchema } },
      async (request) => {
        await guard(request)
        const { bucketID, since } = request.body
        const found = await services.store.changes(bucketID, BigInt(since))
        return {
          knownSince: String(found.knownSince),
          until: String(found.until),
          changes: found.changes.map(({ range, at, removed }) => ({
            start: String(range.start),
            stop: String(range.stop),
            at: String(at),
            removed,
          })),
        }
      },
    )
  })
}
