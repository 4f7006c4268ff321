// The catalog damaged, old or gone beside a store that is whole: nothing that was acknowledged is forgotten without a
// word, and no token or session that was ended is valid again. A flag says that the loss is accepted.

import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Catalog } from '../../src/catalog/catalog.js'
import { CorruptionError } from '../../src/errors.js'
import { openStore } from '../../src/index.js'
import { systemClock } from '../../src/platform/clock.js'
import { systemRandom } from '../../src/platform/random.js'
import { connect } from '../../src/platform/sqlite.js'
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

/** A catalog with an organization that was closed, or that a kill has left with a log. */
async function madeCatalog(isClosed: boolean): Promise<string> {
  const folder = temporaryFolder()
  const make = async (catalog: Catalog) => {
    await catalog.inTransaction((inside) => inside.organizations.create({ name: 'the-one' }))
  }
  const first = await openCatalog(`${folder}/catalog.sqlite`)
  await make(first)
  await first.close()
  if (isClosed) return copyOf(folder)
  return leftBehind(folder, async (catalog) => {
    await catalog.inTransaction((inside) => inside.organizations.create({ name: 'later' }))
  })
}

it.each([true, false])(
  'refuses a file with a flipped byte (closed before: %s)',
  async (isClosed) => {
    const folder = await madeCatalog(isClosed)
    const whole = readFileSync(`${folder}/catalog.sqlite`)
    const name = whole.indexOf('the-one')
    expect(name).toBeGreaterThan(0)
    const unused = whole.indexOf(Buffer.alloc(256), 4096) + 128
    expect(unused).toBeGreaterThan(4096)
    // Another name, bytes that are no text, and room on a page that nobody looks at.
    for (const [at, byte] of [
      [name, 0x54],
      [name + 2, 0xff],
      [unused, 0x55],
    ]) {
      const damaged = Buffer.from(whole)
      damaged[at] = byte
      const copy = copyOf(folder)
      writeFileSync(`${copy}/catalog.sqlite`, damaged)
      const opened = openCatalog(`${copy}/catalog.sqlite`)
      await expect(opened, `byte ${at}`).rejects.toBeInstanceOf(CorruptionError)
      // What a log has in place of a page is what is read: such texts are whole.
      if (byte === 0xff && isClosed) {
        await expect(opened).rejects.toThrow('holds what is no text')
        await expect(openCatalog(`${copy}/catalog.sqlite`, true)).rejects.toThrow('restore')
      } else {
        await expect(opened).rejects.toThrow('the catalog is damaged')
        const accepted = await openCatalog(`${copyOf(copy)}/catalog.sqlite`, true)
        await accepted.close()
      }
    }
    await (await openCatalog(`${folder}/catalog.sqlite`)).close()
  },
)

it('asks SQLite where a kill has left no seal', async () => {
  const path = `${await madeCatalog(true)}/catalog.sqlite`
  const damaged = readFileSync(path)
  // Its index has another name then.
  damaged[damaged.indexOf('the-one')] ^= 1
  writeFileSync(path, damaged)
  rmSync(`${path}-seal`)
  await expect(openCatalog(path)).rejects.toThrow(/the catalog is damaged.* index/)
})

it('takes a file into which another program has carried the log over', async () => {
  const folder = await madeCatalog(false)
  const path = `${folder}/catalog.sqlite`
  const other = connect(path)
  other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
  other.close()
  const catalog = await openCatalog(path)
  expect(await catalog.organizations.find('later')).toBeDefined()
  await catalog.close()
})

it('carries a long log over while it goes on, and seals the file', async () => {
  const folder = temporaryFolder()
  const path = `${folder}/catalog.sqlite`
  const catalog = await openCatalog(path)
  const sizeBefore = readFileSync(path).length
  const { id: orgId } = await catalog.inTransaction((inside) =>
    inside.organizations.create({ name: 'o' }),
  )
  let longest = 0
  for (let i = 0; i < 1500; i++) {
    await makeToken(catalog, orgId, `hash ${i}`)
    if (i % 100 === 0) longest = Math.max(longest, statSync(`${path}-wal`).size)
  }
  expect(longest).toBeLessThan(16 << 20)
  expect(readFileSync(path).length).toBeGreaterThan(sizeBefore)
  const copy = copyOf(folder)
  await catalog.close()
  const damaged = readFileSync(`${copy}/catalog.sqlite`)
  damaged[damaged.length - 1] ^= 1
  await (await openCatalog(`${copyOf(copy)}/catalog.sqlite`)).close()
  writeFileSync(`${copy}/catalog.sqlite`, damaged)
  await expect(openCatalog(`${copy}/catalog.sqlite`)).rejects.toThrow('the catalog is damaged')
})
