// The rules of the pool, with engines that do what the test tells and a clock that the test moves: which statement gets
// which engine, when another one is started, and when engines end. `test/sql/engine-pool.test.ts` has the real ones.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Engine } from './engine.js'
import { EnginePool, longPatienceMilliseconds, patienceMilliseconds } from './engine-pool.js'

/** As much of an engine as a pool sees. */
class ToldEngine {
  readonly number: number
  readonly memoryBytesMax: number
  readonly ended: Promise<void>
  hasEnded = false
  resident = 100
  /** It has started. */
  ready = () => {}
  /** It could not start, or ends. */
  fail = (_error: Error) => {}
  #end = () => {}
  readonly #started: Promise<void>

  constructor(number: number, memoryBytesMax: number) {
    this.number = number
    this.memoryBytesMax = memoryBytesMax
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#started = new Promise((resolve, reject) => {
      this.ready = resolve
      this.fail = (error) => {
        reject(error)
        this.kill()
      }
    })
  }

  get pid(): number {
    return this.number
  }

  start(): Promise<void> {
    return this.#started
  }

  hold(): void {}

  kill(): void {
    this.hasEnded = true
    this.#end()
  }

  async reset(): Promise<number> {
    if (this.hasEnded) throw new Error('it has ended')
    return this.resident
  }

  grownBytes(resident: number): number {
    return resident
  }
}

const patience = patienceMilliseconds
const longPatience = longPatienceMilliseconds
const { signal } = new AbortController()

let engines: ToldEngine[] = []
let pool: EnginePool

function open(coreCount: number, enginesMax = 8): void {
  engines = []
  const make = (memoryBytesMax: number) => {
    const engine = new ToldEngine(engines.length, memoryBytesMax)
    engines.push(engine)
    return engine as unknown as Engine
  }
  pool = new EnginePool({ make, coreCount, enginesMax, waitSecondsMax: 30, idleSecondsMax: 300 })
}

/** A statement: which engine it got, once it has one. */
class Statement {
  engine: number | undefined
  error: Error | undefined

  constructor(memoryBytesMax = 1, stop: AbortSignal = signal) {
    pool.acquire(memoryBytesMax, stop).then(
      ({ pid }) => {
        this.engine = pid
      },
      (error) => {
        this.error = error
      },
    )
  }

  end(): Promise<void> {
    return pool.release(engines[this.engine!] as unknown as Engine, 0)
  }
}

function burst(count: number): Statement[] {
  return Array.from({ length: count }, () => new Statement())
}

async function settle(milliseconds = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds)
}

async function ready(number: number): Promise<void> {
  engines[number].ready()
  await settle()
}

beforeEach(() => void vi.useFakeTimers())
afterEach(async () => {
  await pool.close()
  vi.useRealTimers()
})

test('a burst goes through the one engine there is, in the order in which it came', async () => {
  open(4)
  const statements = burst(8)
  expect(engines).toHaveLength(1)
  await ready(0)
  for (const [i, statement] of statements.entries()) {
    await settle(20)
    expect(statements.map(({ engine }) => engine !== undefined)).toEqual(
      statements.map((_, place) => place <= i),
    )
    await statement.end()
  }
  expect(engines).toHaveLength(1)
  // And it is there for the next one.
  const next = new Statement()
  await settle()
  expect(next.engine).toBe(0)
})

test('another one is started when there is a queue for as long as a start takes, one at a time', async () => {
  open(3)
  const statements = burst(10)
  await settle(5 * patience)
  // Waiting for the first to start is no reason for a second.
  expect(engines).toHaveLength(1)
  await ready(0)
  await settle(patience - 1)
  expect(engines).toHaveLength(1)
  await settle(1)
  expect(engines).toHaveLength(2)
  await settle(patience * 2)
  expect(engines).toHaveLength(2)
  await ready(1)
  expect(statements[1].engine).toBe(1)
  await settle(patience)
  expect(engines).toHaveLength(3)
  await ready(2)
  // As many as there are cores, while statements come to their end.
  for (let i = 0; i < 6; i++) {
    await settle(longPatience - 1)
    await statements[i].end()
    expect(engines).toHaveLength(3)
  }
})

test('a queue that is over in time starts nothing', async () => {
  open(4)
  const first = new Statement()
  await ready(0)
  expect(first.engine).toBe(0)
  for (let i = 0; i < 20; i++) {
    const second = new Statement()
    await settle(patience - 1)
    await first.end()
    await settle()
    expect(second.engine).toBe(0)
    first.engine = second.engine
  }
  expect(engines).toHaveLength(1)
})

