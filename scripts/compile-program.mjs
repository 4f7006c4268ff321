// Lets the program that was just built serve once, in a folder of its own, so that what V8 compiles of it is kept
// beside it: its start, setting it up, a write, and a small query in both languages of that variant.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export async function compileProgram() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-build-'))
  const flags = ['--variant', 'managed', '--http-address', '127.0.0.1:0', '--data-dir', folder]
  const program = spawn(process.execPath, ['dist/main.js', 'serve', ...flags], {
    env: { ...process.env, MILLRACE_KEEP_COMPILED: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(program, 'exit')
  try {
    await use(await Promise.race([addressOf(program), ended.then(([code]) => failed(code))]))
    program.kill('SIGTERM')
    const [code] = await ended
    if (code !== 0) failed(code)
  } finally {
    program.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
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

async function use(address) {
  const call = async (path, body, headers) => {
    const answer = await fetch(address + path, { method: body ? 'POST' : 'GET', body, headers })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} is answered ${answer.status}: ${text}`)
    return text
  }
  const account = { username: 'build', password: 'build-password', org: 'build', bucket: 'build' }
  const { auth } = JSON.parse(await call('/api/v2/setup', JSON.stringify(account)))
  const headers = { authorization: `Token ${auth.token}` }
  const now = Date.now()
  const lines = Array.from(
    { length: 20 },
    (_, index) => `m,host=h${index % 2} whole=${index}i,decimal=${index}.5 ${now - index}`,
  )
  await call('/api/v2/write?org=build&bucket=build&precision=ms', lines.join('\n'), headers)
  const influxql = `SELECT mean(decimal), max(whole) FROM m WHERE host = 'h1' AND time > now() - 1h GROUP BY time(1m) fill(none)`
  await call(`/query?db=build&epoch=ms&q=${encodeURIComponent(influxql)}`, undefined, headers)
  await call(`/query?db=build&q=${encodeURIComponent('SELECT * FROM m')}`, undefined, headers)
  const flux =
    'from(bucket: "build") |> range(start: -1h) |> filter(fn: (r) => r._field == "whole")'
  await call('/api/v2/query?org=build', flux, {
    ...headers,
    'content-type': 'application/vnd.flux',
  })
  await call('/health')
}
