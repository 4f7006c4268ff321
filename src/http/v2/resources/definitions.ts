// Making and replacing resources that are put as a whole, whose body is the same for both: who asks,
// for which organization, inside a transaction. With these come the routes that every resource has.

import type { TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { CatalogRecord } from '../../../catalog/base/records.js'
import type { Catalog } from '../../../catalog/catalog.js'
import type { Services } from '../../base/services.js'
import {
  type IdParams,
  type OrganizationNames,
  type Resource,
  type UsualOptions,
  usualRoutes,
} from './resource-access.js'

/** `Request` is the body's type, checked by `schema`. The functions work inside a transaction. */
export interface Definition<Body, Request extends OrganizationNames> {
  readonly schema: TSchema
  create(
    inside: Catalog,
    orgId: string,
    ownerId: string | undefined,
    request: Request,
  ): Promise<CatalogRecord<Body>>
  replace(inside: Catalog, id: string, request: Request): Promise<CatalogRecord<Body>>
  remove(inside: Catalog, id: string): Promise<unknown>
}

export function definitionRoutes<Body, Request extends OrganizationNames>(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<Body>,
  definition: Definition<Body, Request>,
  options: Omit<UsualOptions<Body>, 'remove'>,
): void {
  const { catalog } = services
  const { path } = resource
  const schema = { body: definition.schema }

  scope.post(path, { schema }, async (request, reply) => {
    const body = request.body as Request
    const { identity, org } = await resource.organizationToCreateIn(request, body)
    const made = await catalog.inTransaction((inside) =>
      definition.create(inside, org.id, identity.userId, body),
    )
    return reply.code(201).send(await resource.show(made))
  })

  scope.put<IdParams>(`${path}/:id`, { schema }, async (request) => {
    const { record } = await resource.require(request, 'write')
    const changed = await catalog.inTransaction((inside) =>
      definition.replace(inside, record.id, request.body as Request),
    )
    return resource.show(changed)
  })

  usualRoutes(scope, services, resource, {
    ...options,
    remove: ({ id }) => catalog.inTransaction((inside) => definition.remove(inside, id)),
  })
}
