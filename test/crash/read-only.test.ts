// A server on a file system that is mounted read-only, after a clean stop: it starts, answers queries, and refuses
// points and changes with one clear error. Mounts a folder a second time, which needs to be root: skipped otherwise.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, expect, it } from 'vitest'
import { startServer } from '../../src/index.js'
import { install, send } from '../api/harness.js'

const dataDir = mkdtempSync(`${tmpdir()}/millrace-read-only-`)
/** The same folder, where nobody can write. */
const mounted = mkdtempSync(`${tmpdir()}/millrace-read-only-`)
let isMounted = false
try {
  execFileSync('mount', ['--bind', dataDir, mounted], { stdio: 'ignore' })
  isMounted = true
  execFileSync('mount', ['-o', 'remount,ro,bind', mounted])
} catch {}

afterAll(() => {
  // SQLite's files are let go when the collector comes.
  if (isMounted) execFileSync('umount', ['-l', mounted])
  for (const folder of [mounted, dataDir]) rmSync(folder, { recursive: true, force: true })
})

it.runIf(isMounted)('reads are answered, all else is refused with 503', async () => {
  const { server, token, write, lines } = await install({ dataDir })
  expect((await write('m,h=a f=1 1')).status).toBe(204)
  expect(await lines()).toEqual(['m,h=a f=1 1'])
  await server.close()
  const logged: string[] = []
  const again = await startServer({
    dataDir: mounted,
    log: (_level, message) => logged.push(message),
  })
  try {
    const ask = (path: string, method = 'GET', body?: string) =>
      send(`${again.url}${path}`, {
        method,
        token,
        ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
      })
    expect(logged[0]).toMatch(/read-only/)
    expect((await ask('/debug/export?bucket=b')).text).toBe('m,h=a f=1 1\n')
    expect((await ask('/health')).json.message).toMatch(/read-only/)
    const orgID = (await ask('/api/v2/orgs')).json.orgs[0].id
    const refused = [
      await ask('/api/v2/write?org=o&bucket=b', 'POST', 'm f=2 2'),
      await ask('/api/v2/buckets', 'POST', JSON.stringify({ name: 'c', orgID })),
    ]
    for (const { status, headers, json } of refused) {
      expect([status, json.code]).toEqual([503, 'unavailable'])
      expect(json.message).toContain('file system is read-only')
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    }
  } finally {
    await again.close()
  }
})
