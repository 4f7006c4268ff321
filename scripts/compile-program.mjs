// Lets the program that was just built serve, in a folder of its own: once to fill it, with enough to be flushed, merged
// and scanned by threads, and once to answer from what lies on disk. What V8 compiles of it is kept beside it, the second
// time with that of the first, so that neither a start nor the first query of a kind waits for it; what its threads
// compile is kept by a third time, since that of the program must not know baseline code (`main.ts`). What was kept
// only at first would not fit the flags of a start, and goes.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

export async function compileProgram() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-build-'))
  try {
    const token = await serving(folder, 'first', fill)
    const before = keptAt()
    const unchanged = () => [...keptAt()].filter(([name, at]) => before.get(name) === at)
    await serving(folder, 'last', (call) => ask(call, token))
    // Whether Flux goes to a thread depends on what else is under way.
    for (let i = 0; i < threadTriesMax && unchanged().length > 0; i++) {
      await serving(folder, 'threads', (call) => useThreads(call, token))
    }
    for (const [name] of unchanged()) {
      if (name.startsWith('program')) throw new Error(`${name} has the flags of the build`)
      rmSync(join('dist', name))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    for (const name of readdirSync('dist')) {
      if (/\.cache\.\d+$/.test(name)) rmSync(join('dist', name))
    }
  }
}

/** When the files with what was compiled were written. */
function keptAt() {
  const names = readdirSync('dist').filter((name) => name.endsWith('.cache'))
  return new Map(names.map((name) => [name, statSync(join('dist', name)).mtimeMs]))
}

async function serving(folder, keep, use) {
  const flags = ['--variant', 'managed', '--http-address', '127.0.0.1:0', '--data-dir', folder]
  const threads = ['--parse-threads', '1']
  const program = spawn(process.execPath, ['dist/main.js', 'serve', ...flags, ...threads], {
    env: { ...process.env, MILLRACE_KEEP_COMPILED: keep },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(program, 'exit')
  try {
    const address = await Promise.race([addressOf(program), ended.then(([code]) => failed(code))])
    const result = await use((path, options) => call(address + path, options))
    program.kill('SIGTERM')
    const [code] = await ended
    if (code !== 0) failed(code)
    return result
  } finally {
    program.kill('SIGKILL')
  }
}

function failed(code) {
  throw new Error(`the program that was built ended with ${code}`)
}

async function addressOf(program) {
  for await (const line of createInterface(program.stdout)) {
    const found = /Listening on (\S+)/.exec(line)
    if (found !== null) return found[1]
  }
}

async function call(url, options) {
  const answer = await fetch(url, options)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url} is answered ${answer.status}: ${text}`)
  return text
}

const account = { username: 'build', password: 'build-password', org: 'build', bucket: 'build' }

const threadTriesMax = 3

const linesPerWrite = 5000
/** Memtables of twice the size at which they are flushed. */
const writeCount = 80
/** Merges begin when it has been quiet for so long, and threads end. */
const quietMs = 6000

/** Ten series with some of each type of field; its token. */
async function fill(call) {
  const answer = await call('/api/v2/setup', { method: 'POST', body: JSON.stringify(account) })
  const { token } = JSON.parse(answer).auth
  for (let i = writeCount; i > 0; i--) await write(call, token, i)
  await sleep(quietMs)
  await scan(call, token)
  return token
}

/** `ago`: so many writes before this moment. */
async function write(call, token, ago = 0) {
  const before = Date.now() - ago * linesPerWrite * 100
  const lines = Array.from({ length: linesPerWrite }, (_, index) => {
    const fields = `whole=${index % 91}i,decimal=${index / 4},long=${Math.sin(index)},is=${index % 3 === 0},text="${index % 7}"`
    return `m,host=h${index % 10},zone=z${index % 2} ${fields} ${before + index * 100}`
  })
  const path = '/api/v2/write?org=build&bucket=build&precision=ms'
  await call(path, { method: 'POST', body: lines.join('\n'), headers: authorization(token) })
}

async function useThreads(call, token) {
  // Enough for one that parses.
  for (let i = 4; i > 0; i--) await write(call, token, i)
  await scan(call, token)
}

/** All rows, of which threads take a part each, and more at once than the serving thread takes upon itself. */
async function scan(call, token) {
  const headers = authorization(token)
  const ask = (q) => call(`/query?db=build&epoch=ms&q=${encodeURIComponent(q)}`, { headers })
  const run = (body) => call('/api/v2/query?org=build', flux(body, token))
  await Promise.all([...large.map(ask), ...large.map(ask), run(largeScript), run(largeScript)])
  await sleep(keptMs)
}

const moment = (secondsAgo) => new Date(Date.now() - secondsAgo * 1000).toISOString()
const between = `time >= '${moment(600)}' AND time < '${moment(0).slice(0, 19)}Z'`

const statements = [
  "SELECT mean(decimal) FROM m WHERE host = 'h1' AND time > now() - 5m GROUP BY time(10s)",
  'SELECT max(whole), mean(long) FROM m WHERE time > now() - 5m GROUP BY time(1m), zone fill(none)',
  "SELECT * FROM m WHERE host = 'h2' AND time > now() - 1m",
  // As dashboards and people write moments.
  `SELECT max(decimal) FROM m WHERE host = 'h3' AND ${between} GROUP BY time(1m)`,
  `SELECT mean(decimal) FROM m WHERE ${between} GROUP BY time(1h), host`,
  'SELECT last(*) FROM m GROUP BY host',
  'SELECT count(long) FROM m WHERE host =~ /h[1-3]/',
  'SELECT whole FROM m WHERE decimal > 600 ORDER BY time DESC LIMIT 20',
  'SHOW TAG VALUES FROM m WITH KEY = host',
  'SHOW FIELD KEYS',
]

const large = [
  'SELECT mean(decimal), max(whole) FROM m WHERE time > now() - 1d GROUP BY time(1h), host',
  'SELECT percentile(long, 90) FROM m GROUP BY zone',
  'SELECT mean(*) FROM m WHERE time > now() - 1d GROUP BY time(30m), host',
  'SELECT mean(decimal) FROM m WHERE host =~ /h[1-5]/ AND time > now() - 1d GROUP BY time(1h)',
  "SELECT * FROM m WHERE decimal > 1249 AND host = 'h1'",
]

const largeScript =
  'from(bucket: "build") |> range(start: -1d) |> filter(fn: (r) => r._field == "decimal") |> group(columns: ["zone"]) |> mean()'

/** Threads keep what they have compiled a moment later. */
const keptMs = 1000

const scripts = [
  'from(bucket: "build") |> range(start: -5m) |> filter(fn: (r) => r._measurement == "m" and r._field == "whole") |> aggregateWindow(every: 1m, fn: mean)',
  'from(bucket: "build") |> range(start: -5m) |> filter(fn: (r) => r.host == "h1") |> last()',
]

async function ask(call, token) {
  const headers = authorization(token)
  for (const statement of statements) {
    await call(`/query?db=build&epoch=ms&q=${encodeURIComponent(statement)}`, { headers })
  }
  for (const body of scripts) await call('/api/v2/query?org=build', flux(body, token))
  await write(call, token)
  await call('/api/v2/buckets', { headers })
  await call('/health')
}

function flux(body, token) {
  const headers = { ...authorization(token), 'content-type': 'application/vnd.flux' }
  return { method: 'POST', body, headers }
}

function authorization(token) {
  return { authorization: `Token ${token}` }
}
