// The connection counts what may change an answer, so that answers can be remembered, and lets others
// run during a long transaction.

import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../platform/clock.js'
import { seededRandom } from '../../platform/random.js'
import { Catalog } from '../catalog.js'
import { wholeList } from './page.js'

async function open() {
  const options = { path: ':memory:', clock: systemClock, random: seededRandom(5) }
  const catalog = await Catalog.open(options)
  onTestFinished(() => catalog.close())
  const org = await catalog.inTransaction((inside) => inside.organizations.create({ name: 'o' }))
  return { catalog, orgId: org.id }
}

it('counts changes, and not questions', async () => {
  const { catalog, orgId } = await open()
  const { labels, buckets } = catalog
  const grows = async (work: () => Promise<unknown>) => {
    const before = catalog.changeCount()
    await work()
    return catalog.changeCount() > before
  }
  const label = await labels.create(orgId, 'l', {})
  const bucket = await buckets.create({ orgId, name: 'b' })
  const filter = { orgId, userBuckets: 'all', systemBuckets: true } as const
  expect(await grows(() => buckets.list(filter, wholeList))).toBe(false)
  expect(await grows(() => labels.ofResources([bucket.id]))).toBe(false)
  expect(await grows(() => labels.attach(bucket.id, label.id))).toBe(true)
  expect(await grows(() => labels.update(label.id, { name: 'm' }))).toBe(true)
  expect(await grows(() => labels.detach(bucket.id, label.id))).toBe(true)
  expect(await grows(() => buckets.update(bucket.id, { description: 'd' }))).toBe(true)
  expect(await grows(() => buckets.delete(bucket.id))).toBe(true)
})

it('counts the end of a transaction: what was asked before and within it is no longer known', async () => {
  const { catalog, orgId } = await open()
  const counts: number[] = []
  const failing = catalog.inTransaction(async (inside) => {
    counts.push(catalog.changeCount())
    await inside.buckets.create({ orgId, name: 'b' })
    counts.push(catalog.changeCount())
    throw new Error('not this time')
  })
  await expect(failing).rejects.toThrow('not this time')
  expect(catalog.changeCount()).toBeGreaterThan(counts[1])
  expect(counts[1]).toBeGreaterThan(counts[0])
  expect(await catalog.buckets.findByName(orgId, 'b')).toBeUndefined()
})

it('lets others run while a transaction is long', async () => {
  const { catalog, orgId } = await open()
  let turns = 0
  const turn = () => {
    turns++
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  await catalog.inTransaction(async (inside) => {
    for (let i = 0; i < 500; i++) await inside.buckets.create({ orgId, name: `b${i}` })
  })
  clearImmediate(next)
  expect(turns).toBeGreaterThan(2)
})
