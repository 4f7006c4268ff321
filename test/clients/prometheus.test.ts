// Debian's Prometheus, unmodified: it writes what it scrapes to us, and reads back what it has never seen itself.
// Without the program the test says so and is skipped; the messages themselves are tested beside it.

import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import {
  bytesField,
  doubleField,
  packLiteral,
  textField,
  varintField,
} from '../../src/service/prometheus/protobuf-writer.js'
import { parseReadRequest } from '../../src/service/prometheus/remote-read.js'
import { decompressSnappy } from '../../src/tsm/encoding/snappy.js'
import { type Installation, install, send, temporaryFolder } from '../api/harness.js'
import { freePort } from '../free-port.js'

const isThere = spawnSync('prometheus', ['--version']).status === 0
if (!isThere) process.stderr.write('prometheus is not installed: its test is skipped\n')

async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + 50_000
  for (;;) {
    const found = await ask().catch(() => undefined)
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error('it did not come in time')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

test.skipIf(!isThere)(
  'Prometheus writes to us and reads back',
  async () => {
    const one = await install()
    const port = await freePort()
    const folder = temporaryFolder()
    const url = (path: string) => `${one.url}/api/v1/prom/${path}?db=b`
    const access = `authorization: { type: Token, credentials: ${one.token} }`
    writeFileSync(
      `${folder}/prometheus.yml`,
      `global: { scrape_interval: 1s }
scrape_configs:
  - { job_name: itself, static_configs: [{ targets: ['127.0.0.1:${port}'] }] }
remote_write:
  - { url: '${url('write')}', ${access}, queue_config: { batch_send_deadline: 1s } }
remote_read:
  - { url: '${url('read')}', ${access}, read_recent: true }
`,
    )
    const child = spawn('prometheus', [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ])
    onTestFinished(() => void child.kill('SIGKILL'))
    const up = await until(async () => (await one.lines()).find((line) => line.startsWith('up,')))
    expect(up).toMatch(/^up,__name__=up,instance=127\.0\.0\.1:\d+,job=itself value=[01] \d+$/)

    await one.write(
      'never_scraped,host=a value=42i 1700000000000000000\nnever_scraped,host=b value=7i 1700000000000000000',
    )
    const query = `never_scraped{host=~"a|c"}`
    const asked = `http://127.0.0.1:${port}/api/v1/query?time=1700000010&query=${encodeURIComponent(query)}`
    const answer = await send(asked)
    expect(answer.json.data.result).toEqual([
      { metric: { __name__: 'never_scraped', host: 'a' }, value: [1700000010, '42'] },
    ])
  },
  60_000,
)

function post({ url, token }: Installation, path: string, body: Uint8Array) {
  const headers = { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' }
  return send(`${url}/api/v1/prom/${path}`, { method: 'POST', token, headers, body })
}

function series(labels: Readonly<Record<string, string>>, samples: readonly [number, bigint][]) {
  const label = ([name, value]: [string, string]) =>
    bytesField(1, Buffer.concat([textField(1, name), textField(2, value)]))
  const sample = ([value, ms]: readonly [number, bigint]) =>
    bytesField(2, Buffer.concat([doubleField(1, value), varintField(2, ms)]))
  const parts = [...Object.entries(labels).map(label), ...samples.map(sample)]
  return bytesField(1, Buffer.concat(parts))
}

test('samples become points; what line protocol has no word for is left out', async () => {
  const one = await install()
  const message = Buffer.concat([
    series({ __name__: 'm', path: 'C:\\', text: 'two\nlines, a=b' }, [
      [1.5, 1000n],
      [Number.NaN, 2000n],
      [-2e30, -3000n],
    ]),
    series({ a: 'b' }, [[1, 1n]]),
  ])
  expect((await post(one, 'write?db=b', packLiteral(message))).status).toBe(204)
  expect(await one.lines()).toEqual(
    [
      'm,__name__=m,path=C:,text=two\\nlines\\,\\ a\\=b value=-2e+30 -3000000000',
      'm,__name__=m,path=C:,text=two\\nlines\\,\\ a\\=b value=1.5 1000000000',
      'prom_metric_not_specified,a=b value=1 1000000',
    ].sort(),
  )
})

test('a request that is none, or not allowed, is refused', async () => {
  const one = await install()
  expect((await post(one, 'write?db=b', Buffer.from('no snappy at all'))).status).toBe(400)
  expect((await post(one, 'write?db=b', packLiteral(Buffer.from([0x0a, 0x7f])))).status).toBe(400)
  expect((await post(one, 'write', packLiteral(new Uint8Array(0)))).status).toBe(400)
  expect((await post(one, 'read?db=none', packLiteral(new Uint8Array(0)))).status).toBe(404)
  const huge = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0])
  expect((await post(one, 'read?db=b', huge)).status).toBe(400)
  const token = await one.addToken([{ action: 'read', resource: { type: 'buckets' } }])
  const refused = await post({ ...one, token }, 'write?db=b', packLiteral(new Uint8Array(0)))
  expect(refused.status).toBe(401)
  const all = await post({ ...one, token }, 'read?db=b', packLiteral(new Uint8Array(0)))
  expect(all.status).toBe(200)
})

test('matchers of every kind', () => {
  const matcher = (type: bigint, name: string, value: string) =>
    bytesField(3, Buffer.concat([varintField(1, type), textField(2, name), textField(3, value)]))
  const query = Buffer.concat([varintField(1, 5n), varintField(2, 9n), matcher(3n, 'a', 'x.*')])
  const [parsed] = parseReadRequest(decompressSnappy(packLiteral(bytesField(1, query)), 1000))
  expect(parsed).toEqual({
    startMs: 5n,
    endMs: 9n,
    matchers: [{ isNegated: true, isRegex: true, name: 'a', value: 'x.*' }],
  })
})
