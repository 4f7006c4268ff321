// DuckDB runs in processes of its own, and nothing that happens there reaches the service or another statement: too
// much memory, a process that is killed, a statement that is stopped, a client that goes away. Rows are read as
// DuckDB takes them, and no process stays behind.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Batch } from '../../src/column/batch.js'
import { UserError } from '../../src/errors.js'
import type { SqlScope } from '../../src/sql/plan/scope.js'
import { SqlLanguage } from '../../src/sql/sql.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import type { ReadRequest, Store } from '../../src/store/store.js'
import { ask, noLimits, openTestStore, testBucket, testScope, writeLines } from './run-sql.js'

let engine: Engine
let language: SqlLanguage

beforeAll(async () => {
  engine = await openTestStore()
  const lines: string[] = []
  for (let i = 0; i < 60_000; i++) {
    lines.push(`many,host=h${i % 7} v=${i},note="a note that is rather long ${i % 5}" ${i}`)
  }
  await writeLines(engine, testBucket, lines.join('\n'))
})

beforeEach(() => {
  language = new SqlLanguage()
})

afterEach(() => language.close())
afterAll(() => engine.close())

async function rows(text: string, scope: Partial<SqlScope> = {}, signal?: AbortSignal) {
  return (
    await ask(
      text,
      testScope({ store: engine, answersDirectly: false, ...scope }),
      signal,
      language,
    )
  ).slice(1)
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // One that is dead and not yet waited for does not count.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10))
}

const endless = 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b'

/** Ten times as long at each depth, within one vector of rows. */
function tenfold(depth: number): string {
  const joined = Array(10).fill('s').join(' || ')
  let table = '(SELECT CAST(range AS VARCHAR) AS s FROM range(3000))'
  for (let i = 0; i < depth; i++) table = `(SELECT ${joined} AS s FROM ${table})`
  return `SELECT max(length(s)) FROM ${table}`
}

const greedy = [
  tenfold(6),
  `SELECT max(length(s || t)) FROM (SELECT repeat(CAST(range AS VARCHAR), 3000) AS s,
    repeat(CAST(range + 1 AS VARCHAR), 3000) AS t FROM range(4000000) ORDER BY s)`,
  `WITH RECURSIVE d AS (SELECT 1 AS n, repeat('a', 10000) AS s UNION ALL
    SELECT n + 1, s || s FROM d WHERE n < 40) SELECT max(length(s)) FROM d`,
  "SELECT length(string_agg(repeat('abcdefgh', 1000), '')) FROM range(1000000)",
  'SELECT array_length(array_agg(range)) FROM range(100000000)',
  'SELECT max(array_length(l)) FROM (SELECT range(0, 4000 - range % 2) AS l FROM range(3000000) ORDER BY l)',
]

test.each(greedy)('a statement that takes too much memory ends alone: %.60s', async (text) => {
  const limits = { ...noLimits, memoryBytesMax: 64_000_000 }
  await rows('SELECT 1', { limits })
  const before = process.memoryUsage.rss()
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - before)
  }, 5)
  const failing = rows(text, { limits })
  const beside = Promise.all([1, 2].map(() => rows('SELECT count(*) FROM many', { limits })))
  await expect(failing).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringMatching(/^query memory limit exceeded/),
  })
  expect(await beside).toEqual([['60000'], ['60000']])
  expect(await rows('SELECT 1 AS a', { limits })).toEqual(['1'])
  clearInterval(timer)
  expect(most).toBeLessThan(100_000_000)
})

test('an engine that is killed fails its statement, and the next one has another', async () => {
  await rows('SELECT 1')
  const running = rows(endless)
  const [busy] = language.enginePool.pids
  process.kill(busy, 'SIGKILL')
  await expect(running).rejects.toThrow('the SQL engine ended unexpectedly (SIGKILL)')
  expect(await rows('SELECT count(*) FROM many')).toEqual(['60000'])
  expect(isThere(busy)).toBe(false)
})

test('an engine that is killed while it is fed or read', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const pieces = language
    .prepare('SELECT * FROM many')
    .run(testScope({ store: engine, answersDirectly: false }), signal)
  await pieces.next()
  expect((await pieces.next()).value).toMatchObject({ kind: 'batch' })
  process.kill(language.enginePool.pids[0], 'SIGKILL')
  let last: unknown
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) last = next.value
  expect(last).toMatchObject({ kind: 'failure' })
  expect(await rows('SELECT count(*) FROM many')).toEqual(['60000'])
})

