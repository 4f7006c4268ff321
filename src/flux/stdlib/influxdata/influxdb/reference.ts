// The arguments by which functions name buckets and organizations, and what they may not say: this
// service reads from and writes to itself only.

import type { BucketReference } from '../../../context/scope.js'
import type { Call } from '../../../package/define.js'
import { FluxError } from '../../../value/error.js'

export type OrganizationReference = Pick<BucketReference, 'org' | 'orgId'>

/** One of the two, or none. */
function nameOrId(
  call: Call,
  name: string,
  id: string,
): readonly [string | undefined, string | undefined] {
  if (call.has(name) && call.has(id)) {
    throw new FluxError(`must specify only one of ${name} or ${id}`)
  }
  return [
    call.has(name) ? call.string(name) : undefined,
    call.has(id) ? call.string(id) : undefined,
  ]
}

export function organizationOf(call: Call): OrganizationReference {
  const [org, orgId] = nameOrId(call, 'org', 'orgID')
  return { org, orgId }
}

/** `missing`: what to say where neither is given. */
export function bucketOf(call: Call, missing = 'must specify bucket or bucketID'): BucketReference {
  const [bucket, bucketId] = nameOrId(call, 'bucket', 'bucketID')
  if (bucket === undefined && bucketId === undefined) throw new FluxError(missing)
  return { bucket, bucketId, ...organizationOf(call) }
}

export function refuseOtherHost(call: Call): void {
  const host = call.string('host', '')
  if (host !== '') throw new FluxError(`reaching another host is not available: ${host}`)
}
