// Buckets in the catalog: who is told of changes, what a deletion takes along, names under
// concurrency without a transaction, and lists by what may be seen.

import { expect, it, onTestFinished } from 'vitest'
import { emptyCatalog } from '../../../test/catalog/postgres-databases.js'
import { ManualClock } from '../../platform/clock.js'
import { seededRandom } from '../../platform/random.js'
import type { SavedBucket } from '../base/context.js'
import { wholeList } from '../base/page.js'
import { Catalog } from '../catalog.js'

async function open() {
  const clock = new ManualClock(1_700_000_000_000_000_000n)
  const path = await emptyCatalog()
  const catalog = await Catalog.open({ path, clock, random: seededRandom(3) })
  onTestFinished(() => catalog.close())
  const { id: orgId } = await catalog.organizations.create({ name: 'o' })
  const [saved, deleted]: [SavedBucket[], string[]] = [[], []]
  catalog.on('bucket-saved', (bucket) => saved.push(bucket))
  catalog.on('bucket-deleted', (bucketId) => deleted.push(bucketId))
  return { catalog, orgId, saved, deleted }
}

it('takes along what belonged to a deleted bucket', async () => {
  const { catalog, orgId, deleted } = await open()
  const { buckets, dbrps, labels, memberships, measurementSchemas } = catalog
  const bucket = await buckets.create({ orgId, name: 'x', schemaType: 'explicit' })
  const other = await buckets.create({ orgId, name: 'y' })
  const map = (bucketId: string, retentionPolicy: string) =>
    dbrps.create({ orgId, bucketId, database: 'd', retentionPolicy, isDefault: false })
  await map(bucket.id, 'a')
  const kept = await map(other.id, 'b')
  expect(kept.isDefault).toBe(false)
  const label = await labels.create(orgId, 'l', {})
  await labels.attach(bucket.id, label.id)
  const user = await catalog.users.create({ name: 'u', passwordHash: undefined })
  const role = { resourceType: 'buckets', resourceId: bucket.id, role: 'member' } as const
  await memberships.add({ ...role, userId: user.id })
  await measurementSchemas.create(bucket, 'm', [
    { name: 'time', type: 'timestamp' },
    { name: 'f', type: 'field', dataType: 'float' },
  ])
  const before = { ...catalog.versions }
  expect(await catalog.inTransaction((inside) => inside.buckets.delete(bucket.id))).toBe(true)
  expect(await buckets.delete(bucket.id)).toBe(false)
  expect(deleted).toEqual([bucket.id])
  for (const kind of ['dbrps', 'labels', 'memberships', 'measurement-schemas'] as const) {
    expect(catalog.versions[kind], kind).toBeGreaterThan(before[kind])
  }
  expect(await dbrps.list(orgId)).toEqual([{ ...kept, isDefault: true }])
  expect(await labels.ofResource(bucket.id)).toEqual([])
  expect(await memberships.ofUser(user.id)).toEqual([])
  expect(await measurementSchemas.ofBucket(bucket.id)).toEqual([])
  expect(await buckets.awaitingDrop()).toEqual([bucket.id])
  await buckets.dropped(bucket.id)
  expect(await buckets.awaitingDrop()).toEqual([])
  await buckets.create({ orgId, name: 'x' })
})

it('lets one of many have a name, even without a transaction', async () => {
  const { catalog, orgId } = await open()
  const { buckets } = catalog
  const make = (name: string) => buckets.create({ orgId, name })
  const outcomes = await Promise.allSettled([make('x'), make('x'), make('x')])
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    expect(outcome.reason).toMatchObject({
      code: 'conflict',
      message: 'bucket with name x already exists',
    })
  }
  const [a, b] = [await make('a'), await make('b')]
  const renamed = await Promise.allSettled([
    buckets.update(a.id, { name: 'c' }),
    buckets.update(b.id, { name: 'c' }),
  ])
  expect(renamed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

it('tells of changed retention, and keeps what is not changed', async () => {
  const { catalog, orgId, saved } = await open()
  const { id } = await catalog.buckets.create({ orgId, name: 'x', description: 'd' })
  const changed = await catalog.buckets.update(id, { retentionSeconds: 60 })
  expect(changed).toMatchObject({ name: 'x', description: 'd', retentionSeconds: 60 })
  expect(saved.at(-1)).toEqual(changed)
  await expect(catalog.buckets.update(id, { retentionSeconds: -1 })).rejects.toThrow('negative')
  await expect(catalog.buckets.update('0123456789abcdef', {})).rejects.toThrow('bucket not found')
})

it('lists by what may be seen', async () => {
  const { catalog, orgId } = await open()
  const { buckets } = catalog
  const { id } = await buckets.create({ orgId, name: 'x' })
  await buckets.create({ orgId, name: 'y' })
  const names = async (userBuckets: 'all' | string[], systemBuckets: boolean, rest = {}) => {
    const found = await buckets.list({ orgId, userBuckets, systemBuckets, ...rest }, wholeList)
    return found.map(({ name }) => name).sort()
  }
  expect(await names('all', true)).toEqual(['_monitoring', '_tasks', 'x', 'y'])
  expect(await names('all', false)).toEqual(['x', 'y'])
  expect(await names([id], false)).toEqual(['x'])
  expect(await names([], true)).toEqual(['_monitoring', '_tasks'])
  expect(await names([], false)).toEqual([])
  expect(await names([id], true, { name: 'y' })).toEqual([])
  expect(await buckets.count(orgId)).toBe(2)
})