test('an engine that does not obey is ended', async () => {
  const reason = new UserError('invalid', 'query-timeout limit exceeded')
  const controller = new AbortController()
  await rows('SELECT 1')
  const running = rows(endless, {}, controller.signal)
  const [busy] = language.enginePool.pids
  // It has heard of the statement before it hears nothing more.
  await delay(100)
  // It cannot even hear that it should.
  process.kill(busy, 'SIGSTOP')
  controller.abort(reason)
  await expect(running).rejects.toBe(reason)
  await until(() => !isThere(busy))
  expect(await rows('SELECT 1 AS a')).toEqual(['1'])
})

test('an engine that has replied is not ended by a service that was held up itself', async () => {
  const pool = language.enginePool
  const { signal } = new AbortController()
  const first = await pool.acquire(256_000_000, signal)
  const released = pool.release(first, 0)
  // The reply waits to be read, and the time for it is over when it is.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
  await released
  const second = await pool.acquire(256_000_000, signal)
  expect(second.pid).toBe(first.pid)
  await delay(50)
  expect(isThere(second.pid!)).toBe(true)
  await pool.release(second, 0)
})

test('a statement that is stopped leaves its engine to the next', async () => {
  const reason = new UserError('invalid', 'query-timeout limit exceeded')
  for (const text of [endless, 'SELECT a.v + b.v FROM many a, many b']) {
    const controller = new AbortController()
    const running = rows(text, {}, controller.signal)
    setTimeout(() => controller.abort(reason), 300)
    await expect(running).rejects.toBe(reason)
    expect(await rows('SELECT count(*) FROM many')).toEqual(['60000'])
  }
  expect(language.enginePool.pids.length).toBeLessThanOrEqual(3)
})

