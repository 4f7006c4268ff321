// `/api/v2/replications`: buckets that are handed on to a remote. Who makes one must be allowed to read the bucket and
// the remote: its points leave the house with the remote's token.

import type { FastifyInstance } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import { parseId } from '../../../catalog/base/ids.js'
import {
  changed,
  type Replication,
  type ReplicationBody,
  type ReplicationInput,
  replicationFields,
} from '../../../catalog/neighbours/replications.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { flag, parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { type IdParams, Resource } from '../resources/resource-access.js'

type Request = { Body: ReplicationInput }

export function replicationRoutes(app: FastifyInstance, services: Services): void {
  const resource = new Resource<ReplicationBody>(services, {
    plural: 'replications',
    type: 'replications',
    records: services.catalog.replications.records,
    json: (replication) => replicationJson(services, replication),
  })
  guardedRoutes(app, services, (scope) => {
    listRoutes(scope, services, resource)
    changeRoutes(scope, services, resource)
  })
}

function listRoutes(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<ReplicationBody>,
): void {
  const { path } = resource

  scope.get(path, async (request) => {
    const { identity, org } = await resource.organization(request)
    const remoteID = parameter(request, 'remoteID')
    const localBucketID = parameter(request, 'localBucketID')
    const found = await resource.list(identity, org, {
      name: parameter(request, 'name'),
      keep: ({ body, parentId }) =>
        (remoteID ?? body.remoteID) === body.remoteID && (localBucketID ?? parentId) === parentId,
    })
    const replications = found.map((replication) => replicationJson(services, replication))
    return { replications, links: { self: path } }
  })

  scope.get<IdParams>(`${path}/:id`, async (request) => {
    const { record } = await resource.require(request, 'read')
    return replicationJson(services, record)
  })

  scope.post<IdParams>(`${path}/:id/validate`, async (request, reply) => {
    const { record } = await resource.require(request, 'read')
    await validate(services, record)
    return reply.code(204).send()
  })
}

function changeRoutes(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<ReplicationBody>,
): void {
  const { catalog, replications } = services
  const { path } = resource
  const schema = { body: replicationFields }

  scope.post<Request>(path, { schema }, async (request, reply) => {
    const { identity, org } = await resource.organizationToCreateIn(request, request.body)
    const input = await checked(services, identity, org.id, request.body)
    if (flag(request, 'validate', 'invalid validate parameter')) {
      await validate(services, untried(org.id, input))
      return reply.code(204).send()
    }
    const made = await catalog.inTransaction((inside) =>
      inside.replications.create(org.id, identity.userId, input),
    )
    // Whatever is written after the answer is handed on.
    await replications.refresh()
    return reply.code(201).send(replicationJson(services, made))
  })

  scope.patch<IdParams & Request>(`${path}/:id`, { schema }, async (request, reply) => {
    const { identity, record } = await resource.require(request, 'write')
    const { remoteID = record.body.remoteID } = request.body
    await requireRemote(services, identity, record.orgId, remoteID)
    requireReadable(identity, record.parentId, record.orgId)
    if (flag(request, 'validate', 'invalid validate parameter')) {
      await validate(services, { ...record, body: changed(record.body, request.body) })
      return reply.code(204).send()
    }
    const after = await catalog.inTransaction((inside) =>
      inside.replications.update(record.id, request.body),
    )
    await replications.refresh()
    return replicationJson(services, after)
  })

  scope.delete<IdParams>(`${path}/:id`, async (request, reply) => {
    const { record } = await resource.require(request, 'write')
    await catalog.inTransaction((inside) => inside.replications.records.delete(record.id))
    await replications.refresh()
    return reply.code(204).send()
  })
}

async function checked(
  services: Services,
  identity: Identity,
  orgId: string,
  input: ReplicationInput,
): Promise<ReplicationInput> {
  const { remoteID, localBucketID } = input
  if (remoteID === undefined) throw new UserError('invalid', 'remoteID is missing')
  if (localBucketID === undefined) throw new UserError('invalid', 'localBucketID is missing')
  await requireRemote(services, identity, orgId, remoteID)
  const bucket = await services.catalog.buckets.findById(parseId(localBucketID))
  if (bucket === undefined || bucket.orgId !== orgId) {
    throw new UserError('not found', `bucket "${localBucketID}" not found`)
  }
  requireReadable(identity, bucket.id, orgId)
  return input
}

function requireReadable(identity: Identity, bucketId: string, orgID: string): void {
  requirePermission(identity, { action: 'read', type: 'buckets', id: bucketId, orgID })
}

async function requireRemote(
  { catalog }: Services,
  identity: Identity,
  orgId: string,
  remoteID: string,
): Promise<void> {
  const remote = await catalog.remotes.records.findById(parseId(remoteID))
  if (remote === undefined || remote.orgId !== orgId) {
    throw new UserError('not found', `remote "${remoteID}" not found`)
  }
  requirePermission(identity, { action: 'read', type: 'remotes', id: remote.id, orgID: orgId })
}

/** One that is only asked about. */
function untried(orgId: string, input: ReplicationInput): Replication {
  const empty: ReplicationBody = {
    description: '',
    remoteID: input.remoteID ?? '',
    remoteBucketID: '',
    remoteBucketName: '',
    maxQueueSizeBytes: Number.MAX_SAFE_INTEGER,
    maxAgeSeconds: 0,
    dropNonRetryableData: false,
  }
  const body = changed(empty, input)
  const [createdAt, updatedAt] = ['', '']
  const { localBucketID: parentId = '', name = '' } = input
  return { id: '', orgId, parentId, ownerId: undefined, name, body, createdAt, updatedAt }
}

async function validate({ replications }: Services, replication: Replication): Promise<void> {
  const { kind, message } = await replications.validate(replication)
  if (kind !== 'taken') {
    throw new UserError('invalid', `the remote does not take points: ${message}`)
  }
}

function replicationJson({ replications }: Services, replication: Replication): object {
  const { id, orgId, name, parentId, body } = replication
  const { description, remoteID, remoteBucketID, remoteBucketName } = body
  const run = replications.of(id)
  const { status, message } = run?.latest ?? {}
  return {
    id,
    orgID: orgId,
    name,
    description,
    remoteID,
    localBucketID: parentId,
    ...(remoteBucketID === '' ? {} : { remoteBucketID }),
    // With a capital, as InfluxDB has it; without, as its own document says.
    ...(remoteBucketName === '' ? {} : { RemoteBucketName: remoteBucketName, remoteBucketName }),
    maxQueueSizeBytes: body.maxQueueSizeBytes,
    maxAgeSeconds: body.maxAgeSeconds,
    dropNonRetryableData: body.dropNonRetryableData,
    currentQueueSizeBytes: run?.queue.diskBytes ?? 0,
    remainingBytesToBeSynced: run?.queue.waitingBytes ?? 0,
    droppedPoints: run?.figures.droppedLines ?? 0,
    refusedPoints: run?.figures.refusedLines ?? 0,
    ...(status === undefined ? {} : { latestResponseCode: status, latestErrorMessage: message }),
  }
}
