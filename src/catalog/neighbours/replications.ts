// Replications: which bucket is handed on to which bucket of a remote, and how much may wait for it. What waits lies
// in files of the process that took the points; here is only what was asked for.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { type Given, optionalFields } from '../base/fields.js'
import { type CatalogRecord, Records } from '../base/records.js'

export interface ReplicationBody {
  readonly description: string
  readonly remoteID: string
  /** One of the two is empty. */
  readonly remoteBucketID: string
  readonly remoteBucketName: string
  readonly maxQueueSizeBytes: number
  /** What waits for longer is given up; 0: nothing is. */
  readonly maxAgeSeconds: number
  /** Whether what the remote refuses for good is forgotten and not kept in a file. */
  readonly dropNonRetryableData: boolean
}

/** Its parent is the bucket, with which it goes. */
export type Replication = CatalogRecord<ReplicationBody>

export const replicationFields = optionalFields({
  orgID: Type.String(),
  name: Type.String(),
  description: Type.String(),
  remoteID: Type.String(),
  localBucketID: Type.String(),
  remoteBucketID: Type.String(),
  remoteBucketName: Type.String(),
  maxQueueSizeBytes: Type.Integer(),
  maxAgeSeconds: Type.Integer(),
  dropNonRetryableData: Type.Boolean(),
})

export type ReplicationInput = Given<typeof replicationFields>

/** As InfluxDB has them. */
const queueBytesMin = 33_554_430
const queueBytesDefault = 2 * queueBytesMin
const ageSecondsMin = 60
const ageSecondsMax = 5_184_000
const ageSecondsDefault = 604_800

export class Replications {
  readonly records: Records<ReplicationBody>

  constructor(context: CatalogContext) {
    this.records = new Records(context, { kind: 'replication', noun: 'replication' })
  }

  /** Who calls it has looked whether the remote and the bucket are there and may be used. */
  async create(
    orgId: string,
    ownerId: string | undefined,
    input: ReplicationInput,
  ): Promise<Replication> {
    const { localBucketID: parentId = '', remoteID = '', name = '' } = input
    if (name === '') throw new UserError('invalid', 'a replication needs a name')
    const empty: ReplicationBody = {
      description: '',
      remoteID,
      remoteBucketID: '',
      remoteBucketName: '',
      maxQueueSizeBytes: queueBytesDefault,
      maxAgeSeconds: ageSecondsDefault,
      dropNonRetryableData: false,
    }
    const body = changed(empty, input)
    return this.records.create({ orgId, ownerId, parentId, name, body })
  }

  /** What is absent stays as it is. */
  async update(id: string, change: ReplicationInput): Promise<Replication> {
    const { body } = await this.records.require(id)
    if (change.name === '') throw new UserError('invalid', 'a replication needs a name')
    return this.records.update(id, { name: change.name, body: changed(body, change) })
  }

  /** Of every organization: what this process has to hand on. */
  async all(): Promise<Replication[]> {
    return this.records.list({})
  }
}

/** Also says what would be wrong with it. */
export function changed(body: ReplicationBody, change: ReplicationInput): ReplicationBody {
  const isRenamed = change.remoteBucketID !== undefined || change.remoteBucketName !== undefined
  const { remoteBucketID = '', remoteBucketName = '' } = isRenamed ? change : body
  if ((remoteBucketID === '') === (remoteBucketName === '')) {
    const text = 'one of remoteBucketID and remoteBucketName must be given'
    throw new UserError('invalid', text)
  }
  const maxQueueSizeBytes = change.maxQueueSizeBytes ?? body.maxQueueSizeBytes
  if (maxQueueSizeBytes < queueBytesMin) {
    throw new UserError('invalid', `maxQueueSizeBytes must be at least ${queueBytesMin}`)
  }
  const maxAgeSeconds = change.maxAgeSeconds ?? body.maxAgeSeconds
  if (maxAgeSeconds !== 0 && (maxAgeSeconds < ageSecondsMin || maxAgeSeconds > ageSecondsMax)) {
    const span = `from ${ageSecondsMin} to ${ageSecondsMax}, or 0 for no limit`
    throw new UserError('invalid', `maxAgeSeconds must be ${span}`)
  }
  return {
    description: change.description ?? body.description,
    remoteID: change.remoteID ?? body.remoteID,
    remoteBucketID,
    remoteBucketName,
    maxQueueSizeBytes,
    maxAgeSeconds,
    dropNonRetryableData: change.dropNonRetryableData ?? body.dropNonRetryableData,
  }
}
