// Callers are served in turn, places are few and the last one is for whoever has none, and nobody who was stopped is
// waited for: seen by the order in which things happen.

import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { OverloadError } from '../../errors.js'
import { FairQueue } from '../base/fair-queue.js'
import { type QueryTurn, QueryTurns, type QueryTurnsOptions } from './query-turns.js'

const many = { org: 'many', token: 'a' }
const few = { org: 'few', token: 'a' }

/** Nothing else is to be done. */
function quiet(options: Partial<QueryTurnsOptions> = {}): QueryTurns {
  return new QueryTurns({
    placeCount: 2,
    waitSecondsMax: 60,
    isNeededElsewhere: () => false,
    ...options,
  })
}

function open(turns: QueryTurns, caller = many): { run: QueryTurn; stop: AbortController } {
  const stop = new AbortController()
  return { run: turns.run(caller, stop.signal), stop }
}

async function rounds(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await setImmediate()
}

test('a queue is served by organization, then by token, then by age', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add({ org: 'x', token: 'a' }, item)
  queue.add({ org: 'x', token: 'b' }, 'b1')
  queue.add({ org: 'y', token: 'c' }, 'c1')
  const taken = Array.from({ length: 6 }, () => queue.take())
  expect(taken).toEqual(['a1', 'c1', 'b1', 'a2', 'a3', undefined])
  expect(queue.size).toBe(0)
})

test('what was removed from a queue is not served', () => {
  const queue = new FairQueue<string>()
  queue.add(many, 'one')
  queue.add(many, 'two')
  queue.remove(many, 'one')
  queue.remove(few, 'two')
  expect([queue.size, queue.take(), queue.take()]).toEqual([1, 'two', undefined])
})

test('a round gives one turn, to the organizations one after the other', async () => {
  const turns = quiet()
  const seen: string[] = []
  const going = [many, many, many, few].map(async (caller) => {
    await open(turns, caller).run.next()
    seen.push(caller.org)
  })
  await rounds(1)
  expect(seen.length).toBeLessThan(3)
  await Promise.all(going)
  expect(seen).toEqual(['many', 'few', 'many', 'many'])
})

test('light queries and heavy ones have every other turn', async () => {
  const turns = quiet()
  const heavy = open(turns).run
  await heavy.enterHeavy()
  const seen: string[] = []
  const note = (name: string, run: QueryTurn) => run.next().then(() => seen.push(name))
  const light = () => note('light', open(turns, few).run)
  await Promise.all([light(), light(), light(), note('heavy', heavy)])
  expect(seen).toEqual(['light', 'heavy', 'light', 'light'])
  heavy.end()
})

test('an answer that has begun waits for its turn where that was long, and for no place', async () => {
  const turns = quiet({ placeCount: 2 })
  const places = [open(turns).run, open(turns, few).run]
  for (const run of places) await run.enterHeavy()
  const { run } = open(turns)
  for (const until = performance.now() + 40; performance.now() < until; );
  await run.nextIfLong()
  expect([run.hadPlace, turns.waitingCount]).toEqual([false, 0])
  for (const each of places) each.end()
})

describe('while the thread is needed elsewhere', () => {
  let now = 0
  let idle = 0
  beforeEach(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({
      idle,
      active: 0,
      utilization: 0,
    }))
  })
  afterEach(() => vi.restoreAllMocks())

  test.each([
    ['three times as long has passed', () => (now += 15)],
    ['it was idle for as long', () => (idle += 5)],
  ])('a turn is given after another when %s', async (_name, pass) => {
    const { run } = open(quiet({ isNeededElsewhere: () => true }))
    expect(run.resumed()).toBeInstanceOf(Promise)
    await run.next()
    now += 5
    let hasTurn = false
    const next = run.next().then(() => {
      hasTurn = true
    })
    await rounds(5)
    expect(hasTurn).toBe(false)
    pass()
    await next
  })
})

test('the thread is needed by those that begin and end, not by those that compute for long', async () => {
  const turns = quiet()
  turns.begin(many)
  expect(turns.isNeededElsewhere).toBe(true)
  await open(turns).run.next()
  expect(turns.isNeededElsewhere).toBe(false)
  turns.begin(many)
  await open(turns).run.enterHeavy()
  expect(turns.isNeededElsewhere).toBe(false)
})

test('what other threads have brought is used at once where nobody needs the thread', () => {
  expect(open(quiet()).run.resumed()).toBeUndefined()
})

