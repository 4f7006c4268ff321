// v1 users and their grants, as legacy authorizations of an organization: a grant on a database is a
// permission for each of its buckets, an admin has every permission in the organization. Nobody can
// give what they do not have.

import type { Identity } from '../../access/authenticator.js'
import {
  type Action,
  allows,
  covers,
  type Permission,
  resourceTypes,
} from '../../access/permissions.js'
import type { LegacyToken } from '../../catalog/accounts/legacy-tokens.js'
import type { Catalog } from '../../catalog/catalog.js'
import { UserError } from '../../errors.js'
import type { DatabaseUser, Grant } from '../../influxql/scope/scope.js'
import type { Privilege } from '../../influxql/syntax/ast.js'
import type { ServiceParts } from '../base/parts.js'
import { type DatabaseDirectories, type DatabaseEntry, readDirectory } from './directory.js'
import { databaseNotFound, insufficientPermissions } from './refusals.js'

type UserParts = Pick<ServiceParts, 'catalog' | 'passwords'> & {
  readonly directories: DatabaseDirectories
}

export class DatabaseUsers {
  readonly #parts: UserParts
  readonly #identity: Identity
  readonly #orgId: string

  constructor(parts: UserParts, identity: Identity, orgId: string) {
    this.#parts = parts
    this.#identity = identity
    this.#orgId = orgId
  }

  async list(): Promise<DatabaseUser[]> {
    this.#require('read')
    const users = await this.#parts.catalog.legacyTokens.list({ orgId: this.#orgId })
    const needed = adminPermissions(this.#orgId)
    return users.map((user) => ({
      name: user.username,
      isAdmin: needed.every((permission) => covers(permissionsOf(user), permission)),
    }))
  }

  /** Somebody with this name, password and rank may be there already. */
  async create(name: string, password: string, isAdmin: boolean): Promise<void> {
    this.#require('write')
    if (name === '') throw new UserError('invalid', 'username required')
    const permissions = isAdmin ? adminPermissions(this.#orgId) : []
    this.#requireCovered(permissions)
    const { catalog, passwords } = this.#parts
    if (await this.#isKnown(name, password, isAdmin)) return
    const passwordHash = await passwords.hashAny(password)
    const { userId } = this.#identity
    const user = { orgId: this.#orgId, userId, name, passwordHash, permissions }
    await catalog.inTransaction((inside) => makeUser(inside, user))
  }

  async #isKnown(name: string, password: string, isAdmin: boolean): Promise<boolean> {
    const { catalog, passwords } = this.#parts
    const { legacyTokens } = catalog
    const [known] = await legacyTokens.list({ username: name })
    if (known === undefined) return false
    const login = await legacyTokens.findLogin(name)
    const isOwn = known.orgId === this.#orgId
    const isSame = login !== undefined && (await passwords.verify(password, login.passwordHash))
    const rank = (await this.list()).find((user) => user.name === name)?.isAdmin
    if (isOwn && isSame && rank === isAdmin) return true
    throw new UserError('conflict', 'user already exists')
  }

  async drop(name: string): Promise<void> {
    this.#require('write')
    const { id } = await this.#find(name)
    await this.#parts.catalog.legacyTokens.delete(id)
  }

  async setPassword(name: string, password: string): Promise<void> {
    this.#require('write')
    const user = await this.#find(name)
    // Whoever sets a password can use what it opens.
    this.#requireCovered(permissionsOf(user))
    const { catalog, passwords } = this.#parts
    await catalog.legacyTokens.setPassword(user.id, await passwords.hashAny(password))
  }

  async grants(name: string): Promise<Grant[]> {
    this.#require('read')
    const user = await this.#find(name)
    const directory = await this.#parts.directories.of(this.#orgId)
    return Array.from(directory.values()).flatMap((database) => {
      const privilege = privilegeOn(database, permissionsOf(user))
      return privilege === undefined ? [] : [{ database: database.name, privilege }]
    })
  }

  /** Takes the place of what the user could do with the database before. */
  async grant(name: string, database: string, privilege: Privilege): Promise<void> {
    await this.#setPrivilege(name, database, () => privilege)
  }

  async revoke(name: string, database: string, privilege: Privilege): Promise<void> {
    await this.#setPrivilege(name, database, (held) => without(held, privilege))
  }

  async #setPrivilege(
    name: string,
    database: string,
    change: (held: Privilege | undefined) => Privilege | undefined,
  ): Promise<void> {
    await this.#change(name, async (permissions, inside) => {
      const entry = (await readDirectory(inside, this.#orgId)).get(database)
      if (entry === undefined) throw databaseNotFound(database)
      const privilege = change(privilegeOn(entry, permissions))
      const given = bucketIds(entry).flatMap((id) => grantedPermissions(id, this.#orgId, privilege))
      this.#requireCovered(given)
      return [...permissions.filter((permission) => !isOf(entry, permission)), ...given]
    })
  }

  async setAdmin(name: string, isAdmin: boolean): Promise<void> {
    await this.#change(name, async (permissions) => {
      const given = isAdmin ? adminPermissions(this.#orgId) : []
      this.#requireCovered(given)
      return [...permissions.filter(isGrant), ...given]
    })
  }

  /** In a transaction: of two changes at once none is lost. */
  async #change(
    name: string,
    changed: (permissions: readonly Permission[], inside: Catalog) => Promise<Permission[]>,
  ): Promise<void> {
    this.#require('write')
    await this.#parts.catalog.inTransaction(async (inside) => {
      const user = await this.#find(name, inside)
      const permissions = await changed(permissionsOf(user), inside)
      await inside.legacyTokens.setPermissions(user.id, permissions)
    })
  }

