// No answer is short without a word. Every language in every format, with a failure before the first row, behind the
// first rows and before the last ones: a damaged block, the limit of points, and for SQL an engine that is killed. The
// answer is refused, tells of the failure, or breaks off; what it never does is end as if it were whole.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningServer, type ServerOptions, startServer } from '../../src/index.js'
import { readFile } from '../../src/platform/disk.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import { send } from './client.js'
import { type Format, formats, type Outcome, type Target } from './failing-answers.js'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

type Place = 'first' | 'middle' | 'last'

const places: readonly Place[] = ['first', 'middle', 'last']
const nsPerWeek = 7n * 24n * 3_600_000_000_000n

interface Data {
  /** Of `a`, and of `m` in each of three shards: enough that bytes have left before the next ones are read. */
  readonly shardRows: number
  readonly damaged: Served
  /** By how many points may be read. */
  readonly limited: ReadonlyMap<number, Served>
}

let usual: Data
/** For formats that give out many rows at a time. */
let large: Data

const dataOf = (format: Format): Data => (format.isBatched ? large : usual)

function pointLimits(language: Format['language'], rows: number): Record<Place, number> {
  // Flux reads `a` too.
  const all = language === 'flux' ? 4 * rows : 3 * rows
  return { first: 10, middle: 1.5 * rows, last: all - 1 }
}

beforeAll(async () => {
  usual = await makeData(10_000, ['sql', 'influxql', 'flux'], ['wide'])
  await loadWide(usual.damaged)
  await damage(usual.damaged.disk, usual.damaged.folder('wide'), 'last')
  large = await makeData(30_000, ['sql'], [])
})

afterAll(async () => {
  for (const { damaged, limited } of [usual, large]) {
    for (const { server } of [damaged, ...limited.values()]) await server.close()
  }
})

async function makeData(
  shardRows: number,
  languages: readonly Format['language'][],
  empty: readonly string[],
): Promise<Data> {
  const damaged = await serve({}, shardRows, ['whole', ...places], empty)
  for (const place of places) await damage(damaged.disk, damaged.folder(place), place)
  const limited = new Map<number, Served>()
  for (const language of languages) {
    for (const queryPointsMax of Object.values(pointLimits(language, shardRows))) {
      if (limited.has(queryPointsMax)) continue
      limited.set(queryPointsMax, await serve({ queryPointsMax }, shardRows, ['whole']))
    }
  }
  return { shardRows, damaged, limited }
}

interface Served extends Target {
  readonly server: RunningServer
  readonly disk: SimulatedDisk
  /** Of the bucket's files. */
  folder(bucket: string): string
}

async function serve(
  options: ServerOptions,
  shardRows: number,
  filled: readonly string[],
  empty: readonly string[] = [],
): Promise<Served> {
  const buckets = [...filled, ...empty]
  const disk = new SimulatedDisk()
  const server = await startServer({ jobs: 'inline', disk, ...options })
  const { url } = server
  const setup = { username: 'u', org: 'o', bucket: buckets[0], retentionPeriodSeconds: 0 }
  const { json } = await post(`${url}/api/v2/setup`, undefined, setup)
  const token: string = json.auth.token
  const ids = new Map<string, string>([[buckets[0], json.bucket.id]])
  for (const name of buckets.slice(1)) {
    const body = { orgID: json.org.id, name, retentionRules: [] }
    ids.set(name, (await post(`${url}/api/v2/buckets`, token, body)).json.id)
  }
  for (const bucket of filled) await load(url, token, bucket, shardRows)
  await (server.store as unknown as { flush(): Promise<void> }).flush()
  const folder = (bucket: string) => `memory/store/${ids.get(bucket)}`
  return { server, url, token, disk, folder }
}

function post(url: string, token: string | undefined, body: unknown) {
  return send(url, { method: 'POST', body: JSON.stringify(body), ...(token && { token }) })
}

async function load(url: string, token: string, bucket: string, rows: number): Promise<void> {
  for (const [i, measurement] of ['m', 'm', 'm', 'a'].entries()) {
    const from = 1_700_000_000_000_000_000n + BigInt(i) * 4n * nsPerWeek
    const lines = Array.from({ length: rows }, (_, row) => {
      const fields = `v=${row}.5,s="text ${row % 100} of some length"`
      return `${measurement},t=a ${fields} ${from + BigInt(row) * 1000n}`
    })
    const target = `${url}/api/v2/write?org=o&bucket=${bucket}`
    const { status } = await send(target, { method: 'POST', token, body: lines.join('\n') })
    expect(status).toBe(204)
  }
}