test('the last place is for callers that have none', async () => {
  const turns = quiet({ placeCount: 3 })
  const runs = Array.from({ length: 4 }, () => open(turns).run)
  const seen: number[] = []
  runs.forEach((run, i) => void run.enterHeavy()?.then(() => seen.push(i)))
  await rounds(2)
  expect(seen).toEqual([0, 1])
  const other = open(turns, few).run
  await other.enterHeavy()
  expect([turns.heavyCount, turns.waitingCount]).toEqual([3, 2])
  runs[0].end()
  await rounds(2)
  // Two are free again when the other one ends, one of which stays free.
  expect(seen).toEqual([0, 1])
  other.end()
  await rounds(2)
  expect(seen).toEqual([0, 1, 2])
  for (const run of runs) run.end()
})

test('who is stopped while it waits is not served', async () => {
  const turns = quiet()
  const [first, second] = [open(turns), open(turns)]
  await first.run.enterHeavy()
  const waiting = second.run.enterHeavy()
  second.stop.abort()
  await waiting
  expect([turns.heavyCount, turns.waitingCount]).toEqual([1, 0])
})

async function withTimers(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    await work()
  } finally {
    vi.useRealTimers()
  }
}

test('a place is lost after a while where others wait', () =>
  withTimers(async () => {
    const turns = quiet()
    await open(turns).run.enterHeavy()
    let hasPlace = false
    void open(turns)
      .run.enterHeavy()
      ?.then(() => {
        hasPlace = true
      })
    await vi.advanceTimersByTimeAsync(900)
    expect(hasPlace).toBe(false)
    await vi.advanceTimersByTimeAsync(400)
    expect(hasPlace).toBe(true)
  }))

test('who has no place after so long is told so', () =>
  withTimers(async () => {
    const turns = quiet({ waitSecondsMax: 0.5 })
    await open(turns).run.enterHeavy()
    const refused = expect(open(turns).run.enterHeavy()).rejects.toThrow(OverloadError)
    await vi.advanceTimersByTimeAsync(600)
    await refused
    expect(turns.waitingCount).toBe(0)
  }))

/** Another place with these answers. */
function elsewhere(isBetter: boolean, isOpen: boolean) {
  return { isBetter: () => isBetter, isOpen: () => isOpen, valuesMin: 100 }
}

describe('a query that may run elsewhere', () => {
  test('is given up when it asks for its next turn, or for other threads', async () => {
    const { run } = open(quiet())
    run.elsewhere = elsewhere(true, true)
    await expect(run.next()).rejects.toThrow()
    expect(run.isMoving).toBe(true)
    await expect(run.enterHeavy()).rejects.toThrow()
    // There it waits for its place like others.
    run.moved()
    await run.enterHeavy()
    expect([run.isMoving, run.hadPlace]).toEqual([false, true])
  })

  test('is given up before it reads much, and not for little', () => {
    const { run } = open(quiet())
    run.elsewhere = elsewhere(true, true)
    run.foresee(() => 99)
    expect(run.isMoving).toBe(false)
    expect(() => run.foresee(() => 100)).toThrow()
    expect(run.isMoving).toBe(true)
  })

  test.each([
    [true, false],
    [false, true],
  ])('stays where that is no better or not possible: %s, %s', async (isBetter, isOpen) => {
    const { run } = open(quiet())
    run.elsewhere = elsewhere(isBetter, isOpen)
    run.foresee(() => 1e9)
    await run.next()
    expect(run.isMoving).toBe(false)
    // What comes behind a turn is done before clocks are replaced.
    await rounds(2)
  })

  test('hears when others get its place', () =>
    withTimers(async () => {
      const turns = quiet({ placeCount: 1 })
      const { run } = open(turns)
      await run.enterHeavy()
      const lost = vi.fn()
      run.onPlaceLost = lost
      const other = open(turns, few).run.enterHeavy()
      await vi.advanceTimersByTimeAsync(2000)
      await other
      expect(lost).toHaveBeenCalledOnce()
    }))
})

test('others are there for a while after one has written or asked little', () =>
  withTimers(async () => {
    let isWriting = true
    const turns = quiet({ isNeededElsewhere: () => isWriting })
    expect(turns.hasOthers).toBe(true)
    isWriting = false
    await vi.advanceTimersByTimeAsync(200)
    expect(turns.hasOthers).toBe(true)
    await vi.advanceTimersByTimeAsync(100)
    expect(turns.hasOthers).toBe(false)
    open(turns).run.end()
    expect(turns.hasOthers).toBe(true)
    await vi.advanceTimersByTimeAsync(300)
    const { run } = open(turns)
    await run.enterHeavy()
    run.end()
    expect(turns.hasOthers).toBe(false)
  }))
