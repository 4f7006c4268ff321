// Whether catalog and store belong together: points of buckets that nobody ever made say that the catalog was lost, and
// starting as new would hide it.

import { type Catalog, lossAdvice } from '../../catalog/catalog.js'
import { CorruptionError } from '../../errors.js'
import type { Store } from '../../store/store.js'

/** A catalog in memory is always new. */
export async function mustBelongTogether(
  catalog: Catalog,
  store: Store,
  path: string,
): Promise<void> {
  const count = store.bucketIds?.().length ?? 0
  if (path === ':memory:' || count === 0) return
  if ((await catalog.organizations.findFirst()) !== undefined) return
  const name = path.includes('://') ? 'the catalog' : path
  const message = `the catalog is empty, but the store holds points of ${count} buckets`
  throw new CorruptionError(name, 0, `${message}; ${lossAdvice}`)
}
