// Queries under way: their order and their limit, and that a signal that is used again carries nothing from
// one query to the next.

import { expect, it } from 'vitest'
import { ManualClock } from '../platform/clock.js'
import { ActiveQueries, type QueryStart } from './active-queries.js'

const start: QueryStart = {
  text: 'q',
  language: 'influxql',
  database: 'd',
  timeoutSeconds: 0,
  concurrentMax: 2,
}

it('lists in the order they started, and lets in no more than may run', () => {
  const queries = new ActiveQueries(new ManualClock(1n))
  const [first, second] = [queries.start(start), queries.start(start)]
  expect(() => queries.start(start)).toThrow('max-concurrent-queries limit exceeded(2, 2)')
  first.end()
  first.end()
  const third = queries.start(start)
  expect(queries.list()).toEqual([second, third])
  expect(() => queries.kill(first.id)).toThrow(`no such query id: ${first.id}`)
  queries.kill(second.id)
  expect([second, third].map(({ signal }) => signal.aborted)).toEqual([true, false])
})

it('what has ended stops nothing that came after it', () => {
  const queries = new ActiveQueries(new ManualClock(1n))
  const ended = queries.start(start)
  ended.end()
  const next = queries.start(start)
  ended.stop(new Error('gone'))
  expect(next.signal.aborted).toBe(false)
})

it('a signal that was aborted, or that somebody listens to, is not used again', () => {
  const queries = new ActiveQueries(new ManualClock(1n))
  const killed = queries.start(start)
  queries.kill(killed.id)
  killed.end()
  const heard = queries.start(start)
  expect(heard.signal).not.toBe(killed.signal)
  const heardOf: Event[] = []
  heard.signal.addEventListener('abort', (event) => heardOf.push(event))
  heard.end()
  const last = queries.start(start)
  queries.kill(last.id)
  expect(last.signal.aborted).toBe(true)
  expect(heardOf).toEqual([])
})