  async #find(name: string, { legacyTokens } = this.#parts.catalog): Promise<LegacyToken> {
    const [user] = await legacyTokens.list({ orgId: this.#orgId, username: name })
    if (user === undefined) throw new UserError('not found', 'user not found')
    return user
  }

  #require(action: Action): void {
    const demand = { action, type: 'authorizations', orgID: this.#orgId } as const
    if (!allows(this.#identity.permissions, demand)) throw insufficientPermissions()
  }

  #requireCovered(given: readonly Permission[]): void {
    const { permissions } = this.#identity
    if (given.every((permission) => covers(permissions, permission))) return
    throw insufficientPermissions()
  }
}

export interface NewUser {
  readonly orgId: string
  /** Who makes them. */
  readonly userId: string | undefined
  readonly name: string
  readonly passwordHash: string
  readonly permissions: readonly Permission[]
}

/** In a transaction. */
export async function makeUser({ legacyTokens }: Catalog, user: NewUser): Promise<void> {
  const { orgId, userId, name, passwordHash, permissions } = user
  const made = await legacyTokens.create({
    orgId,
    userId,
    creatorId: userId,
    description: '',
    username: name,
    // Other authorizations never begin without permissions; users do, and get theirs by grants.
    permissions: adminPermissions(orgId),
  })
  await legacyTokens.setPermissions(made.id, permissions)
  await legacyTokens.setPassword(made.id, passwordHash)
}

/** In a transaction: who may use a database may use a policy that comes to it. */
export async function extendGrants(
  inside: Catalog,
  orgId: string,
  database: DatabaseEntry,
  bucketId: string,
): Promise<void> {
  for (const user of await inside.legacyTokens.list({ orgId })) {
    const permissions = permissionsOf(user)
    const given = grantedPermissions(bucketId, orgId, privilegeOn(database, permissions))
    if (given.length === 0) continue
    await inside.legacyTokens.setPermissions(user.id, [...permissions, ...given])
  }
}

function permissionsOf(user: LegacyToken): readonly Permission[] {
  return user.permissions as readonly Permission[]
}

export function adminPermissions(orgId: string): Permission[] {
  const types = resourceTypes.filter((type) => type !== 'instance')
  return types.flatMap((type): Permission[] => {
    const resource = type === 'orgs' ? { type, id: orgId } : { type, orgID: orgId }
    return [
      { action: 'read', resource },
      { action: 'write', resource },
    ]
  })
}

/** For the bucket of that id; undefined: none. */
export function grantedPermissions(
  id: string,
  orgID: string,
  privilege: Privilege | undefined,
): Permission[] {
  const resource = { type: 'buckets', id, orgID } as const
  const permissions: Permission[] = [
    { action: 'read', resource },
    { action: 'write', resource },
  ]
  if (privilege === 'ALL PRIVILEGES') return permissions
  return permissions.filter(({ action }) => action.toUpperCase() === privilege)
}

/** A permission for one bucket, as grants are. */
function isGrant({ resource }: Permission): boolean {
  return resource.type === 'buckets' && resource.id !== undefined
}

function isOf(database: DatabaseEntry, permission: Permission): boolean {
  return isGrant(permission) && bucketIds(database).includes(permission.resource.id as string)
}

function bucketIds({ policies }: DatabaseEntry): string[] {
  return [...new Set(policies.map(({ bucket }) => bucket.id))]
}

/** What permissions for single buckets of a database amount to; undefined: nothing. */
function privilegeOn(
  database: DatabaseEntry,
  permissions: readonly Permission[],
): Privilege | undefined {
  const actions = new Set(permissions.filter((p) => isOf(database, p)).map(({ action }) => action))
  if (actions.size === 2) return 'ALL PRIVILEGES'
  if (actions.has('read')) return 'READ'
  return actions.has('write') ? 'WRITE' : undefined
}

function without(held: Privilege | undefined, revoked: Privilege): Privilege | undefined {
  if (held === undefined || revoked === 'ALL PRIVILEGES' || held === revoked) return undefined
  if (held !== 'ALL PRIVILEGES') return held
  return revoked === 'READ' ? 'WRITE' : 'READ'
}
