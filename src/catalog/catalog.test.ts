// The catalog's resources and rules on a database in memory, and on a file across openings:
// set-up, organizations, buckets, mappings, and who is told of changes.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { emptyCatalog } from '../../test/catalog/postgres-databases.js'
import { ManualClock } from '../platform/clock.js'
import { seededRandom } from '../platform/random.js'
import { isId, newId, parseId } from './base/ids.js'
import { formatTimestamp } from './base/timestamps.js'
import { Catalog } from './catalog.js'
import { isSetupAllowed, setup } from './setup.js'

const now = 1_700_000_000_000_000_001n

async function open(path?: string): Promise<Catalog> {
  const catalog = await Catalog.open({
    path: path ?? (await emptyCatalog()),
    clock: new ManualClock(now),
    random: seededRandom(7),
  })
  onTestFinished(() => catalog.close())
  return catalog
}

const permissions = [{ action: 'write', resource: { type: 'buckets' } }] as const
const input = {
  username: 'u',
  org: 'o',
  bucket: 'b',
  passwordHash: undefined,
  retentionSeconds: undefined,
  tokenHash: 'h',
  permissions,
}

it('sets up all or nothing, and once', async () => {
  const catalog = await open()
  await expect(setup(catalog, { ...input, bucket: '"' })).rejects.toThrow('quotation marks')
  expect(await isSetupAllowed(catalog)).toBe(true)
  expect(await catalog.organizations.findFirst()).toBeUndefined()
  expect(await catalog.buckets.all()).toEqual([])
  const made = await setup(catalog, input)
  expect(made.bucket.retentionSeconds).toBe(2_592_000)
  expect(made.org.createdAt).toBe('2023-11-14T22:13:20.000000001Z')
  expect((await catalog.tokens.findByHash('h'))?.permissions).toEqual(permissions)
  await expect(setup(catalog, input)).rejects.toThrow('onboarding has already been completed')
})

it('gives each organization its system buckets', async () => {
  const catalog = await open()
  const org = await catalog.organizations.create({ name: 'o' })
  const buckets = (await catalog.buckets.all()).map(({ name, type }) => [name, type]).sort()
  expect(buckets).toEqual([
    ['_monitoring', 'system'],
    ['_tasks', 'system'],
  ])
  await expect(catalog.organizations.create({ name: 'o' })).rejects.toThrow('already exists')
  expect(await catalog.organizations.find(org.id)).toEqual(org)
  expect(await catalog.organizations.find('o')).toEqual(org)
})

it('tells changes after they are committed, and none that were not', async () => {
  const catalog = await open()
  const changes: string[] = []
  for (const name of ['bucket-saved', 'buckets-changed', 'organizations-changed'] as const) {
    catalog.on(name, () => changes.push(name))
  }
  const failing = catalog.inTransaction(async (inside) => {
    await inside.organizations.create({ name: 'o' })
    expect(changes).toEqual([])
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(changes).toEqual([])
  await catalog.inTransaction((inside) => inside.organizations.create({ name: 'o' }))
  const told = ['organizations-changed', 'buckets-changed', 'bucket-saved', 'bucket-saved']
  expect(changes.slice(0, told.length)).toEqual(told)
  // PostgreSQL may tell us of our own change before we have noted it: then all buckets are told once more.
  expect(new Set(changes.slice(told.length)).size).toBeLessThanOrEqual(1)
  expect(changes.at(-1)).toBe('bucket-saved')
})

it('checks buckets', async () => {
  const catalog = await open()
  const { id: orgId } = await catalog.organizations.create({ name: 'o' })
  const create = (name: string, retentionSeconds?: number) =>
    catalog.buckets.create({
      orgId,
      name,
      ...(retentionSeconds === undefined ? {} : { retentionSeconds }),
    })
  const bucket = await create('b', 9_223_372_036)
  await expect(create('b')).rejects.toThrow('bucket with name b already exists')
  await expect(create('')).rejects.toThrow('name is empty')
  await expect(create('_x')).rejects.toThrow('may not start with underscore')
  await expect(create('c', -1)).rejects.toThrow('cannot be negative')
  await expect(create('c', 1.5)).rejects.toThrow('whole number')
  await expect(create('c', 9_223_372_037)).rejects.toThrow('whole number')
  expect(await catalog.buckets.find(orgId, bucket.id)).toEqual(bucket)
  expect(await catalog.buckets.find(orgId, 'b')).toEqual(bucket)
  expect(await catalog.buckets.find('2222222222222222', bucket.id)).toBeUndefined()
})

it('resolves databases by mapping, then by name', async () => {
  const catalog = await open()
  const { id: orgId } = await catalog.organizations.create({ name: 'o' })
  const a = await catalog.buckets.create({ orgId, name: 'a' })
  const ab = await catalog.buckets.create({ orgId, name: 'a/b' })
  const c = await catalog.buckets.create({ orgId, name: 'c' })
  const resolve = async (database: string, policy?: string) => {
    const found = await catalog.dbrps.resolve(orgId, database, policy)
    return found.kind === 'found' ? found.bucketId : found.kind
  }
  expect(await resolve('a')).toBe(a.id)
  expect(await resolve('a', 'autogen')).toBe(a.id)
  expect(await resolve('a', 'b')).toBe(ab.id)
  expect(await resolve('a.b')).toBe(ab.id)
  expect(await resolve('a', 'x')).toBe('no-policy')
  expect(await resolve('x')).toBe('no-database')
  const mapping = { orgId, database: 'a', retentionPolicy: 'p', isDefault: false }
  await catalog.dbrps.create({ ...mapping, bucketId: c.id })
  expect(await resolve('a')).toBe(c.id)
  expect(await resolve('a', 'p')).toBe(c.id)
  expect(await resolve('a', 'b')).toBe(ab.id)
  const bad = { ...mapping, bucketId: c.id, database: 'a/b' }
  await expect(catalog.dbrps.create(bad)).rejects.toThrow('DBRP provided is invalid')
})

it('keeps everything in its file', async () => {
  const folder = mkdtempSync(`${tmpdir()}/millrace-catalog-`)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const first = await open(`${folder}/catalog.sqlite`)
  const { org, bucket } = await setup(first, input)
  await first.close()
  const second = await open(`${folder}/catalog.sqlite`)
  expect(await second.organizations.findByName('o')).toEqual(org)
  expect(await second.buckets.findById(bucket.id)).toEqual(bucket)
  expect(await isSetupAllowed(second)).toBe(false)
})

it('knows ids', () => {
  expect(newId(seededRandom(1))).toMatch(/^[0-9a-f]{16}$/)
  expect(isId('0000000000000000')).toBe(false)
  expect(isId('0123456789ABCDEF')).toBe(false)
  expect(() => parseId('12')).toThrow('id must have a length of 16 bytes')
  expect(() => parseId('000000000000000g')).toThrow('invalid ID')
  expect(formatTimestamp(0n)).toBe('1970-01-01T00:00:00.000000000Z')
})
