// Set-up: the first user, organization, bucket and token of an installation, made together in one
// transaction, and only once; and further users that come with the same.

import { UserError } from '../errors.js'
import type { LimitsChange } from './accounts/limits.js'
import type { Organization } from './accounts/organizations.js'
import type { Token, TokenPermission } from './accounts/tokens.js'
import type { User } from './accounts/users.js'
import type { Catalog } from './catalog.js'
import type { Bucket } from './storage/buckets.js'

export interface SetupInput {
  readonly username: string
  readonly org: string
  readonly bucket: string
  readonly passwordHash: string | undefined
  /** Absent: the default of buckets. 0: kept for ever. */
  readonly retentionSeconds: number | undefined
  readonly tokenHash: string
  readonly permissions: readonly TokenPermission[]
  /** What the organization is limited to, where it differs from the plan. */
  readonly limits?: LimitsChange | undefined
}

export interface SetupResult {
  readonly user: User
  readonly org: Organization
  readonly bucket: Bucket
  readonly token: Token
}

/** True until the first user was made. */
export async function isSetupAllowed(catalog: Catalog): Promise<boolean> {
  return !(await catalog.users.exists())
}

/** `more`: what is made in the same transaction. */
export async function setup(
  catalog: Catalog,
  input: SetupInput,
  more: (inside: Catalog, made: SetupResult) => Promise<void> = async () => {},
): Promise<SetupResult> {
  return catalog.inTransaction(async (inside) => {
    if (!(await isSetupAllowed(inside))) {
      throw new UserError('conflict', 'onboarding has already been completed')
    }
    const made = await makeTogether(inside, input, undefined, () => input.permissions)
    await more(inside, made)
    return made
  })
}

/** Another user with an organization of their own, made by `creatorId`. */
export async function setupUser(
  catalog: Catalog,
  input: Omit<SetupInput, 'permissions'>,
  creatorId: string | undefined,
  permissionsOf: (userId: string, orgId: string) => readonly TokenPermission[],
): Promise<SetupResult> {
  return catalog.inTransaction((inside) => makeTogether(inside, input, creatorId, permissionsOf))
}

async function makeTogether(
  inside: Catalog,
  input: Omit<SetupInput, 'permissions'>,
  creatorId: string | undefined,
  permissionsOf: (userId: string, orgId: string) => readonly TokenPermission[],
): Promise<SetupResult> {
  const required = ['username', 'org', 'bucket'] as const
  const missing = required.filter((field) => input[field].trim() === '')
  if (missing.length > 0) {
    const reason = `missing required fields [${missing.join(',')}]`
    throw new UserError('unprocessable entity', `onboarding failed: ${reason}`)
  }
  const { username, passwordHash, tokenHash, retentionSeconds } = input
  const user = await inside.users.create({ name: username, passwordHash })
  const org = await inside.organizations.create({ name: input.org })
  const membership = { resourceType: 'orgs', resourceId: org.id, userId: user.id } as const
  await inside.memberships.add({ ...membership, role: 'owner' })
  if (input.limits !== undefined) await inside.limits.change(org.id, input.limits)
  const bucket = await inside.buckets.create({
    orgId: org.id,
    name: input.bucket,
    ...(retentionSeconds === undefined ? {} : { retentionSeconds }),
  })
  const token = await inside.tokens.create({
    tokenHash,
    orgId: org.id,
    userId: user.id,
    creatorId: creatorId ?? user.id,
    description: `${user.name}'s Token`,
    permissions: permissionsOf(user.id, org.id),
  })
  return { user, org, bucket, token }
}