test('beyond the cores others are started when none gets free for long', async () => {
  open(1, 3)
  burst(5)
  await ready(0)
  await settle(longPatience - 1)
  expect(engines).toHaveLength(1)
  await settle(1)
  expect(engines).toHaveLength(2)
  await ready(1)
  await settle(longPatience)
  expect(engines).toHaveLength(3)
  await ready(2)
  await settle(10 * longPatience)
  expect(engines).toHaveLength(3)
})

test('free engines answer first, the last used one before others', async () => {
  open(2)
  const [a, b, c] = burst(3)
  await ready(0)
  await settle(patience)
  await ready(1)
  await a.end()
  await settle()
  expect([a.engine, b.engine, c.engine]).toEqual([0, 1, 0])
  await c.end()
  await b.end()
  for (let i = 0; i < 5; i++) {
    const next = new Statement()
    await settle()
    expect(next.engine).toBe(1)
    await next.end()
  }
  expect(engines).toHaveLength(2)
})

test('engines that are not needed end after a while, two of them later than others', async () => {
  open(4)
  const statements = burst(4)
  await ready(0)
  for (const i of [1, 2, 3]) {
    await settle(patience)
    await ready(i)
  }
  for (const statement of statements) await statement.end()
  const there = () => engines.filter(({ hasEnded }) => !hasEnded).map(({ number }) => number)
  await settle(29_999)
  expect(there()).toEqual([0, 1, 2, 3])
  await settle(1)
  expect(there()).toEqual([0, 1])
  await settle(270_000)
  expect(there()).toEqual([])
})

test('one that is asked again and again stays', async () => {
  open(2)
  const first = new Statement()
  await ready(0)
  await first.end()
  for (let i = 0; i < 10; i++) {
    await settle(299_000)
    const next = new Statement()
    await settle()
    expect(next.engine).toBe(0)
    await next.end()
  }
})

test('a statement that is aborted leaves the queue, and its engine is for the next', async () => {
  open(2)
  const controller = new AbortController()
  const gone = new Statement(1, controller.signal)
  controller.abort(new Error('gone'))
  await settle()
  expect(gone.error?.message).toBe('gone')
  const next = new Statement()
  await ready(0)
  expect(engines).toHaveLength(1)
  expect(next.engine).toBe(0)
})

test('who waits too long is told that others are under way', async () => {
  open(1, 1)
  const [, second] = burst(2)
  await ready(0)
  await settle(30_000)
  expect(second.error?.message).toBe('1 SQL statements are under way')
})

test('an engine that cannot start fails those who wait for it, unless there are others', async () => {
  open(2)
  const failing = burst(3)
  engines[0].fail(new Error('no such program'))
  await settle()
  expect(failing.map(({ error }) => error?.message)).toEqual(Array(3).fill('no such program'))
  expect(engines).toHaveLength(1)
  const [a, b] = burst(2)
  await ready(1)
  await settle(patience)
  engines[2].fail(new Error('no memory'))
  await settle()
  expect([a.error, b.error]).toEqual([undefined, undefined])
  await a.end()
  await settle()
  expect(b.engine).toBe(1)
})

test('an engine that ends is replaced where somebody waits', async () => {
  open(2)
  const [a, b] = burst(2)
  await ready(0)
  engines[0].kill()
  await settle()
  expect(engines).toHaveLength(2)
  await ready(1)
  expect(b.engine).toBe(1)
  await a.end()
  expect(pool.pids).toEqual([1])
})

test('one that has grown is replaced before the next statement comes', async () => {
  open(2)
  const first = new Statement()
  await ready(0)
  engines[0].resident = 1e9
  await first.end()
  expect(engines[0].hasEnded).toBe(true)
  await ready(1)
  const next = new Statement()
  await settle()
  expect(next.engine).toBe(1)
})

test('another limit of memory needs another engine, if need be in the place of one', async () => {
  open(2, 2)
  const [a, b] = burst(2)
  await ready(0)
  await settle(patience)
  await ready(1)
  const other = new Statement(2)
  await settle(10 * longPatience)
  expect(engines).toHaveLength(2)
  await a.end()
  await settle()
  expect(engines[0].hasEnded).toBe(true)
  expect(engines[2].memoryBytesMax).toBe(2)
  await ready(2)
  expect(other.engine).toBe(2)
  await b.end()
})

test('when it is closed nobody waits on', async () => {
  open(1)
  const statements = burst(2)
  await pool.close()
  await settle()
  expect(statements.map(({ error }) => error?.message)).toEqual(
    Array(2).fill('the service is stopping'),
  )
  expect(engines.map(({ hasEnded }) => hasEnded)).toEqual([true])
})