/** Rows of which InfluxQL cannot hold as many: with many fields, of which each has one. */
async function loadWide({ server, url, token }: Served): Promise<void> {
  const lines = Array.from({ length: 60_000 }, (_, row) => `m f${row % 300}=${row} ${row}000`)
  const target = `${url}/api/v2/write?org=o&bucket=wide`
  for (let from = 0; from < lines.length; from += 5000) {
    const body = lines.slice(from, from + 5000).join('\n')
    expect((await send(target, { method: 'POST', token, body })).status).toBe(204)
  }
  await (server.store as unknown as { flush(): Promise<void> }).flush()
}

/** A block in the file of one of the shards of `m`: the first of the first and second, the last of the third. */
async function damage(disk: SimulatedDisk, folder: string, place: Place): Promise<void> {
  const names = (await disk.list(folder)).filter((name) => /^-?\d+$/.test(name))
  const shards = names.sort((a, b) => Number(BigInt(a) - BigInt(b)))
  const shard = `${folder}/${shards[Math.min(places.indexOf(place), shards.length - 1)]}`
  const [segment] = await disk.list(shard)
  const path = `${shard}/${segment}`
  const bytes = await readFile(disk, path)
  const directory = Number(Buffer.from(bytes).readBigInt64LE(bytes.length - 32))
  // Blocks stand between the header and the directory.
  disk.corrupt(path, place === 'last' ? directory - 40 : 20)
}

function early(outcome: Outcome): boolean {
  return outcome === 'refused' || outcome === 'told'
}

describe.each(formats)('$name', (format: Format) => {
  test('an answer that does not fail is complete', async () => {
    const seen = await format.ask(dataOf(format).damaged, { bucket: 'whole' })
    expect(seen.outcome).toBe('complete')
  })

  test.each(places)('a damaged block: %s', async (place) => {
    const { outcome } = await format.ask(dataOf(format).damaged, { bucket: place })
    if (place === 'first') expect(outcome).toSatisfy(early)
    else expect(outcome).toBe(format.isHeld ? 'refused' : format.late)
  })

  test.each(places)('the limit of points: %s', async (place) => {
    const { limited, shardRows } = dataOf(format)
    const target = limited.get(pointLimits(format.language, shardRows)[place])!
    const { outcome } = await format.ask(target, { bucket: 'whole' })
    if (place === 'first') expect(outcome).toSatisfy(early)
    else expect(outcome).toBe(format.isHeld ? 'refused' : format.late)
  })
})

const held = formats.filter(({ isHeld, name }) => isHeld && /\bjson|csv|Flight/.test(name))

describe.each(held)('$name', (format: Format) => {
  test('a damaged block, behind more rows than InfluxQL holds', async () => {
    const { outcome, bytes } = await format.ask(usual.damaged, { bucket: 'wide' })
    expect(outcome).toBe(format.late)
    expect(bytes).toBeGreaterThan(10_000)
  })
})

const sqlFormats = formats.filter(({ language }) => language === 'sql')

describe.each(sqlFormats)('$name', (format: Format) => {
  test('an engine that is killed before the first row', async () => {
    const text = 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b'
    const killing = setInterval(killEngines, 300)
    const { outcome } = await format.ask(usual.damaged, { bucket: 'whole', text })
    clearInterval(killing)
    expect(outcome).toBe('refused')
  })

  // Of one that is held until it is whole nothing comes before its end.
  test.skipIf(format.late === 'refused')('one that is killed behind the first rows', async () => {
    let killed = 0
    const onBytes = () => {
      killed += killEngines()
    }
    // Plain rows need no engine, and an engine may be done with few before they are seen here.
    const text = 'SELECT m.* FROM m, range(60)'
    const { outcome } = await format.ask(usual.damaged, { bucket: 'whole', onBytes, text })
    expect(killed).toBeGreaterThan(0)
    expect(outcome).toBe(format.late)
  })
})

/** Those of this process. */
function killEngines(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
  const engines = children
    .split(' ')
    .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`).includes('sql-engine'))
  for (const pid of engines) process.kill(Number(pid), 'SIGKILL')
  return engines.length
}
