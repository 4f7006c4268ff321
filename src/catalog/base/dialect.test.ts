// The connection lets others run during a long transaction, although SQLite answers synchronously: writes
// are served meanwhile.

import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../platform/clock.js'
import { seededRandom } from '../../platform/random.js'
import { Catalog } from '../catalog.js'

async function open() {
  const options = { path: ':memory:', clock: systemClock, random: seededRandom(5) }
  const catalog = await Catalog.open(options)
  onTestFinished(() => catalog.close())
  const org = await catalog.inTransaction((inside) => inside.organizations.create({ name: 'o' }))
  return { catalog, orgId: org.id }
}

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
