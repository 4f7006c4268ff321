// Versions rise with what changes their kind of resource, and with nothing else; a process that shares
// the catalog sees what others did when it refreshes.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { emptyCatalog } from '../../../test/catalog/postgres-databases.js'
import { systemClock } from '../../platform/clock.js'
import { seededRandom } from '../../platform/random.js'
import { Catalog } from '../catalog.js'
import { wholeList } from './page.js'

async function open(file?: string) {
  const path = file ?? (await emptyCatalog())
  const catalog = await Catalog.open({ path, clock: systemClock, random: seededRandom(5) })
  onTestFinished(() => catalog.close())
  return catalog
}

/** The kinds whose versions rose. */
async function risen(catalog: Catalog, work: () => Promise<unknown>): Promise<string[]> {
  const before: Record<string, number> = { ...catalog.versions }
  await work()
  const rose = Object.entries(catalog.versions).filter(([kind, now]) => now > before[kind])
  return rose.map(([kind]) => kind)
}

it('rise with changes, and not with questions', async () => {
  const catalog = await open()
  const { labels, buckets } = catalog
  const { id: orgId } = await catalog.organizations.create({ name: 'o' })
  const rose = (work: () => Promise<unknown>) => risen(catalog, work)
  const label = await labels.create(orgId, 'l', {})
  const bucket = await buckets.create({ orgId, name: 'b' })
  const filter = { orgId, userBuckets: 'all', systemBuckets: true } as const
  expect(await rose(() => buckets.list(filter, wholeList))).toEqual([])
  expect(await rose(() => labels.ofResources([bucket.id]))).toEqual([])
  expect(await rose(() => labels.attach(bucket.id, label.id))).toEqual(['labels'])
  expect(await rose(() => labels.update(label.id, { name: 'm' }))).toEqual(['labels'])
  expect(await rose(() => labels.detach(bucket.id, label.id))).toEqual(['labels'])
  expect(await rose(() => buckets.update(bucket.id, { description: 'd' }))).toEqual(['buckets'])
  expect(await rose(() => buckets.delete(bucket.id))).toEqual(['buckets'])
  expect(await rose(() => catalog.limits.change(orgId, {}))).toEqual(['limits'])
  expect(await rose(() => catalog.secrets.put(orgId, { a: 'b' }))).toEqual(['secrets'])
  const user = { name: 'u', passwordHash: undefined }
  expect(await rose(() => catalog.users.create(user))).toEqual(['users'])
  const query = { database: 'd', name: 'q', text: '' }
  const made = () => catalog.continuousQueries.create(orgId, undefined, query)
  expect(await rose(made)).toEqual(['continuous-queries'])
  const all = await rose(() =>
    catalog.inTransaction((inside) => inside.organizations.delete(orgId)),
  )
  const gone = ['buckets', 'continuous-queries', 'labels', 'limits', 'organizations', 'secrets']
  expect(all.sort()).toEqual(gone)
})

it('stay as they were when a transaction fails', async () => {
  const catalog = await open()
  const rose = await risen(catalog, async () => {
    const failing = catalog.inTransaction(async (inside) => {
      await inside.organizations.create({ name: 'o' })
      throw new Error('not this time')
    })
    await expect(failing).rejects.toThrow('not this time')
    await catalog.refresh()
  })
  expect(rose).toEqual([])
})

it('are seen by others who refresh, and after a restart', async () => {
  const folder = mkdtempSync(`${tmpdir()}/millrace-versions-`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = `${folder}/catalog.sqlite`
  const [here, there] = [await open(path), await open(path)]
  const told: string[] = []
  for (const kind of ['organizations', 'buckets', 'tokens'] as const) {
    there.on(`${kind}-changed`, () => told.push(kind))
  }
  await here.inTransaction((inside) => inside.organizations.create({ name: 'o' }))
  expect(there.versions).not.toEqual(here.versions)
  expect(told).toEqual([])
  await there.refresh()
  expect(there.versions).toEqual(here.versions)
  expect(told).toEqual(['organizations', 'buckets'])
  await there.refresh()
  expect(told).toHaveLength(2)
  const kept = new Map<string, number>()
  there.on('bucket-saved', ({ id, retentionSeconds }) => kept.set(id, retentionSeconds))
  const [organization] = await here.organizations.list(undefined, {
    limit: 1,
    offset: 0,
    descending: false,
  })
  const { id } = await here.buckets.create({
    orgId: organization.id,
    name: 'b',
    retentionSeconds: 7200,
  })
  await there.refresh()
  expect(kept.get(id)).toBe(7200)
  expect((await open(path)).versions).toEqual(here.versions)
})
