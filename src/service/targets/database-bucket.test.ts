// Which bucket a database is in each variant, who may use it, and which process does such work at all:
// the one answer that the v3 endpoints and Flight stand on.

import { expect, it, onTestFinished } from 'vitest'
import type { Identity } from '../../access/authenticator.js'
import type { Permission } from '../../access/permissions.js'
import { Catalog } from '../../catalog/catalog.js'
import { type Config, defaultConfig } from '../../config.js'
import { ManualClock } from '../../platform/clock.js'
import { seededRandom } from '../../platform/random.js'
import { databaseBucket } from './database-bucket.js'
import { Targets } from './targets.js'

async function house(config: Partial<Config>) {
  const clock = new ManualClock(1n)
  const catalog = await Catalog.open({ path: ':memory:', clock, random: seededRandom(1) })
  onTestFinished(() => catalog.close())
  const { id: orgId } = await catalog.organizations.create({ name: 'o' })
  const bucket = await catalog.buckets.create({ orgId, name: 'd' })
  const services = {
    config: { ...defaultConfig, ...config },
    targets: new Targets({ catalog, homeOrgId: config.variant === 'cluster' ? orgId : undefined }),
  }
  const as = (...permissions: Permission[]): Identity => ({
    tokenId: undefined,
    orgId,
    userId: undefined,
    permissions,
  })
  const { id } = bucket
  const reader = as({ action: 'read', resource: { type: 'buckets', id, orgID: orgId } })
  const find = async (database: string, action: 'read' | 'write', identity = reader) =>
    (await databaseBucket(services, identity, database, action)).id
  return { catalog, orgId, bucket, as, find }
}

it.each(['managed', 'cluster'] as const)('finds and guards, in the %s variant', async (variant) => {
  const { bucket, find, as } = await house({ variant })
  expect(await find('d', 'read')).toBe(bucket.id)
  expect(await find(bucket.id, 'read')).toBe(bucket.id)
  await expect(find('d', 'write')).rejects.toMatchObject({ code: 'unauthorized' })
  await expect(find('d', 'read', as())).rejects.toMatchObject({ code: 'unauthorized' })
  const missing = { code: 'not found', message: 'database not found: none' }
  await expect(find('none', 'read')).rejects.toMatchObject(missing)
})

it('takes a bucket by its name before a mapping, in the managed variant', async () => {
  const { catalog, orgId, bucket, find, as } = await house({ variant: 'managed' })
  const other = await catalog.buckets.create({ orgId, name: 'e' })
  const input = { orgId, retentionPolicy: 'autogen', isDefault: true }
  await catalog.dbrps.create({ ...input, database: 'mapped', bucketId: bucket.id })
  await catalog.dbrps.create({ ...input, database: 'e', bucketId: bucket.id })
  expect(await find('mapped', 'read')).toBe(bucket.id)
  const all = as({ action: 'read', resource: { type: 'buckets', orgID: orgId } })
  expect(await find('e', 'read', all)).toBe(other.id)
})

it('refuses work of the other role', async () => {
  const ingester = await house({ variant: 'cluster', role: 'ingest' })
  await expect(ingester.find('d', 'read')).rejects.toMatchObject({ code: 'unavailable' })
  const querier = await house({ variant: 'cluster', role: 'query' })
  await expect(querier.find('d', 'write')).rejects.toMatchObject({ code: 'unavailable' })
  expect(await querier.find('d', 'read')).toBe(querier.bucket.id)
})
