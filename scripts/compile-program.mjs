// Lets the program that was just built serve twice, in a folder of its own: once to fill it, and once to answer from
// what lies on disk. What V8 compiles of it is kept beside it, the second time with that of the first, so that neither
// a start nor the first query of a kind waits for it. What the second did not load would not fit the flags of a start.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export async function compileProgram() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-build-'))
  try {
    const token = await serving(folder, 'first', fill)
    const before = keptAt()
    await serving(folder, 'last', (call) => ask(call, token))
    for (const [name, at] of keptAt()) {
      if (before.get(name) === at) throw new Error(`what is kept in ${name} has flags of the build`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** When the files with what was compiled were written. */
function keptAt() {
  const names = readdirSync('dist').filter((name) => name.endsWith('.cache'))
  return new Map(names.map((name) => [name, statSync(join('dist', name)).mtimeMs]))
}

async function serving(folder, keep, use) {
  const flags = ['--variant', 'managed', '--http-address', '127.0.0.1:0', '--data-dir', folder]
  const program = spawn(process.execPath, ['dist/main.js', 'serve', ...flags], {
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

/** Ten series with some of each type of field; its token. */
async function fill(call) {
  const answer = await call('/api/v2/setup', { method: 'POST', body: JSON.stringify(account) })
  const { token } = JSON.parse(answer).auth
  await write(call, token)
  return token
}

async function write(call, token) {
  const now = Date.now()
  const lines = Array.from({ length: 5000 }, (_, index) => {
    const fields = `whole=${index % 91}i,decimal=${index / 4},long=${Math.sin(index)},is=${index % 3 === 0},text="${index % 7}"`
    return `m,host=h${index % 10},zone=z${index % 2} ${fields} ${now - (5000 - index) * 100}`
  })
  const path = '/api/v2/write?org=build&bucket=build&precision=ms'
  await call(path, { method: 'POST', body: lines.join('\n'), headers: authorization(token) })
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

const scripts = [
  'from(bucket: "build") |> range(start: -5m) |> filter(fn: (r) => r._measurement == "m" and r._field == "whole") |> aggregateWindow(every: 1m, fn: mean)',
  'from(bucket: "build") |> range(start: -5m) |> filter(fn: (r) => r.host == "h1") |> last()',
]

async function ask(call, token) {
  const headers = authorization(token)
  for (const statement of statements) {
    await call(`/query?db=build&epoch=ms&q=${encodeURIComponent(statement)}`, { headers })
  }
  for (const body of scripts) {
    const type = { 'content-type': 'application/vnd.flux' }
    await call('/api/v2/query?org=build', {
      method: 'POST',
      body,
      headers: { ...headers, ...type },
    })
  }
  await write(call, token)
  await call('/api/v2/buckets', { headers })
  await call('/health')
}

function authorization(token) {
  return { authorization: `Token ${token}` }
}
