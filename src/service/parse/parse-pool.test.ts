// A body is the same columns, errors and pieces wherever it is parsed: on a real thread, and behind the same words on
// this one. What a thread is started for, who is served first, and what becomes of bodies when it dies.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Worker } from 'node:worker_threads'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { kernelsPlugin } from '../../../scripts/kernels.mjs'
import { printWriteBatch } from '../../line-protocol/printer.js'
import { Beginnings } from '../base/beginnings.js'
import { BodyPieces, type ParseParts } from './body-pieces.js'
import type { ParseListener, ParsePort, ParseRequest } from './messages.js'
import { ParsePool } from './parse-pool.js'
import { InlinePort, WorkerPort } from './parse-ports.js'
import { ParserRegistry } from './parsers.js'

const limits = {
  parsersMax: 2,
  parserBytesMax: 1 << 30,
  parserSeriesBytes: 1 << 30,
  measurementsMax: 1000,
  fieldsMax: 1000,
}
const sizes = { startBytesMin: 0, bodyBytesMin: 64 << 10 }
const caller = { org: 'o', token: 't' }
const workers: Worker[] = []
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(`${tmpdir()}/millrace-parse-`)
  await build({
    entryPoints: [`${import.meta.dirname}/parse-worker.ts`],
    outfile: `${folder}/parse-worker.mjs`,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [kernelsPlugin],
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function startWorker(): Worker {
  const worker = new Worker(`${folder}/parse-worker.mjs`)
  workers.push(worker)
  return worker
}

const ports = {
  'a thread': (listener: ParseListener): ParsePort => new WorkerPort(listener, startWorker),
  'this thread': (listener: ParseListener): ParsePort => new InlinePort(listener),
}

function partsOf(makePort: (listener: ParseListener) => ParsePort, threadCount = 1): ParseParts {
  const pool = new ParsePool({ threadCount, limits, ...sizes, makePort })
  return { parsers: new ParserRegistry(limits), pool, beginnings: new Beginnings() }
}

const nowhere = () => partsOf(ports['this thread'], 0)

function shared(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const body = Buffer.from(new SharedArrayBuffer(bytes.length))
  body.set(bytes)
  return body
}

interface Options {
  readonly bucketId?: string
  readonly tableBytesMax?: number
  readonly from?: typeof caller
}

function open(
  parts: ParseParts,
  bytes: Uint8Array,
  { bucketId = 'b', from = caller }: Options = {},
) {
  return new BodyPieces(parts, from, { bucketId, bytes, precision: 'ns', now: 77n })
}

/** Everything that is told of a body, piece by piece. */
async function tell(parts: ParseParts, bytes: Uint8Array, options: Options = {}) {
  const pieces = open(parts, bytes, options)
  const told: object[] = []
  const writes = new Set<object | undefined>()
  for (;;) {
    const { batch, errors, errorCount, rest } = await pieces.next(options.tableBytesMax ?? 1e9)
    const lines = batch.tables.map((table) => [...table.lines.subarray(0, table.rowCount)])
    const { pointCount } = batch
    told.push({ text: printWriteBatch(batch), lines, pointCount, errors, errorCount, rest })
    writes.add(batch.write)
    if (rest === undefined) break
  }
  pieces.end()
  return { told, writes: writes.size }
}

/** Every type, columns with and without gaps, several measurements and spans of time, texts beyond ASCII, bad lines. */
function mixed(seed: number): string {
  const lines: string[] = []
  for (let i = 0; i < 1500; i++) {
    const n = (i * 7919 + seed * 104729) % 1000
    lines.push(`m${n % 3},host=h${n % 97},zone=ü${n % 5} f=${n / 7},i=${n}i,u=${n}u ${i}`)
    lines.push(
      `wide,b=1,a=${n % 11} big=${2n ** 62n + BigInt(n)}i,ubig=${2n ** 63n + BigInt(n)}u ${i}`,
    )
    lines.push(`text s="größe ${n % 50}",t=${n % 2 === 0} ${BigInt(n % 2) * 2n ** 58n + BigInt(i)}`)
    if (n % 100 === 3) lines.push(`bad,=x f=${n}`, '# nothing', 'm0 f="open\nline"')
  }
  return lines.join('\n')
}

describe.each(Object.entries(ports))('on %s', (_name, makePort) => {
  test('a body is what it is here, also the second time', async () => {
    const [there, here] = [partsOf(makePort), nowhere()]
    for (const seed of [1, 2, 1]) {
      const found = await tell(there, shared(mixed(seed)))
      expect(found).toEqual(await tell(here, shared(mixed(seed))))
      expect(found.told[0]).toMatchObject({ errorCount: 15, rest: undefined })
    }
    await there.pool.close(new Error('over'))
  })

  test('so are its pieces, which one write has', async () => {
    const [there, here] = [partsOf(makePort), nowhere()]
    const options = { tableBytesMax: 50_000 }
    const found = await tell(there, shared(mixed(3)), options)
    expect(found).toEqual(await tell(here, shared(mixed(3)), options))
    expect(found.told.length).toBeGreaterThan(3)
    expect(found.writes).toBe(1)
    await there.pool.close(new Error('over'))
  })

  test('what was handed out stays as it is until it is given back', async () => {
    const parts = partsOf(makePort)
    const bodies = Array.from({ length: 20 }, (_, i) => open(parts, shared(mixed(i))))
    const found = await Promise.all(bodies.map((body) => body.next(1e9)))
    const texts = found.map(({ batch }) => printWriteBatch(batch))
    for (const body of bodies) body.end()
    for (const [i, text] of texts.entries()) {
      const [{ text: expected }] = (await tell(nowhere(), shared(mixed(i)))).told as {
        text: string
      }[]
      expect(text).toBe(expected)
    }
    await parts.pool.close(new Error('over'))
  })

  test('series keep their numbers from body to body, for so many buckets', async () => {
    const parts = partsOf(makePort)
    const keysOf = async (bucketId: string) => {
      const pieces = open(parts, shared(mixed(1)), { bucketId })
      const { batch } = await pieces.next(1e9)
      pieces.end()
      return batch.tables[0].keys
    }
    const first = await keysOf('a')
    expect(await keysOf('a')).toBe(first)
    for (const bucketId of ['b', 'c']) await keysOf(bucketId)
    const again = await keysOf('a')
    expect(again).not.toBe(first)
    expect(again.count).toBe(first.count)
    await parts.pool.close(new Error('over'))
  })
})

test('one that cannot begin is not waited for, nor tried again', async () => {
  const starts = vi.fn(() => new Worker('throw new Error("no")', { eval: true }))
  const parts = partsOf((listener) => new WorkerPort(listener, starts))
  const here = await tell(nowhere(), shared(mixed(1)))
  for (let i = 0; i < 3; i++) expect(await tell(parts, shared(mixed(1)))).toEqual(here)
  expect(starts).toHaveBeenCalledTimes(1)
})

/** Notes what is asked; answers as the real one does, when told to, and dies likewise. */
class HeldPort implements ParsePort {
  readonly buckets: string[] = []
  beginnings = 0
  isHolding = false
  readonly #listener: ParseListener
  #port: InlinePort
  #held: ParseRequest[] = []

  constructor(listener: ParseListener) {
    this.#listener = listener
    this.#port = new InlinePort(listener)
  }

  post(request: ParseRequest): void {
    if (request.kind === 'parse-begin') this.beginnings++
    if (request.kind === 'parse-body') this.buckets.push(request.bucketId)
    if (this.isHolding) this.#held.push(request)
    else this.#port.post(request)
  }

  go(): void {
    this.isHolding = false
    for (const request of this.#held) this.#port.post(request)
  }

  /** Without an error: it was idle. */
  end(error?: Error): void {
    this.isHolding = false
    this.#held = []
    this.#port.close()
    this.#port = new InlinePort(this.#listener)
    if (error === undefined) this.#listener.ended()
    else this.#listener.failed(error)
  }

  close(): Promise<void> {
    return this.#port.close()
  }
}

function held(startBytesMin: number) {
  const made: HeldPort[] = []
  const makePort = (listener: ParseListener) => {
    made.push(new HeldPort(listener))
    return made[0]
  }
  const pool = new ParsePool({ threadCount: 1, limits, ...sizes, startBytesMin, makePort })
  const parts = { parsers: new ParserRegistry(limits), pool, beginnings: new Beginnings() }
  return { parts, port: made[0] }
}

test('a thread that dies takes the body that it was at with it, and is replaced', async () => {
  const { parts, port } = held(0)
  await tell(parts, shared(mixed(1)))
  port.isHolding = true
  const bodies = ['x', 'y', 'z'].map((bucketId) => open(parts, shared(mixed(1)), { bucketId }))
  const found = bodies.map((body) => body.next(1e9))
  await vi.waitFor(() => expect(port.buckets).toEqual(['b', 'x', 'y']))
  port.end(new Error('dead'))
  const [first, second, third] = await Promise.allSettled(found)
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'dead' } })
  expect([second.status, third.status]).toEqual(['fulfilled', 'fulfilled'])
  for (const body of bodies) body.end()
  expect(port.beginnings).toBe(1)
  expect(await tell(parts, shared(mixed(4)))).toEqual(await tell(nowhere(), shared(mixed(4))))
  expect([port.beginnings, port.buckets.length]).toEqual([2, 4])
})

