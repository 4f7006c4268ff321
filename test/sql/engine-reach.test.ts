// What an engine's process may reach if a statement ever got past our own reading of it: statements go to DuckDB as
// they are here, without being looked at. No file, no network, no environment, no extension, no setting; and what the
// kernel says of the process.

import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Engine } from '../../src/sql/engine/engine.js'
import { EnginePool } from '../../src/sql/engine/engine-pool.js'
import { replies, requests } from '../../src/sql/engine/protocol.js'

const pool = new EnginePool()
let engine: Engine
let folder: string
const visits: string[] = []
const server = createServer((request, response) => {
  visits.push(request.url ?? '')
  response.end('a,b\n1,2\n')
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-reach-'))
  writeFileSync(join(folder, 'secret.csv'), 'a,b\n271828,2\n')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  process.env.MILLRACE_REACH = '271828'
  engine = await pool.acquire(64_000_000, new AbortController().signal)
})

afterAll(async () => {
  await pool.close()
  server.close()
  delete process.env.MILLRACE_REACH
  rmSync(folder, { recursive: true, force: true })
})

/** The answer's bytes, or how DuckDB refuses. */
async function ask(sql: string): Promise<string> {
  engine.send(requests.query, sql)
  let text = ''
  try {
    for (;;) {
      const { kind, payload } = await engine.nextReply()
      if (kind === replies.end) break
      text += Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('latin1')
    }
    return `answered: ${text}`
  } catch (error) {
    return `refused: ${(error as Error).message}`
  } finally {
    await engine.reset(0)
  }
}

const attempts: readonly (readonly [
  what: string,
  sql: (at: { folder: string; url: string }) => string,
])[] = [
  ['read_csv', ({ folder }) => `SELECT * FROM read_csv('${folder}/secret.csv')`],
  ['read_text', ({ folder }) => `SELECT content FROM read_text('${folder}/secret.csv')`],
  ['read_blob', () => "SELECT content FROM read_blob('/proc/self/environ')"],
  ['a file as a table', ({ folder }) => `SELECT * FROM '${folder}/secret.csv'`],
  ['glob', ({ folder }) => `SELECT * FROM glob('${folder}/*')`],
  ['ATTACH', ({ folder }) => `ATTACH '${folder}/made.db' AS made`],
  ['COPY TO', ({ folder }) => `COPY (SELECT 1) TO '${folder}/made.csv'`],
  ['COPY FROM', ({ folder }) => `COPY (SELECT 1 AS a, 2 AS b) FROM '${folder}/secret.csv'`],
  ['EXPORT', ({ folder }) => `EXPORT DATABASE '${folder}/made'`],
  ['http', ({ url }) => `SELECT * FROM read_csv('${url}/x.csv')`],
  ['INSTALL', () => 'INSTALL httpfs'],
  ['LOAD', () => 'LOAD httpfs'],
  ['LOAD of a file', ({ folder }) => `LOAD '${folder}/x.duckdb_extension'`],
  ['SET access', () => 'SET GLOBAL enable_external_access = true'],
  ['SET temp_directory', ({ folder }) => `SET temp_directory = '${folder}/made'`],
  ['SET memory', () => "SET GLOBAL memory_limit = '100GB'"],
  ['SET log', ({ folder }) => `SET log_query_path = '${folder}/made.log'`],
  ['PRAGMA', ({ folder }) => `PRAGMA profiling_output = '${folder}/made.json'`],
  ['a secret', () => "CREATE SECRET s (TYPE http, BEARER_TOKEN 'x')"],
]

test.each(attempts)('refuses by itself: %s', async (_what, sql) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const found = await ask(sql({ folder, url }))
  expect(found).toMatch(/^refused: /)
  expect(found).not.toContain('271828')
  expect(visits).toEqual([])
  expect(readdirSync(folder)).toEqual(['secret.csv'])
})

test('has no environment to tell of', async () => {
  expect(await ask("SELECT getenv('MILLRACE_REACH') AS e")).not.toContain('271828')
  expect(readFileSync(`/proc/${engine.pid}/environ`, 'utf8')).not.toContain('MILLRACE')
})

test('may write no file, holds none of ours, and has a network with nothing in it', () => {
  const own = `/proc/${engine.pid}`
  const limits = readFileSync(`${own}/limits`, 'utf8')
  expect(/^Max file size +(\S+) +(\S+)/m.exec(limits)?.slice(1)).toEqual(['0', '0'])
  expect(/^NoNewPrivs:\s+(\d)/m.exec(readFileSync(`${own}/status`, 'utf8'))?.[1]).toBe('1')
  expect(readlinkSync(`${own}/cwd`)).toBe('/')
  const held = readdirSync(`${own}/fd`).map((fd) => readlinkSync(`${own}/fd/${fd}`))
  const files = held.filter((name) => name.startsWith('/') && !name.startsWith('/dev/'))
  expect(files).toEqual([])
  // Without the right to make namespaces, by either way, there is nothing to show.
  if (readlinkSync(`${own}/ns/net`) === readlinkSync('/proc/self/ns/net')) {
    console.info('this machine lets nobody make network namespaces')
    return
  }
  const devices = readFileSync(`${own}/net/dev`, 'utf8').trim().split('\n').slice(2)
  expect(devices.map((line) => line.trim().split(':')[0])).toEqual(['lo'])
  expect(readFileSync(`${own}/net/route`, 'utf8').trim().split('\n')).toHaveLength(1)
})
