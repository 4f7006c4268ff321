// Users, sessions, tokens, secrets and limits as the catalog keeps them: pages, names, what ends
// with what, and that a change of plan reaches what was not set apart.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { emptyCatalog } from '../../test/catalog/postgres-databases.js'
import type { Plan } from '../config.js'
import { ManualClock } from '../platform/clock.js'
import { seededRandom } from '../platform/random.js'
import { wholeList } from './base/page.js'
import { Catalog } from './catalog.js'

async function open(file?: string, plan?: Plan) {
  const path = file ?? (await emptyCatalog())
  const clock = new ManualClock(1_700_000_000_000_000_000n)
  const catalog = await Catalog.open({ path, clock, random: seededRandom(5), plan })
  onTestFinished(() => catalog.close())
  const changes: string[] = []
  for (const kind of ['tokens', 'limits'] as const) {
    catalog.on(`${kind}-changed`, () => changes.push(kind))
  }
  return { catalog, clock, changes }
}

const permissions = [{ action: 'read', resource: { type: 'buckets' } }] as const

it('deletes a user with what is theirs', async () => {
  const { catalog, changes } = await open()
  const { id } = await catalog.users.create({ name: 'a', passwordHash: 'x' })
  const keeper = await catalog.users.create({ name: 'b', passwordHash: undefined })
  const org = await catalog.organizations.create({ name: 'o' })
  const role = { resourceType: 'orgs', resourceId: org.id, role: 'owner' } as const
  await catalog.memberships.add({ ...role, userId: id })
  await catalog.sessions.create('key', id)
  const token = { orgId: org.id, description: '', permissions }
  await catalog.tokens.create({ ...token, tokenHash: '1', userId: id })
  await catalog.tokens.create({ ...token, tokenHash: '2', userId: keeper.id, creatorId: id })
  await catalog.tokens.create({ ...token, tokenHash: '3', userId: keeper.id })
  changes.length = 0
  await catalog.inTransaction((inside) => inside.users.delete(id))
  expect(changes).toContain('tokens')
  expect(await catalog.users.findById(id)).toBeUndefined()
  expect(await catalog.sessions.use('key')).toBeUndefined()
  expect(await catalog.memberships.ofUser(id)).toEqual([])
  const standings = []
  for (const one of await catalog.tokens.list({})) {
    standings.push(await catalog.users.standingOf({ ...one, status: 'active' }))
  }
  expect(standings.sort()).toEqual(['active', 'inactive', 'inactive'])
  await expect(catalog.users.delete(keeper.id)).rejects.toThrow('the last user')
})

it('lists users and organizations by id and page', async () => {
  const { catalog, clock } = await open()
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    clock.advance(1n)
    ids.push((await catalog.users.create({ name, passwordHash: undefined })).id)
    await catalog.organizations.create({ name })
  }
  const page = { limit: 2, offset: 1, descending: true }
  expect((await catalog.users.list({}, page)).map(({ name }) => name)).toEqual(['b', 'a'])
  const one = await catalog.users.list({ ids: [ids[1]] }, wholeList)
  expect(one.map(({ name }) => name)).toEqual(['b'])
  expect(await catalog.users.list({ ids: [] }, wholeList)).toEqual([])
  const orgs = await catalog.organizations.list(undefined, page)
  expect(orgs.map(({ name }) => name)).toEqual(['b', 'a'])
  expect(await catalog.organizations.list([], wholeList)).toEqual([])
})

it('forgets sessions that expired when others begin', async () => {
  const { catalog, clock } = await open()
  await catalog.sessions.create('old', 'u')
  clock.advance(3_600_000_000_000n)
  expect(await catalog.sessions.use('old')).toBeUndefined()
  await catalog.sessions.create('new', 'u')
  expect(await catalog.sessions.use('new')).toBe('u')
  await catalog.sessions.end('new')
  expect(await catalog.sessions.use('new')).toBeUndefined()
})

