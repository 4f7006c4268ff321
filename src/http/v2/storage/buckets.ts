// `/api/v2/buckets`: making, finding, changing and deleting buckets. Buckets that users made are
// guarded by permissions on buckets, system buckets by those on their organization. Rules about
// names are the catalog's; quotas and what a status means are judged here.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import { type Action, allows, type Demand, isOperator } from '../../../access/permissions.js'
import { parseId } from '../../../catalog/base/ids.js'
import type { Page } from '../../../catalog/base/page.js'
import type { Catalog } from '../../../catalog/catalog.js'
import {
  type Bucket,
  type BucketFilter,
  bucketNameProblem,
  retentionSecondsDefault,
} from '../../../catalog/storage/buckets.js'
import { limits } from '../../../config.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { VersionedCache } from '../../../service/base/versioned-cache.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { pageLinks, pageOf } from '../../base/paging.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import type { IdParams } from '../resources/resource-access.js'
import { bucketJson } from '../resources/resources.js'
import { labelRoutes, memberRoutes, type ParentResource } from '../resources/sub-resources.js'

const RetentionRule = Type.Object({
  type: Type.Optional(Type.Literal('expire')),
  everySeconds: Type.Optional(Type.Integer()),
  shardGroupDurationSeconds: Type.Optional(Type.Integer()),
})

const RetentionRules = Type.Array(RetentionRule)

type RetentionRules = Static<typeof RetentionRules>

const PostBucket = Type.Object({
  name: Type.String(),
  orgID: Type.Optional(Type.String({ description: 'required' })),
  description: Type.Optional(Type.String()),
  rp: Type.Optional(Type.String()),
  retentionRules: Type.Optional(RetentionRules),
  schemaType: Type.Optional(Type.Union([Type.Literal('implicit'), Type.Literal('explicit')])),
})

type PostBucket = Static<typeof PostBucket>

const PatchBucket = Type.Object({
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  retentionRules: Type.Optional(RetentionRules),
})

type PatchBucket = Static<typeof PatchBucket>

const path = '/api/v2/buckets'

export function bucketRoutes(app: FastifyInstance, services: Services): void {
  const { buckets } = services.catalog
  const resource: ParentResource = {
    plural: 'buckets',
    find: (id) => buckets.require(id),
    demand: (action, { id, orgId }) => ({ action, type: 'buckets', id, orgID: orgId }),
    memberDemand: (action, { orgId }) => ({ action, type: 'orgs', id: orgId }),
  }
  guardedRoutes(app, services, (scope) => {
    listRoute(scope, services)
    createRoute(scope, services)
    bucketRoute(scope, services)
    labelRoutes(scope, services, resource)
    memberRoutes(scope, services, resource)
  })
}

/** By itself where buckets are managed under another name. */
export function bucketListRoute(app: FastifyInstance, services: Services): void {
  guardedRoutes(app, services, (scope) => listRoute(scope, services))
}

function listRoute(app: FastifyInstance, services: Services): void {
  const { catalog, targets } = services
  // Clients that look for news list the same page again and again.
  const answers = new VersionedCache<string>(catalog, ['buckets', 'labels', 'dbrps'], {
    bytesMax: limits.listCacheBytesMax,
    sizeOf: (text, key) => 2 * (text.length + key.length),
  })
  app.get(path, async (request, reply) => {
    const identity = await identify(services, request)
    const usesOrg = isOperator(identity.permissions) || identity.orgId === undefined
    const filters = {
      id: parameter(request, 'id'),
      name: parameter(request, 'name'),
      org: usesOrg ? parameter(request, 'org') : undefined,
      orgID: usesOrg ? parameter(request, 'orgID') : undefined,
    }
    const page = pageOf(request)
    const visible = visibleBuckets(identity, await listedOrganization(targets, identity, filters))
    const key = JSON.stringify([visible, page, filters])
    const text = await answers.find(key, async () =>
      JSON.stringify(await listed(catalog, visible, page, filters)),
    )
    return reply.type('application/json; charset=utf-8').send(text)
  })
}

