// What the bucket of a policy is called where it goes: as it was where it had a name of its own, else as both products
// name the buckets of databases.

import type { SourcePolicy } from './source.js'

/** `database`: what it is called in the target. */
export function bucketName({ name, bucket }: SourcePolicy, database: string): string {
  if (bucket?.isMapped === true) return bucket.name
  return bucket === undefined || bucket.name.includes('/') ? `${database}/${name}` : database
}
