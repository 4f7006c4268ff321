// What an organization's limits say of its buckets: how many it may
// have, and how long they may keep their points.

import type { Limits, OrganizationLimits } from '../../catalog/accounts/limits.js'
import type { Buckets } from '../../catalog/storage/buckets.js'
import { UserError } from '../../errors.js'

export function checkRetention(limits: OrganizationLimits, retentionSeconds: number): void {
  const maxNs = limits.bucket.maxRetentionDuration
  if (maxNs === 0) return
  const isForEver = retentionSeconds === 0
  if (!isForEver && BigInt(retentionSeconds) * 1_000_000_000n <= BigInt(maxNs)) return
  const text = 'provided retention exceeds orgs maximum retention duration'
  throw new UserError('forbidden', text)
}

/** In the transaction that makes the bucket: of two at once, the second one counts the first. */
export async function checkQuota(
  { limits, buckets }: { readonly limits: Limits; readonly buckets: Buckets },
  orgId: string,
): Promise<void> {
  const { maxBuckets } = (await limits.of(orgId)).bucket
  if (maxBuckets === 0 || (await buckets.countOfUsers(orgId)) < maxBuckets) return
  throw new UserError('forbidden', 'creating bucket would exceed quota')
}
