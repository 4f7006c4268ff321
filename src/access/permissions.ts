// Permissions: what a token may do, and the one rule by which a permission answers a demand.
// Everything that guards a resource asks `allows`; nothing else compares actions, types or ids.

export type Action = 'read' | 'write'

/** Types that a permission can name. `instance` stands for every type. */
export const resourceTypes = [
  'authorizations',
  'buckets',
  'dashboards',
  'orgs',
  'tasks',
  'telegrafs',
  'users',
  'variables',
  'secrets',
  'labels',
  'views',
  'documents',
  'notificationRules',
  'notificationEndpoints',
  'checks',
  'dbrp',
  'annotations',
  'sources',
  'scrapers',
  'notebooks',
  'remotes',
  'replications',
  'instance',
  'flows',
  'functions',
  'subscriptions',
] as const

export type ResourceType = (typeof resourceTypes)[number]

/** Without `id` and `orgID` it covers every resource of the type. */
export interface Permission {
  readonly action: Action
  readonly resource: {
    readonly type: ResourceType
    readonly id?: string | undefined
    readonly orgID?: string | undefined
  }
}

/** What a request needs. Without `id`: the type as a whole, as creating and listing do. */
export interface Demand {
  readonly action: Action
  readonly type: ResourceType
  readonly id?: string
  readonly orgID?: string
}

export function allows(permissions: readonly Permission[], demand: Demand): boolean {
  for (const permission of permissions) if (grants(permission, demand)) return true
  return false
}

function grants(permission: Permission, demand: Demand): boolean {
  if (permission.action !== demand.action) return false
  const { type, id, orgID } = permission.resource
  if (type !== demand.type && type !== 'instance') return false
  // An organization is its own owner.
  const owner = demand.orgID ?? (demand.type === 'orgs' ? demand.id : undefined)
  // With both, both count: whoever may pass on what is in one organization cannot reach a resource
  // of another by naming its id.
  return (id === undefined || id === demand.id) && (orgID === undefined || orgID === owner)
}

/** Whether somebody with these permissions has all of that one, and so may pass it on. */
export function covers(permissions: readonly Permission[], wanted: Permission): boolean {
  const { action, resource } = wanted
  const { type, orgID } = resource
  // An organization is its own owner, by whichever of the two it is named.
  const id = resource.id ?? (type === 'orgs' ? orgID : undefined)
  // `instance` covers every type, so only `instance` covers it.
  const demand: Demand = {
    action,
    type,
    ...(id === undefined ? {} : { id }),
    ...(orgID === undefined ? {} : { orgID }),
  }
  return allows(permissions, demand)
}

/** Who may change organizations as a whole runs the installation. */
export function isOperator(permissions: readonly Permission[]): boolean {
  return allows(permissions, { action: 'write', type: 'orgs' })
}

/** The permission, kept to one organization where it names neither organization nor resource. */
export function confined(permission: Permission, orgId: string): Permission {
  const { action, resource } = permission
  const { type, id, orgID } = resource
  if (orgID !== undefined) return permission
  if (type === 'orgs') return { action, resource: { type, id: id ?? orgId } }
  // Users belong to no organization: an id says all.
  if (type === 'users' && id !== undefined) return permission
  return { action, resource: { ...resource, orgID: orgId } }
}

/**
 * What the permissions of an organization's token amount to. Those that name no organization stay
 * within the token's own, unless the token is an operator's; users belong to no organization.
 */
export function permissionsWithin(
  permissions: readonly Permission[],
  orgId: string | undefined,
): readonly Permission[] {
  const all = permissions.map(shaped)
  if (orgId === undefined || isOperator(all)) return all
  return all.map((permission) => {
    const { type, id } = permission.resource
    return type === 'users' || id !== undefined ? permission : shaped(confined(permission, orgId))
  })
}

const ownNames = new Map(resourceTypes.map((type) => [type, type]))

/**
 * With every property, given or not, and with our own constants: what is compared on the way of each request should
 * look the same whoever asks. The engine compiles for the shapes that it saw, and starts over when it meets another.
 */
function shaped({ action, resource: { type, id, orgID } }: Permission): Permission {
  return { action, resource: { type: ownNames.get(type) ?? type, id, orgID } }
}

/**
 * The ids of a type that somebody may do this to; `all` where it is every one. Ids that are
 * allowed by their organization are among them only for organizations.
 */
export function allowedIds(
  permissions: readonly Permission[],
  action: Action,
  type: 'orgs' | 'users',
): 'all' | string[] {
  if (allows(permissions, { action, type })) return 'all'
  const ids = new Set<string>()
  for (const { action: granted, resource } of permissions) {
    if (granted !== action) continue
    if (resource.type !== type && resource.type !== 'instance') continue
    const id = resource.id ?? (type === 'orgs' ? resource.orgID : undefined)
    if (id !== undefined) ids.add(id)
  }
  return [...ids]
}

/** As messages about a refusal name it: `write:orgs/<orgID>/buckets/<id>`. */
export function demandText(demand: Demand): string {
  const isOwned = demand.orgID !== undefined && demand.type !== 'orgs'
  const owner = isOwned ? `orgs/${demand.orgID}/` : ''
  const id = demand.id === undefined ? '' : `/${demand.id}`
  return `${demand.action}:${owner}${demand.type}${id}`
}

/** Read and write on every type: what the operator of an installation has. */
export function operatorPermissions(): Permission[] {
  const permissions: Permission[] = []
  for (const type of resourceTypes) {
    if (type === 'instance') continue
    permissions.push(
      { action: 'read', resource: { type } },
      { action: 'write', resource: { type } },
    )
  }
  return permissions
}