type BucketFilters = Readonly<Record<'id' | 'name' | 'org' | 'orgID', string | undefined>>

async function listed(
  catalog: Catalog,
  visible: BucketFilter,
  page: Page,
  filters: BucketFilters,
): Promise<object> {
  const id = filters.id === undefined ? undefined : parseId(filters.id)
  const found = await catalog.buckets.list({ ...visible, id, name: filters.name }, page)
  const labels = await catalog.labels.ofResources(found.map((bucket) => bucket.id))
  const shards = await catalog.databases.shardSeconds(found.map((bucket) => bucket.orgId))
  return {
    links: pageLinks(path, page, found.length, filters),
    buckets: found.map((bucket) =>
      bucketJson(bucket, labels.get(bucket.id), shards.get(bucket.id)),
    ),
  }
}

/**
 * A token lists its own organization, whatever the request names. An operator reaches every organization: the one that
 * is named, if there is such a one, else all of them, which is undefined.
 */
async function listedOrganization(
  targets: Services['targets'],
  identity: Identity,
  { org, orgID }: BucketFilters,
): Promise<string | undefined> {
  if (!isOperator(identity.permissions)) {
    return (await targets.organization(identity, { org, orgID })).id
  }
  if (org === undefined && orgID === undefined) return undefined
  return (await targets.findOrganization(orgID ?? org))?.id
}

function visibleBuckets(identity: Identity, orgId: string | undefined): BucketFilter {
  if (orgId === undefined) return { orgId, userBuckets: 'all', systemBuckets: true }
  const { permissions } = identity
  const demand = { action: 'read', type: 'buckets', orgID: orgId } as const
  const systemBuckets = allows(permissions, organizationDemand('read', orgId))
  if (allows(permissions, demand)) return { orgId, userBuckets: 'all', systemBuckets }
  const named = permissions.flatMap(({ resource }) => resource.id ?? [])
  const userBuckets = named.filter((id) => allows(permissions, { ...demand, id }))
  return { orgId, userBuckets, systemBuckets }
}

function createRoute(app: FastifyInstance, services: Services): void {
  const { catalog, targets } = services
  // The handler tells what is wrong with a body, because here it is 422.
  const options = { schema: { body: PostBucket }, attachValidation: true }
  app.post<{ Body: PostBucket }>(path, options, async (request, reply) => {
    const identity = await identify(services, request)
    const { validationError, body } = request
    if (validationError !== undefined) throw unprocessable(validationError.message)
    const { orgID, name, description, schemaType } = body
    if (orgID === undefined || orgID === '') throw unprocessable('organization id must be provided')
    const org = await targets.organizationToManage(identity, { org: undefined, orgID })
    requirePermission(identity, { action: 'write', type: 'buckets', orgID: org.id })
    const problem = bucketNameProblem(name)
    if (problem !== undefined) throw unprocessable(problem)
    const retentionSeconds = retentionOfNew(body.retentionRules)
    const made = await catalog.inTransaction(async (inside) => {
      await inside.limits.requireRoom(org.id, 'bucket', inside.buckets)
      await inside.limits.requireRetention(org.id, retentionSeconds)
      const bucket = await inside.buckets.create({
        orgId: org.id,
        name,
        retentionSeconds,
        ...(description === undefined ? {} : { description }),
        ...(schemaType === undefined ? {} : { schemaType }),
      })
      await keepShardDuration(inside, bucket, body.retentionRules)
      return bucket
    })
    return reply.code(201).send(await withLabels(catalog, made))
  })
}

