// An installation that moves into another folder while it is written to: `migrate --data-dir` of a folder that a server
// has open. What was acknowledged is there, in all organizations; writes are held back only at the end, and are taken
// again where the migration did not come to it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { hashToken } from '../../src/access/tokens.js'
import { startServer } from '../../src/index.js'
import { adminToken, send } from '../api/client.js'
import { finish, run } from '../api/program.js'
import { migrate } from './migrate-command.js'

interface Changed {
  readonly url: string
  readonly orgID: string
  readonly theirs: string
  readonly taken: Map<string, number>
  write(bucket: 'b' | 'q', body: string): ReturnType<typeof send>
}

/** All is there, but the address was not changed: writes are taken again, and points go. */
async function changeAfterwards({ url, orgID, write, theirs, taken }: Changed): Promise<void> {
  const hold = await send(`${url}/api/v2/writes/hold`, { method: 'DELETE', token: adminToken })
  expect(hold.status).toBe(204)
  const remove = async (query: string, token: string, predicate: string) => {
    const body = JSON.stringify({
      start: '1970-01-01T00:00:00Z',
      stop: '2200-01-01T00:00:00Z',
      predicate,
    })
    const { status, text } = await send(`${url}/api/v2/delete?${query}`, {
      method: 'POST',
      token,
      body,
    })
    expect(status, text).toBe(204)
  }
  await remove('org=o&bucket=b', adminToken, 'h="1"')
  expect((await write('b', 'm,h=1 f=5 6')).status).toBe(204)
  // Shards that have nothing else any more.
  await remove(`orgID=${orgID}&bucket=q`, theirs, '_measurement="live"')
  taken.clear()
  expect((await write('q', 'live v=7i 9')).status).toBe(204)
  taken.set('9', 7)
}

it('moves while it is written to, and goes on after a kill', async () => {
  const folder = mkdtempSync(`${tmpdir()}/millrace-running-`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [before, after] = [`${folder}/before`, `${folder}/after`]
  const server = await startServer({ jobs: 'inline', dataDir: before, adminToken })
  onTestFinished(() => server.close())
  const post = async (path: string, body: object) => {
    const init = { method: 'POST', token: adminToken, body: JSON.stringify(body) }
    const answer = await send(`${server.url}${path}`, init)
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }
  const login = { username: 'u', password: 'long enough', org: 'o', bucket: 'b' }
  const first = await post('/api/v2/setup', { ...login, retentionPeriodSeconds: 0 })
  const orgID = (await post('/api/v2/orgs', { name: 'p' })).id
  const retentionRules = [{ type: 'expire', everySeconds: 0 }]
  await post('/api/v2/buckets', { orgID, name: 'q', retentionRules })
  const permissions = (['read', 'write'] as const).map((action) => {
    return { action, resource: { type: 'buckets' as const, orgID } }
  })
  const theirs = 'token-of-the-other-organization'
  const given = { tokenHash: hashToken(theirs), orgId: orgID, userId: undefined, description: '' }
  await server.catalog.tokens.create({ ...given, permissions })
  const write = (bucket: 'b' | 'q', body: string) => {
    const token = bucket === 'b' ? first.auth.token : theirs
    const query = bucket === 'b' ? 'org=o&bucket=b' : 'org=p&bucket=q'
    return send(`${server.url}/api/v2/write?${query}`, { method: 'POST', token, body })
  }
  const old = Array.from({ length: 300 }, (_, i) => `m,h=${i % 5} f=${i / 7},i=${i}i ${i}`)
  for (const bucket of ['b', 'q'] as const) {
    const { status, text } = await write(bucket, old.join('\n'))
    expect(status, text).toBe(204)
  }
  // One writer, that writes until the end and notes what was taken: new points, and old ones again.
  const taken = new Map<string, number>()
  const refused: string[] = []
  let isOver = false
  const writer = (async () => {
    for (let i = 0; !isOver; i++) {
      const time = i % 3 === 0 ? BigInt(i % 300) : BigInt(Date.now()) * 1_000_000n + BigInt(i)
      const { status, text } = await write('q', `live v=${i}i ${time}`)
      if (status === 204) taken.set(`${time}`, i)
      else refused.push(`${status} ${text}`)
      await pause(5)
    }
  })()
  const flags = ['--data-dir', before, '--to', after, '--from-token', adminToken]
  const without = await finish(run(['migrate', ...flags.slice(0, 4)]))
  expect([without.code, without.errors]).toEqual([1, expect.stringContaining('--from-token')])
  const killed = run(['migrate', '--json', ...flags])
  await new Promise<void>((resolve) => {
    killed.stdout?.on('data', () => resolve())
    killed.on('exit', () => resolve())
  })
  killed.kill('SIGKILL')
  await finish(killed)
  expect((await write('b', 'm,h=9 f=1 301')).status).toBe(204)
  const moved = await migrate(flags)
  isOver = true
  await writer
  expect(moved.code, `${moved.errors}${moved.output}`).toBe(0)
  expect(moved.events.at(-1)).toMatchObject({ type: 'moved', url: server.url })
  expect(taken.size).toBeGreaterThan(10)
  expect(new Set(refused)).toEqual(
    new Set([expect.stringMatching(/^503 .*writes are held back/)].slice(0, refused.length)),
  )
  expect((await write('b', 'm f=1 302')).status).toBe(503)
  await changeAfterwards({ url: server.url, orgID, write, theirs, taken })
  const again = await migrate(flags)
  expect(again.code, `${again.errors}${again.output}`).toBe(0)
  await server.close()
  const there = await startServer({ jobs: 'inline', dataDir: after })
  onTestFinished(() => there.close())
  const rows = async (bucketID: string) => {
    const token = bucketID === first.bucket.id ? first.auth.token : theirs
    return (await send(`${there.url}/debug/export?bucketID=${bucketID}`, { token })).text
  }
  // What was deleted is gone, and what was written again after that is there.
  const b = (await rows(first.bucket.id)).trim().split('\n')
  expect(b.filter((line) => line.startsWith('m,h=1 '))).toEqual(['m,h=1 f=5 6'])
  expect(b).toHaveLength(301 - 60 + 1)
  const q = (await there.catalog.buckets.all()).find(({ name }) => name === 'q')!
  const live = (await rows(q.id)).split('\n').filter((line) => line.startsWith('live '))
  const found = new Map(
    live.map((line) => /v=(\d+)i (\d+)/.exec(line)!).map(([, v, t]) => [t, Number(v)]),
  )
  expect(found).toEqual(taken)
  const tokens = await there.catalog.tokens.list({})
  expect(tokens.filter(({ description }) => description.startsWith('migration'))).toEqual([])
}, 300_000)