it('applies the plan to everything that was not set', async () => {
  const folder = mkdtempSync(`${tmpdir()}/millrace-catalog-`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = `${folder}/catalog.sqlite`
  const first = await open(path)
  expect((await first.catalog.limits.of('o')).bucket.maxBuckets).toBe(0)
  await first.catalog.limits.change('o', { bucket: { maxBuckets: 9 } })
  expect(first.changes).toEqual(['limits'])
  await first.catalog.limits.change('o', { task: { maxTasks: 3 } })
  await first.catalog.close()
  const { limits } = (await open(path, 'free')).catalog
  const { bucket, task, check } = await limits.of('o')
  expect(bucket).toEqual({ maxBuckets: 9, maxRetentionDuration: 2_592_000 * 1e9 })
  expect([task.maxTasks, check.maxChecks]).toEqual([3, 2])
  expect((await limits.of('other')).bucket.maxBuckets).toBe(2)
})

it('makes no token for an organization that is gone', async () => {
  const { catalog } = await open()
  const org = await catalog.organizations.create({ name: 'o' })
  const input = { orgId: org.id, userId: undefined, description: '', permissions }
  const token = await catalog.tokens.create({ ...input, tokenHash: '1' })
  const legacy = await catalog.legacyTokens.create({ ...input, username: 'ada' })
  expect(await catalog.tokens.findById(token.id)).toEqual(token)
  expect(await catalog.legacyTokens.findById(legacy.id)).toEqual(legacy)
  await catalog.inTransaction((inside) => inside.organizations.delete(org.id))
  const missing = 'organization not found'
  await expect(catalog.tokens.create({ ...input, tokenHash: '2' })).rejects.toThrow(missing)
  await expect(catalog.legacyTokens.create({ ...input, username: 'eve' })).rejects.toThrow(missing)
  expect(await catalog.legacyTokens.list({})).toEqual([])
})

it('keeps what a change of a v1 user says', async () => {
  const { catalog, clock } = await open()
  const { id: orgId } = await catalog.organizations.create({ name: 'o' })
  const input = { orgId, userId: undefined, description: '', permissions }
  const { id } = await catalog.legacyTokens.create({ ...input, username: 'ada' })
  expect(await catalog.legacyTokens.findLogin('ada')).toBeUndefined()
  clock.advance(1_000_000_000n)
  const changed = await catalog.legacyTokens.update(id, { status: 'inactive', description: 'd' })
  expect(changed).toMatchObject({ username: 'ada', status: 'inactive', description: 'd' })
  expect(changed.updatedAt > changed.createdAt).toBe(true)
  expect(await catalog.legacyTokens.findById(id)).toEqual(changed)
  const granted = [{ action: 'write', resource: { type: 'buckets', orgID: orgId } }] as const
  await catalog.legacyTokens.setPermissions(id, granted)
  await catalog.legacyTokens.setPassword(id, 'hash')
  const login = await catalog.legacyTokens.findLogin('ada')
  expect(login?.passwordHash).toBe('hash')
  expect(login?.token.permissions).toEqual(granted)
  await expect(catalog.legacyTokens.update('x', {})).rejects.toThrow('authorization not found')
})

it('keeps when tokens were last used, which changes no token', async () => {
  const { catalog, changes } = await open()
  const { id: orgId } = await catalog.organizations.create({ name: 'o' })
  const input = { orgId, userId: undefined, description: '', permissions }
  const { id } = await catalog.tokens.create({ ...input, tokenHash: '1' })
  const other = await catalog.tokens.create({ ...input, tokenHash: '2' })
  const login = await catalog.legacyTokens.create({ ...input, username: 'u' })
  changes.length = 0
  const uses = (minute: number) => new Map([id, login.id, 'gone'].map((used) => [used, minute]))
  await catalog.tokenUses.add(uses(7))
  await catalog.tokenUses.add(new Map([[id, 9]]))
  // Another process may tell later what it saw before.
  await catalog.tokenUses.add(uses(8))
  const ids = [id, other.id, login.id, 'gone']
  const expected = { [id]: 9, [login.id]: 8, gone: 8 }
  expect(Object.fromEntries(await catalog.tokenUses.of(ids))).toEqual(expected)
  expect(changes).toEqual([])
  await catalog.tokenUses.forgetGone()
  expect([...(await catalog.tokenUses.of(ids)).keys()].sort()).toEqual([id, login.id].sort())
  expect(await catalog.tokenUses.of([])).toEqual(new Map())
})