test('a body of which more is wanted ends with its thread', async () => {
  const { parts, port } = held(0)
  const body = open(parts, shared(mixed(1)))
  expect((await body.next(50_000)).rest).toBeDefined()
  port.end(new Error('dead'))
  await expect(body.next(50_000)).rejects.toThrow('has died')
  body.end()
})

test('after one that was idle another begins, which knows nothing', async () => {
  const { parts, port } = held(0)
  const here = await tell(nowhere(), shared(mixed(1)))
  expect(await tell(parts, shared(mixed(1)))).toEqual(here)
  port.end()
  expect(await tell(parts, shared(mixed(1)))).toEqual(here)
  expect([port.beginnings, port.buckets.length]).toEqual([2, 2])
})

test('large bodies in shared memory go to a thread, once enough of them have come', async () => {
  const large = mixed(1)
  const { parts, port } = held(2.5 * large.length)
  for (let i = 0; i < 5; i++) {
    await tell(parts, Buffer.from(large), { bucketId: 'not shared' })
    await tell(parts, shared('m f=1 1'), { bucketId: 'small' })
    await tell(parts, shared(large), { bucketId: `large ${i}` })
  }
  expect(port.buckets).toEqual(['large 2', 'large 3', 'large 4'])
})

test('organizations that wait are served in turn', async () => {
  const { parts, port } = held(0)
  await tell(parts, shared(mixed(1)), { bucketId: 'first' })
  port.isHolding = true
  const orgs = ['a', 'a', 'a', 'a', 'a', 'b', 'c']
  const done = orgs.map((org, i) => {
    return tell(parts, shared(mixed(1)), { bucketId: `${org}${i}`, from: { org, token: 't' } })
  })
  await Promise.resolve()
  port.go()
  await Promise.all(done)
  expect(port.buckets).toEqual(['first', 'a0', 'a1', 'a2', 'b5', 'c6', 'a3', 'a4'])
})
