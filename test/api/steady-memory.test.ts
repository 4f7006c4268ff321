// No buffer is ever detached in a process that serves, neither on the thread that answers nor on those that scan:
// from the first one on V8 checks every access to a typed array. It tells when it begins to, where it is asked to.

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { send, temporaryFolder } from './client.js'
import { run } from './program.js'

const rowCount = 205_000
/** With the rows a few more values than a read must have for several threads to share it. */
const fieldCount = 20
const requestCount = 5

/** An option of V8 is not taken from the environment: a module that is loaded first sets it, for all threads. */
const telling = [
  'import { setFlagsFromString } from "node:v8"',
  'setFlagsFromString("--trace-protector-invalidation")',
].join(';')
const environment = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(telling)}`,
}

const told = /Invalidating protector cell ArrayBufferDetaching/

function linesOf(request: number): string {
  const count = rowCount / requestCount
  return Array.from({ length: count }, (_, i) => {
    const row = request * count + i
    const fields = Array.from({ length: fieldCount }, (_, f) => `f${f}=${(row + f) % 100}`)
    return `m,h=h${row % 40} ${fields.join(',')},s="text ${row % 7}" ${row + 1}`
  }).join('\n')
}

/** The program, serving; what it printed so far. */
async function serve() {
  const local = ['serve', '--http-address', '127.0.0.1:0']
  const child = run([...local, '--data-dir', temporaryFolder()], environment)
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error(output)))
    child.stdout?.on('data', (chunk) => {
      output += chunk
      const match = /Listening on (http:\S+)\n/.exec(output)
      if (match !== null) resolve(match[1])
    })
  })
  const end = async () => {
    child.kill('SIGTERM')
    await once(child, 'close')
    return output
  }
  return { url, end }
}

test('V8 tells when a buffer is detached', () => {
  const script = 'structuredClone(undefined, { transfer: [new ArrayBuffer(1)] })'
  const env = { ...process.env, ...environment }
  const { stdout } = spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' })
  expect(stdout).toMatch(told)
})

test('no buffer is detached by writes in every form, searches and aggregates on threads', async () => {
  const { url, end } = await serve()
  const setup = { username: 'u', org: 'o', bucket: 'b', retentionPeriodSeconds: 0 }
  const made = await send(`${url}/api/v2/setup`, { method: 'POST', body: JSON.stringify(setup) })
  const { token } = made.json.auth
  for (let request = 0; request < requestCount; request++) {
    const text = linesOf(request)
    const packed = { body: gzipSync(text), headers: { 'content-encoding': 'gzip' } }
    const form = [packed, { body: text, chunked: true }, { body: text }][request % 3]
    const target = `${url}/api/v2/write?org=o&bucket=b`
    const { status, text: said } = await send(target, { method: 'POST', token, ...form })
    expect([status, said]).toEqual([204, ''])
  }
  const ask = async (q: string) => {
    const target = `${url}/query?db=b&epoch=ns&q=${encodeURIComponent(q)}`
    const { json } = await send(target, { token })
    return json.results[0].series
  }
  const [found] = await ask('SELECT * FROM m WHERE f0 > 90')
  expect(found.values).toHaveLength((rowCount * 9) / 100)
  const range = `time > 0 AND time <= ${rowCount}`
  const sums = await ask(`SELECT sum(*) FROM m WHERE ${range} GROUP BY h, time(1u)`)
  expect(sums).toHaveLength(40)
  const { text } = await send(`${url}/metrics`)
  expect(Number(/^millrace_store_scans_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(2)
  expect(await end()).not.toMatch(told)
})
