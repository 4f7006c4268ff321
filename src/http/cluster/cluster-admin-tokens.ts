// `/api/v3/configure/token/admin` and `/token/named_admin`: further tokens that may do everything, for the admin token
// that there is. The first of all comes with the installation, so that none can be asked for without one. They are
// listed and revoked among all tokens (`cluster-tokens.ts`).

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Token } from '../../catalog/accounts/tokens.js'
import { AdminTokens } from '../../service/cluster/admin-tokens.js'
import type { Services } from '../base/services.js'
import { requireOperator } from './cluster-access.js'

const path = '/api/v3/configure/token'

const NamedAdmin = Type.Object({ token_name: Type.String({ minLength: 1, maxLength: 256 }) })

export function clusterAdminTokenRoutes(app: FastifyInstance, services: Services): void {
  const admins = new AdminTokens(services)
  requireOperator(app, services)

  // Refused: whoever gets here has the one of this name.
  app.post(`${path}/admin`, async () => admins.create('_admin'))

  app.post(`${path}/admin/regenerate`, async (_request, reply) => {
    const { record, token } = await admins.regenerate()
    return reply.code(201).send({ ...adminTokenJson(record), token })
  })

  app.post<{ Body: Static<typeof NamedAdmin> }>(
    `${path}/named_admin`,
    { schema: { body: NamedAdmin } },
    async ({ body }, reply) => {
      const { record, token } = await admins.create(body.token_name)
      return reply.code(201).send({ ...adminTokenJson(record), token })
    },
  )
}

export function adminTokenJson({ id, description, createdAt }: Token): object {
  return {
    id,
    name: description,
    permissions: [{ resource_type: '*', resource_names: ['*'], actions: ['*'] }],
    created_at: createdAt,
    expiry: null,
    revoked_at: null,
  }
}
