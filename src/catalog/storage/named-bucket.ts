// One of some buckets by its name or its id, as people write it behind a flag. Names are those of an organization, so
// where several are looked through, one name may stand for several buckets.

import { UserError } from '../../errors.js'

interface Named {
  readonly id: string
  readonly name: string
  /** Told where a name is not enough. */
  readonly org?: string
}

/** An id is never ambiguous, even if a bucket is called so. */
export function namedBucket<B extends Named>(buckets: readonly B[], nameOrId: string): B {
  const byId = buckets.find(({ id }) => id === nameOrId)
  if (byId !== undefined) return byId
  const [found, ...others] = buckets.filter(({ name }) => name === nameOrId)
  if (found === undefined) throw new UserError('not found', `bucket "${nameOrId}" not found`)
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id, org }) => (org === undefined ? id : `${id} (${org})`))
  throw new UserError(
    'invalid',
    `bucket "${nameOrId}" exists several times, name its id: ${ids.join(', ')}`,
  )
}
