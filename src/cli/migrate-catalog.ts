// The catalog of an installation as a whole into that of another place, before its points follow: from a data folder
// into a cluster or back. Done once, in one transaction; a migration that is started again finds it done.

import { wholeList } from '../catalog/base/page.js'
import { isSetupAllowed } from '../catalog/setup.js'
import { UserError } from '../errors.js'
import { type OpenOptions, type OpenStore, openStore } from '../index.js'
import type { MigrationSource } from '../migrate/plan/source.js'

export interface MovedOrganization {
  readonly id: string
  readonly name: string
}

/**
 * Answers with the organizations whose points are to follow. Nobody else may serve the source meanwhile. `again`: what
 * an earlier call has brought makes room for the source as it is now.
 */
export async function moveCatalog(
  from: OpenOptions,
  to: OpenOptions,
  again = false,
): Promise<readonly MovedOrganization[]> {
  const source = await openStore(from)
  try {
    const organizations = await source.catalog.organizations.list(undefined, wholeList)
    if (organizations.length === 0) throw new UserError('not found', 'there is nothing to move')
    const target = await openStore(to)
    try {
      if (again) await moveAgain(source, target)
      else await moveOnce(source, target, organizations)
    } finally {
      await target.close()
    }
    return organizations.map(({ id, name }) => ({ id, name }))
  } finally {
    await source.close()
  }
}

async function moveOnce(
  source: OpenStore,
  target: OpenStore,
  organizations: readonly MovedOrganization[],
): Promise<void> {
  const there = await target.catalog.organizations.list(undefined, wholeList)
  if (there.length === 0 && (await isSetupAllowed(target.catalog))) {
    return source.catalog.moveInto(target.catalog)
  }
  const ids = new Set(there.map(({ id }) => id))
  if (organizations.every(({ id }) => ids.has(id))) return
  throw new UserError(
    'conflict',
    'the target is in use already: a whole installation is moved into one that is empty; ' +
      'with --from and --to one organization is moved into another',
  )
}

async function moveAgain(source: OpenStore, target: OpenStore): Promise<void> {
  const kept = new Set((await source.catalog.buckets.all()).map(({ id }) => id))
  const gone = (await target.catalog.buckets.all()).filter(({ id }) => !kept.has(id))
  await source.catalog.moveInto(target.catalog)
  for (const { id } of gone) await target.store.dropBucket(id)
}

/** What is left to move when the catalog is there. */
export function pointsOf(source: MigrationSource): MigrationSource {
  return {
    title: source.title,
    async describe() {
      const { databases } = await source.describe()
      const plain = databases.map((database) => ({ ...database, continuousQueries: [] }))
      return { databases: plain, users: [], notes: [] }
    },
    fields: (...place) => source.fields(...place),
    read: (request) => source.read(request),
    ...(source.statistics && { statistics: source.statistics }),
    close: () => source.close(),
  }
}
