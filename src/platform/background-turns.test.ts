// Turns come one after the other, after what others have to do, and in the end also where others never pause: seen by
// the order in which things happen, and never by how long they take.

import { setImmediate } from 'node:timers'
import { expect, test } from 'vitest'
import { BackgroundTurns } from './background-turns.js'

/** A clock that only work moves on. */
let now = 0

function busy(ms: number): void {
  now += ms
}

const clock = () => now

test('one has its turn at a time, in the order in which they asked', async () => {
  const turns = new BackgroundTurns(clock)
  const seen: string[] = []
  const work = async (name: string) => {
    for (let i = 0; i < 2; i++) {
      await turns.next()
      seen.push(name)
    }
  }
  await Promise.all([work('a'), work('b'), work('c')])
  expect(seen.join('')).toBe('abcabc')
})

test('what others have to do comes first', async () => {
  const turns = new BackgroundTurns(clock)
  const seen: string[] = []
  let left = 3
  const others = () => {
    seen.push('people')
    busy(1)
    if (--left > 0) setImmediate(others)
  }
  setImmediate(others)
  await turns.next()
  seen.push('background')
  expect(seen).toEqual(['people', 'people', 'people', 'background'])
})

test('nobody waits for ever', async () => {
  const turns = new BackgroundTurns(clock)
  let isOver = false
  const others = () => {
    busy(1)
    if (!isOver) setImmediate(others)
  }
  setImmediate(others)
  await turns.next()
  isOver = true
})
