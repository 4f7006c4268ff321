// Which bucket a request's parameters name: `bucket` or `bucketID` in `org` or `orgID`; in the cluster variant a
// database, where `org` and `orgID` play no part: the token alone decides.

import type { Identity } from '../../access/authenticator.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { UserError } from '../../errors.js'
import { type ParameterRequest, parameter } from './parameters.js'
import type { Services } from './services.js'

export async function findBucket(
  { config, targets }: Services,
  identity: Identity,
  request: ParameterRequest,
): Promise<Bucket> {
  const [bucket, bucketID] = [parameter(request, 'bucket'), parameter(request, 'bucketID')]
  if (config.variant === 'managed') {
    const [org, orgID] = [parameter(request, 'org'), parameter(request, 'orgID')]
    return targets.managedBucket(identity, { org, orgID, bucket, bucketID })
  }
  const name = bucket ?? bucketID
  if (name === undefined) throw new UserError('invalid', 'missing bucket: no database was named')
  const found = await targets.clusterDatabase(name)
  if (found === undefined) throw new UserError('not found', `database not found: "${name}"`)
  return found
}
