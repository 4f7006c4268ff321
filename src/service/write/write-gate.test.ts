// Places are few: nobody has all of them, who finds none waits, organizations are let in in turn, and who has waited
// too long is told so.

import { expect, test, vi } from 'vitest'
import { OverloadError } from '../../errors.js'
import { WriteGate, type WritePlace } from './write-gate.js'

const many = { org: 'many', token: 'b' }
const few = { org: 'few', token: 'b' }
const options = { requestsMax: 4, bytesMax: 100, waitSecondsMax: 2 }

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

test('an organization has three of four places, and others find one', async () => {
  const gate = new WriteGate(options)
  const places = [gate.enter(many), gate.enter(many), gate.enter(many)]
  expect(places.every((place) => !(place instanceof Promise))).toBe(true)
  const waiting = gate.enter(many)
  expect(waiting).toBeInstanceOf(Promise)
  expect(gate.enter(few)).not.toBeInstanceOf(Promise)
  expect(gate.requests).toBe(4)
  ;(places[0] as WritePlace).release()
  await waiting
  expect(gate.requests).toBe(4)
})

test('who waits is let in by organization, then in the order of coming', async () => {
  const gate = new WriteGate(options)
  const places = [many, many, many, few].map((caller) => gate.enter(caller) as WritePlace)
  const seen: string[] = []
  for (const [name, caller] of Object.entries({ a: many, b: many, c: few })) {
    void Promise.resolve(gate.enter(caller)).then(() => seen.push(name))
  }
  for (const place of places) {
    place.release()
    await settled()
  }
  expect(seen).toEqual(['a', 'c', 'b'])
})

test('who has waited too long, or finds too many waiting, is told to come back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const gate = new WriteGate({ ...options, requestsMax: 1 })
    const place = gate.enter(many) as WritePlace
    const waiting = Array.from({ length: 4 }, () => gate.enter(many))
    expect(() => gate.enter(few)).toThrow(OverloadError)
    const refused = Promise.allSettled(waiting)
    await vi.advanceTimersByTimeAsync(2000)
    expect(await refused).toEqual(
      waiting.map(() => ({
        status: 'rejected',
        reason: new OverloadError('more than 1 concurrent writes'),
      })),
    )
    place.release()
    expect(gate.requests).toBe(0)
    ;(gate.enter(few) as WritePlace).release()
  } finally {
    vi.useRealTimers()
  }
})

test('a body beyond the bound of all bytes gets in when nobody else is there', () => {
  const gate = new WriteGate(options)
  const place = gate.enter(many) as WritePlace
  place.reserve(500)
  const other = gate.enter(few) as WritePlace
  expect(() => other.reserve(1)).toThrow('more than 100 bytes of concurrent writes')
  place.release()
  other.reserve(1)
  expect(gate.bytes).toBe(1)
})