/** Counts the rows that are handed out, and waits before each batch if it is told to. */
function counted(before: () => Promise<void> = async () => undefined) {
  const seen = { rows: 0, isEnded: false }
  const read = async function* (request: ReadRequest, signal: AbortSignal): AsyncGenerator<Batch> {
    try {
      for await (const batch of engine.read(request, signal)) {
        await before()
        signal.throwIfAborted()
        seen.rows += batch.rowCount
        yield batch
      }
    } finally {
      seen.isEnded = true
    }
  }
  const store = new Proxy(engine, {
    get(target, name) {
      if (name === 'read') return read
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as Store
  return { store, seen }
}

test('rows are read as they are wanted, and no more than a statement needs', async () => {
  const { store, seen } = counted()
  const found = await rows('SELECT v, note FROM many LIMIT 3', { store })
  expect(found[2]).toMatch(/^\d+ \| a note that is rather long \d$/)
  expect(seen.isEnded).toBe(true)
  expect(seen.rows).toBeLessThan(60_000)
  expect(await rows('SELECT count(*), sum(v) FROM many')).toEqual(['60000 | 1799970000'])
})

test('a client that stops reading stops the reading of rows', async () => {
  // Slowly enough that rows are left when the first ones have come back, however busy the machine is.
  const { store, seen } = counted(() => delay(200))
  const text = 'SELECT v, note FROM many'
  for await (const piece of language
    .prepare(text)
    .run(testScope({ store, answersDirectly: false }), new AbortController().signal)) {
    if (piece.kind === 'batch') break
  }
  expect(seen.isEnded).toBe(true)
  expect(seen.rows).toBeLessThan(60_000)
  expect(await rows('SELECT count(*) FROM many')).toEqual(['60000'])
})

test('more rows than a statement may hold can be read, and not kept', async () => {
  const limits = { ...noLimits, memoryBytesMax: 1_000_000 }
  const text = 'SELECT count(note), max(v) FROM many'
  const read = { limits, pushesAggregates: false }
  expect(await rows(text, read)).toEqual(['60000 | 59999'])
  const kept = rows(text, { ...read, streamsTables: false })
  await expect(kept).rejects.toThrow(/^query memory limit exceeded/)
})

test('what the store fails with is what the statement fails with', async () => {
  const broken = new Error('the disk is gone')
  for (const streamsTables of [true, false]) {
    const { store } = counted(async () => {
      throw broken
    })
    await expect(rows('SELECT count(note) FROM many', { store, streamsTables })).rejects.toBe(
      broken,
    )
  }
  expect(await rows('SELECT count(*) FROM many')).toEqual(['60000'])
})

test('a statement is stopped while it waits for rows', async () => {
  const controller = new AbortController()
  const reason = new UserError('invalid', 'query-timeout limit exceeded')
  const { store } = counted(
    () => new Promise((resolve) => controller.signal.addEventListener('abort', () => resolve())),
  )
  const running = rows('SELECT note FROM many ORDER BY v', { store }, controller.signal)
  setTimeout(() => controller.abort(reason), 300)
  await expect(running).rejects.toBe(reason)
  expect(await rows('SELECT count(*) FROM many')).toEqual(['60000'])
})

test('statements beyond the number of engines wait their turn', async () => {
  const one = new SqlLanguage({ enginesMax: 1, waitSecondsMax: 5 })
  try {
    const scope = testScope({ store: engine, answersDirectly: false })
    const pieces = one.prepare('SELECT * FROM many').run(scope, new AbortController().signal)
    await pieces.next()
    await pieces.next()
    // It waits for an engine that is there; a start may take longer on a busy machine.
    await expect(ask('SELECT 1', scope, undefined, one)).rejects.toThrow(
      '1 SQL statements are under way',
    )
    const second = ask('SELECT 1 AS a', scope, undefined, one)
    await pieces.return?.()
    expect(await second).toEqual(['a', '1'])
  } finally {
    await one.close()
  }
})

test('engines end when they have waited long, and when the service stops', async () => {
  const brief = new SqlLanguage({ idleSecondsMax: 0.3 })
  const scope = testScope({ store: engine, answersDirectly: false })
  expect(await ask('SELECT 1 AS a', scope, undefined, brief)).toEqual(['a', '1'])
  await until(() => brief.enginePool.pids.length === 0)
  expect(await ask('SELECT 2 AS a', scope, undefined, brief)).toEqual(['a', '2'])
  const { pids } = brief.enginePool
  await brief.close()
  expect(pids.filter(isThere)).toEqual([])
  await expect(ask('SELECT 3', scope, undefined, brief)).rejects.toThrow('the service is stopping')
})

test('engines have nothing of the environment and listen to nobody', async () => {
  await rows('SELECT 1')
  for (const pid of language.enginePool.pids) {
    // The shell that sets its limits says where it is.
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('PWD=/\0')
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
    expect(limits).toMatch(/^Max data size\s+\d+\s+\d+/m)
  }
})

/** A program with a pool: an engine that waits, one that works, one that waits for rows, and one that is stopped. */
const parentProgram = `import { EnginePool } from './engine-pool.js'
  const pool = new EnginePool()
  const { signal } = new AbortController()
  // Beside other work four of them may take longer to start than one waits for an engine.
  const acquire = () => pool.acquire(256000000, signal).catch(acquire)
  const engines = await Promise.all([1, 2, 3, 4].map(acquire))
  engines[1].send(6, ${JSON.stringify(endless)})
  engines[2].send(4, JSON.stringify({ number: 0, columns: [{ name: 'a', type: 'BIGINT', width: 8 }] }))
  await engines[2].nextReply()
  engines[2].send(6, 'SELECT * FROM mr_source(0)')
  if (${existsSync('/usr/bin/setpriv')}) process.kill(engines[3].pid, 'SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 200))
  console.log(pool.pids.join(' '))`

test('engines end with the service, however it ends', async () => {
  const folder = mkdtempSync(fileURLToPath(new URL('../../node_modules/.sql-', import.meta.url)))
  let parent: ChildProcess | undefined
  try {
    const source = fileURLToPath(new URL('../../src/sql/engine/', import.meta.url))
    writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
    const bundled = { bundle: true, platform: 'node', format: 'esm', packages: 'external' } as const
    await build({
      stdin: { contents: parentProgram, resolveDir: source, loader: 'ts' },
      outfile: `${folder}/parent.mjs`,
      ...bundled,
    })
    await build({
      entryPoints: [`${source}sql-engine.ts`],
      outfile: `${folder}/sql-engine.js`,
      ...bundled,
    })
    parent = spawn(process.execPath, [`${folder}/parent.mjs`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [text] = await once(parent.stdout!, 'data')
    const pids = String(text).trim().split(' ').map(Number)
    expect(pids.map(isThere)).toEqual([true, true, true, true])
    parent.kill('SIGKILL')
    await until(() => !pids.some(isThere))
  } finally {
    parent?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})
