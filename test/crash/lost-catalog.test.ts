// The catalog damaged, old or gone beside a store that is whole: nothing that was acknowledged is forgotten without a
// word, and no token or session that was ended is valid again. A flag says that the loss is accepted.

import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Catalog } from '../../src/catalog/catalog.js'
import { CorruptionError } from '../../src/errors.js'
import { openStore } from '../../src/index.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { temporaryFolder } from '../api/client.js'
import { LineWriter } from './contents.js'

const openCatalog = (path: string, isLossAccepted = false) =>
  Catalog.open({ path, clock: systemClock, random: systemRandom, isLossAccepted })

async function makeToken(catalog: Catalog, orgId: string, tokenHash: string): Promise<string> {
  const permissions = [{ action: 'read', resource: { type: 'buckets' } }] as const
  const shared = { orgId, userId: undefined, description: tokenHash, permissions }
  return (await catalog.tokens.create({ tokenHash, ...shared })).id
}

/** Another one with the same files: what was closed in this process may hold its locks for a while. */
function copyOf(folder: string): string {
  const to = temporaryFolder()
  cpSync(folder, to, { recursive: true })
  return to
}

/** What a kill leaves while the catalog's log holds all of it: a copy of the folder. */
async function leftBehind(from: string, change: (catalog: Catalog) => Promise<void>) {
  const catalog = await openCatalog(`${from}/catalog.sqlite`)
  await change(catalog)
  const to = copyOf(from)
  await catalog.close()
  return to
}

it('refuses a catalog whose log lost its end to a flipped byte: no token comes back', async () => {
  const folder = await leftBehind(temporaryFolder(), async (catalog) => {
    const { id: orgId } = await catalog.inTransaction((inside) =>
      inside.organizations.create({ name: 'o' }),
    )
    const token = await makeToken(catalog, orgId, 'hash')
    for (let i = 0; i < 8; i++) await makeToken(catalog, orgId, `hash ${i}`)
    await catalog.tokens.delete(token)
  })
  const path = `${folder}/catalog.sqlite`
  const log = readFileSync(`${path}-wal`)
  // In the last transaction, in the middle, and in the first: whatever SQLite makes of it, it must not be silent.
  for (const offset of [log.length - 100, log.length >> 1, 100]) {
    const damaged = Buffer.from(log)
    damaged[offset] ^= 1
    rmSync(`${path}-shm`, { force: true })
    writeFileSync(`${path}-wal`, damaged)
    const opened = openCatalog(`${copyOf(folder)}/catalog.sqlite`)
    await expect(opened).rejects.toBeInstanceOf(CorruptionError)
    await expect(opened).rejects.toThrow('--accept-lost-catalog')
  }
  writeFileSync(`${path}-wal`, log)
  const whole = await openCatalog(path)
  expect(await whole.tokens.findByHash('hash')).toBeUndefined()
  expect(await whole.tokens.findByHash('hash 7')).toBeDefined()
  await whole.close()
})

it('counts the end of a session as a change that must not be lost', async () => {
  const folder = await leftBehind(temporaryFolder(), async (catalog) => {
    const user = await catalog.users.create({ name: 'u', passwordHash: undefined })
    await catalog.sessions.create('key', user.id)
    await catalog.sessions.end('key')
  })
  const path = `${folder}/catalog.sqlite`
  const log = readFileSync(`${path}-wal`)
  log[log.length - 100] ^= 1
  writeFileSync(`${path}-wal`, log)
  await expect(openCatalog(path)).rejects.toThrow('has lost changes')
})

async function storeWithPoints(): Promise<string> {
  const dataDir = temporaryFolder()
  const { store, catalog, close } = await openStore({ dataDir, jobs: 'inline' })
  const bucket = await catalog.inTransaction(async (inside) => {
    const org = await inside.organizations.create({ name: 'o' })
    return inside.buckets.create({ orgId: org.id, name: 'b', retentionSeconds: 0 })
  })
  await new LineWriter().write(store, bucket.id, 'm f=1 1')
  await close()
  return copyOf(dataDir)
}

it.each(['lost', 'emptied', 'lost with its witness'])(
  'refuses a catalog that is %s beside a full store, unless it is told to',
  async (how) => {
    const dataDir = await storeWithPoints()
    const path = `${dataDir}/catalog.sqlite`
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
    if (how === 'emptied') truncateSync(path, 0)
    else rmSync(path)
    if (how === 'lost with its witness') rmSync(`${path}-changes`)
    const open = (acceptLostCatalog = false) =>
      openStore({ dataDir, jobs: 'inline', acceptLostCatalog })
    await expect(open()).rejects.toThrow('--accept-lost-catalog')
    // The attempt made nothing that hides it.
    await expect(open()).rejects.toThrow('the catalog is empty')
    const { store, close } = await open(true)
    expect(store.bucketIds?.()).toHaveLength(1)
    await close()
  },
)

it('goes on with an old catalog once that is accepted, and counts from there', async () => {
  const make = (name: string) => async (catalog: Catalog) => {
    await catalog.inTransaction((inside) => inside.organizations.create({ name }))
  }
  const old = await leftBehind(temporaryFolder(), make('a'))
  const folder = await leftBehind(copyOf(old), make('b'))
  const path = `${folder}/catalog.sqlite`
  for (const end of ['', '-wal', '-shm']) cpSync(`${old}/catalog.sqlite${end}`, `${path}${end}`)
  await expect(openCatalog(path)).rejects.toThrow(/has lost changes: \d+ were acknowledged/)
  await (await openCatalog(copyOf(folder).concat('/catalog.sqlite'), true)).close()
})
