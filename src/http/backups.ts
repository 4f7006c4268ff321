// `POST /api/v2/backups`: everything that the installation holds, as a tar archive that is made while it is sent.
// The body names what the caller has from earlier backups; the operator alone may ask.

import { Readable } from 'node:stream'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { requirePermission } from '../service/base/identities.js'
import { identify } from './base/credentials.js'
import { guardedRoutes } from './base/guarded-routes.js'
import type { Services } from './base/services.js'
import { programVersion } from './base/version.js'

const bodySchema = Type.Object({
  have: Type.Optional(Type.Array(Type.String({ maxLength: 100 }))),
  buckets: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, description: 'names or ids; absent: all' }),
  ),
})

export function backupRoutes(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => {
    scope.post<{ Body: Static<typeof bodySchema> }>(
      '/api/v2/backups',
      { schema: { body: bodySchema } },
      async (request, reply) => {
        const identity = await identify(services, request)
        requirePermission(identity, { action: 'write', type: 'orgs' })
        const have = new Set(request.body.have ?? [])
        const abort = new AbortController()
        reply.raw.on('close', () => abort.abort())
        const { buckets } = request.body
        const stream = services.backups.stream({ have, buckets, programVersion }, abort.signal)
        // Refusals come before the first byte, with a status of their own.
        const first = await stream.next()
        reply.header('content-type', 'application/x-tar')
        return reply.send(Readable.from(rest(first, stream), { objectMode: false }))
      },
    )
  })
}

async function* rest(
  first: IteratorResult<Uint8Array>,
  stream: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done === true) return
  yield first.value
  yield* stream
}
