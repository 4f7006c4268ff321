// The first of a round begins at once; what comes when the round was long begins in the next ones, organizations in
// turn, and the time of each counts for the round it runs in.

import { expect, test } from 'vitest'
import { Beginnings } from './beginnings.js'

const many = { org: 'many', token: 'a' }
const few = { org: 'few', token: 'a' }

function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

test('what comes into a long round waits its turn', async () => {
  const beginnings = new Beginnings()
  expect(beginnings.enter(many)).toBeUndefined()
  work(6)
  const seen: string[] = []
  const waiting = [many, many, few].map((caller) =>
    beginnings.enter(caller)?.then(() => seen.push(caller.org)),
  )
  expect(waiting).not.toContain(undefined)
  await Promise.all(waiting)
  expect(seen).toEqual(['many', 'few', 'many'])
})

test('a round takes no more than its time, and the rest goes on in the next', async () => {
  const beginnings = new Beginnings()
  beginnings.enter(many)
  work(6)
  let begun = 0
  const waiting = Array.from({ length: 4 }, () =>
    beginnings.enter(many)?.then(() => {
      begun++
      work(6)
    }),
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toBeLessThan(3)
  await Promise.all(waiting)
  expect(begun).toBe(4)
})