function bucketRoute(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  app.get<IdParams>(`${path}/:id`, async (request) =>
    withLabels(catalog, await requireBucket(services, request, 'read')),
  )

  const schema = { body: PatchBucket }
  app.patch<IdParams & { Body: PatchBucket }>(`${path}/:id`, { schema }, async (request) => {
    const bucket = await requireBucket(services, request, 'write')
    const { name, description, retentionRules } = request.body
    if (retentionRules === undefined) {
      throw new UserError('forbidden', 'retentionRules is required to update a bucket')
    }
    const retentionSeconds = retentionOf(retentionRules)
    const changed = await catalog.inTransaction(async (inside) => {
      if (retentionSeconds !== undefined) {
        await inside.limits.requireRetention(bucket.orgId, retentionSeconds)
      }
      const updated = await inside.buckets.update(bucket.id, {
        name,
        description,
        retentionSeconds,
      })
      await keepShardDuration(inside, updated, retentionRules)
      return updated
    })
    return withLabels(catalog, changed)
  })

  app.delete<IdParams>(`${path}/:id`, async (request, reply) => {
    const bucket = await requireBucket(services, request, 'write')
    if (bucket.type === 'system') {
      throw new UserError('invalid', 'system buckets cannot be deleted')
    }
    await catalog.inTransaction((inside) => inside.buckets.delete(bucket.id))
    return reply.code(204).send()
  })
}

async function withLabels(catalog: Catalog, bucket: Bucket): Promise<object> {
  const shards = await catalog.databases.shardSeconds([bucket.orgId])
  return bucketJson(bucket, await catalog.labels.ofResource(bucket.id), shards.get(bucket.id))
}

/** How long shards are follows from the retention here; what was asked for is kept for those who read it again. */
async function keepShardDuration(
  inside: Catalog,
  { id, orgId, retentionSeconds }: Bucket,
  rules: RetentionRules | undefined,
): Promise<void> {
  const seconds = rules?.[0]?.shardGroupDurationSeconds ?? 0
  if (seconds === 0) return
  const known = await inside.databases.detailsOf(orgId, id)
  await inside.databases.describe(orgId, id, {
    replication: 1,
    ...known,
    durationNs: String(BigInt(retentionSeconds) * 1_000_000_000n),
    shardDurationNs: String(BigInt(seconds) * 1_000_000_000n),
  })
}

/** The bucket that the path names. Throws where there is none or the caller may not do this. */
export async function requireBucket(
  services: Services,
  request: FastifyRequest<IdParams>,
  action: Action,
): Promise<Bucket> {
  const identity = await identify(services, request)
  const bucket = await services.catalog.buckets.require(parseId(request.params.id))
  const isBound = identity.orgId !== undefined && !isOperator(identity.permissions)
  const isForeign = isBound && identity.orgId !== bucket.orgId
  const demand = bucketDemand(action, bucket)
  requirePermission(isForeign ? { ...identity, permissions: [] } : identity, demand)
  return bucket
}

function bucketDemand(action: Action, bucket: Bucket): Demand {
  const { id, orgId, type } = bucket
  if (type === 'system' && action === 'read') return organizationDemand(action, orgId)
  return { action, type: 'buckets', id, orgID: orgId }
}

function organizationDemand(action: Action, orgId: string): Demand {
  return { action, type: 'orgs', id: orgId }
}

/** Who says nothing gets the default. Who says "no rules" means it: existing programs make buckets for ever so. */
function retentionOfNew(rules: RetentionRules | undefined): number {
  if (rules?.length === 0) return 0
  return retentionOf(rules) ?? retentionSecondsDefault
}

/** undefined where no rule is given. */
function retentionOf(rules: RetentionRules | undefined): number | undefined {
  if (rules === undefined || rules.length === 0) return undefined
  if (rules.length > 1) {
    throw unprocessable('buckets cannot have more than one retention rule at this time')
  }
  const [{ everySeconds = retentionSecondsDefault, shardGroupDurationSeconds = 0 }] = rules
  if (everySeconds < 0) throw unprocessable('expiration seconds cannot be negative')
  if (shardGroupDurationSeconds < 0) {
    throw unprocessable('shard-group duration seconds cannot be negative')
  }
  return everySeconds
}

function unprocessable(message: string): UserError {
  return new UserError('unprocessable entity', message)
}
