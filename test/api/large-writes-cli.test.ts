// Large writes to the built program, which parses them on a thread of its own while they keep coming: the same points
// and the same errors as without, packed and not, and the thread is there to be seen.

import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { freePort } from '../free-port.js'
import { send, temporaryFolder } from './client.js'
import { run } from './program.js'

const bodyCount = 8
const rowCount = 5000

/** Half a megabyte, with one line that is none. */
function body(number: number): string {
  const lines = Array.from({ length: rowCount }, (_, i) => {
    const tags = `host=host_${i % 500},region=somewhere-${i % 7},rack=${i % 50},service=a-service`
    return `m${i % 2},${tags} i=${i}i,f=${i / 4},s="text ${i % 9}",b=${i % 2 === 0} ${number * rowCount + i}`
  })
  lines[700] = 'no fields'
  return lines.join('\n')
}

async function start(flags: readonly string[]) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const address = ['--http-address', `127.0.0.1:${port}`, '--data-dir', temporaryFolder()]
  const child = run(['serve', ...address, '--log-level', 'error', ...flags])
  for (let i = 0; i < 600; i++) {
    const answer = await send(`${url}/health`).catch(() => undefined)
    if (answer?.status === 200) break
    await sleep(50)
  }
  const owner = {
    username: 'u',
    password: 'long-enough',
    org: 'o',
    bucket: 'b',
    retentionPeriodSeconds: 0,
  }
  const made = await send(`${url}/api/v2/setup`, { method: 'POST', body: JSON.stringify(owner) })
  return { url, pid: child.pid as number, token: made.json.auth.token as string }
}

function threadNames(pid: number): string[] {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder).map((task) => readFileSync(`${folder}/${task}/comm`, 'utf8').trim())
}

test.skipIf(process.platform !== 'linux').each([
  ['on a thread', '1', ['parse']],
  ['where they arrive', '0', []],
])('large writes, parsed %s', async (_where, count, threads) => {
  const { url, pid, token } = await start(['--parse-threads', count])
  const answers = await Promise.all(
    Array.from({ length: bodyCount }, (_, i) => {
      const [headers, bytes] =
        i % 2 === 0
          ? [{}, Buffer.from(body(i))]
          : [{ 'content-encoding': 'gzip' }, gzipSync(body(i))]
      return send(`${url}/api/v2/write?org=o&bucket=b`, {
        method: 'POST',
        token,
        headers,
        body: bytes,
      })
    }),
  )
  expect(threadNames(pid).filter((name) => name === 'parse')).toEqual(threads)
  for (const { status, text } of answers) {
    expect([status, text]).toEqual([
      400,
      expect.stringContaining("'no fields': invalid field format"),
    ])
  }
  const q = encodeURIComponent('SELECT count(i), sum(f), count(s), count(b) FROM m0, m1')
  const { json } = await send(`${url}/query?db=b&q=${q}`, { token })
  const rows = json.results[0].series.map(({ values }: { values: number[][] }) =>
    values[0].slice(1),
  )
  const half = (bodyCount * rowCount) / 2
  const sum = (first: number) => (bodyCount * (rowCount / 2) * (first + rowCount / 2 - 1)) / 4
  const lost = (bodyCount * 700) / 4
  expect(rows).toEqual([
    [half - bodyCount, sum(0) - lost, half - bodyCount, half - bodyCount],
    [half, sum(1), half, half],
  ])
})
