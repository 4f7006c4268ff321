// The connection lets others run during a long transaction, although SQLite answers synchronously: writes
// are served meanwhile. Tables are made all or none.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../platform/clock.js'
import { seededRandom } from '../../platform/random.js'
import { openDatabase } from '../../platform/sqlite.js'
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

it('makes all tables or none', async () => {
  const folder = mkdtempSync(`${tmpdir()}/millrace-catalog-`)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = `${folder}/catalog.sqlite`
  const before = openDatabase(path)
  // In the way of a later step.
  before.exec('CREATE TABLE backfills (x)')
  const options = { path, clock: systemClock, random: seededRandom(5) }
  await expect(Catalog.open(options)).rejects.toThrow('already exists')
  before.exec('DROP TABLE backfills')
  before.close()
  const catalog = await Catalog.open(options)
  expect(await catalog.users.exists()).toBe(false)
  await catalog.close()
})
