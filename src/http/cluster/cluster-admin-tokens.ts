// `/api/v3/configure/token/admin` and `/token/named_admin`: further tokens that may do everything, for the admin token
// that there is. The first of all comes with the installation, so that none can be asked for without one. They are
// listed and revoked among all tokens (`cluster-tokens.ts`, `v3-tokens.ts`).

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Token } from '../../catalog/accounts/tokens.js'
import { UserError } from '../../errors.js'
import { homeOrganization } from '../../service/cluster/home-organization.js'
import { AdminTokens } from '../../service/databases/admin-tokens.js'
import type { Services } from '../base/services.js'
import { requireOperator } from './cluster-access.js'

const path = '/api/v3/configure/token'

const NamedAdmin = Type.Object({
  token_name: Type.String({ minLength: 1, maxLength: 256 }),
  expiry_secs: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
})

export function clusterAdminTokenRoutes(app: FastifyInstance, services: Services): void {
  const admins = clusterAdminTokens(services)
  requireOperator(app, services)
  adminTokenRoutes(app, async () => admins)
}

export function clusterAdminTokens(services: Services): AdminTokens {
  return new AdminTokens(services, { orgId: homeOrganization(services), userId: undefined })
}

/** For a scope that only operators get into. */
export function adminTokenRoutes(
  app: FastifyInstance,
  adminsOf: (request: FastifyRequest) => Promise<AdminTokens>,
): void {
  // Refused: whoever gets here has the one of this name.
  app.post(`${path}/admin`, async (request) => (await adminsOf(request)).create('_admin'))

  app.post(`${path}/admin/regenerate`, async (request, reply) => {
    const { record, token } = await (await adminsOf(request)).regenerate()
    return reply.code(201).send({ ...adminTokenJson(record), token })
  })

  app.post<{ Body: Static<typeof NamedAdmin> }>(
    `${path}/named_admin`,
    { schema: { body: NamedAdmin } },
    async (request, reply) => {
      const { token_name, expiry_secs } = request.body
      // Better than one that outlives what was asked for.
      if ((expiry_secs ?? undefined) !== undefined) {
        throw new UserError('invalid', 'admin tokens have no end: leave out expiry_secs')
      }
      const { record, token } = await (await adminsOf(request)).create(token_name)
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

/** Listed tokens also tell when they were last used: a member of our own, null where they never were. */
export async function withLastUses<T extends { readonly id: string }>(
  { lastUses }: Pick<Services, 'lastUses'>,
  tokens: readonly T[],
  json: (token: T) => object,
): Promise<object[]> {
  const uses = await lastUses.of(tokens.map(({ id }) => id))
  return tokens.map((token) => ({ ...json(token), last_used_at: uses.get(token.id) ?? null }))
}
