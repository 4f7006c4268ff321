// What a database token of the cluster variant stands for. A token names databases; here the names become the
// permissions of the buckets that bear them now, so that everything else asks one kind of permission only.

import type { Standing, TokenReader } from '../../access/authenticator.js'
import {
  type DatabasePermission,
  everyDatabase,
  readDatabaseToken,
} from '../../access/database-tokens.js'
import type { Permission } from '../../access/permissions.js'
import type { Catalog } from '../../catalog/catalog.js'

/**
 * Whom a database token stands for, if it was given out here and was not revoked. What it answers
 * holds until the catalog's tokens or buckets change.
 */
export function databaseTokenReader(catalog: Catalog, orgId: string, key: Uint8Array): TokenReader {
  return async (token): Promise<Standing | undefined> => {
    const claims = await readDatabaseToken(key, token)
    const record = claims && (await catalog.databaseTokens.findById(claims.id))
    if (claims === undefined || record === undefined) return undefined
    if (record.body.revokedAt !== undefined) return 'inactive'
    const { expiresAtSeconds } = claims
    return {
      tokenId: record.id,
      orgId,
      userId: undefined,
      permissions: await bucketPermissions(catalog, orgId, claims.permissions),
      ...(expiresAtSeconds === undefined
        ? {}
        : { expiresAt: BigInt(expiresAtSeconds) * 1_000_000_000n }),
    }
  }
}

async function bucketPermissions(
  catalog: Catalog,
  orgID: string,
  granted: readonly DatabasePermission[],
): Promise<Permission[]> {
  const permissions: Permission[] = []
  for (const { database, actions } of granted) {
    const isEvery = database === everyDatabase
    const id = isEvery ? undefined : (await catalog.buckets.findByName(orgID, database))?.id
    // One that is not there: the token is good for it as soon as it is.
    if (!isEvery && id === undefined) continue
    for (const action of actions) {
      permissions.push({ action, resource: { type: 'buckets', id, orgID } })
    }
  }
  return permissions
}
