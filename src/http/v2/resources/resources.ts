// Resources of the catalog as `/api/v2` shows them: field names, links, and nothing that must stay
// inside.

import type { Organization } from '../../../catalog/accounts/organizations.js'
import type { Token } from '../../../catalog/accounts/tokens.js'
import type { User } from '../../../catalog/accounts/users.js'
import type { Label } from '../../../catalog/dashboards/labels.js'
import type { Bucket } from '../../../catalog/storage/buckets.js'
import type { Dbrp } from '../../../catalog/storage/dbrps.js'
import type { MeasurementSchema } from '../../../catalog/storage/measurement-schemas.js'
import { labelJson } from './sub-resources.js'

export function userJson(user: User): object {
  const { id, name, status } = user
  return { links: { self: `/api/v2/users/${id}` }, id, name, status }
}

export function organizationJson(org: Organization): object {
  const { id, name, description, status, createdAt, updatedAt } = org
  const self = `/api/v2/orgs/${id}`
  const byName = `?org=${encodeURIComponent(name)}`
  return {
    links: {
      buckets: `/api/v2/buckets${byName}`,
      dashboards: `/api/v2/dashboards${byName}`,
      labels: `${self}/labels`,
      logs: `${self}/logs`,
      members: `${self}/members`,
      owners: `${self}/owners`,
      secrets: `${self}/secrets`,
      self,
      tasks: `/api/v2/tasks${byName}`,
    },
    id,
    name,
    description,
    status,
    defaultStorageType: 'tsm',
    createdAt,
    updatedAt,
  }
}

export function bucketJson(
  bucket: Bucket,
  labels: readonly Label[] = [],
  shardSeconds?: number,
): object {
  const { id, orgId, name, description, type, schemaType, createdAt, updatedAt } = bucket
  const self = `/api/v2/buckets/${id}`
  const shard = shardSeconds === undefined ? {} : { shardGroupDurationSeconds: shardSeconds }
  return {
    id,
    orgID: orgId,
    type,
    name,
    description,
    schemaType,
    retentionRules: [{ type: 'expire', everySeconds: bucket.retentionSeconds, ...shard }],
    createdAt,
    updatedAt,
    links: {
      labels: `${self}/labels`,
      members: `${self}/members`,
      org: `/api/v2/orgs/${orgId}`,
      owners: `${self}/owners`,
      self,
      write: `/api/v2/write?org=${orgId}&bucket=${id}`,
    },
    labels: labels.map(labelJson),
  }
}

/** `token` is the clear text where it was just made, and `redacted` ever after. */
export function authorizationJson(
  token: Token,
  clearText: string,
  names: { readonly org: string; readonly user: string },
): object {
  const { id, orgId, userId, description, status, permissions, createdAt, updatedAt } = token
  return {
    id,
    token: clearText,
    status,
    description,
    orgID: orgId,
    org: names.org,
    userID: userId,
    user: names.user,
    permissions,
    links: { self: `/api/v2/authorizations/${id}`, user: `/api/v2/users/${userId}` },
    createdAt,
    updatedAt,
  }
}

export function dbrpJson(dbrp: Dbrp): object {
  const { id, orgId, bucketId, database, retentionPolicy, isDefault } = dbrp
  return {
    id,
    orgID: orgId,
    bucketID: bucketId,
    database,
    retention_policy: retentionPolicy,
    default: isDefault,
    virtual: dbrp.isVirtual,
    links: { self: `/api/v2/dbrps/${id}` },
  }
}

export function measurementSchemaJson(schema: MeasurementSchema): object {
  const { id, orgId, parentId, name, body, createdAt, updatedAt } = schema
  const { columns } = body
  return { id, orgID: orgId, bucketID: parentId, name, columns, createdAt, updatedAt }
}
