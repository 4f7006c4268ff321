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
  const { type, id, orgID } = permission.resource
  if (permission.action !== demand.action) return false
  if (type !== demand.type && type !== 'instance') return false
  if (id !== undefined) return id === demand.id
  return orgID === undefined || orgID === demand.orgID
}

/** As messages about a refusal name it: `write:orgs/<orgID>/buckets/<id>`. */
export function demandText(demand: Demand): string {
  const owner = demand.orgID === undefined ? '' : `orgs/${demand.orgID}/`
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
