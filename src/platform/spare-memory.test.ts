// Memory goes back once after each busy time, when it is quiet: not between the writes of a load that comes in bursts.
// Pools let go of what nobody uses.

import { expect, test } from 'vitest'
import { dropSpareMemory, keepsSpareMemory, QuietMoments } from './spare-memory.js'

/** Which of the looks found that it is the moment. */
function momentsOf(shares: readonly number[], workEndedAt = -1): number[] {
  const moments = new QuietMoments()
  return shares.flatMap((share, look) => (moments.isNow(share, look === workEndedAt) ? [look] : []))
}

test('nothing is given back by a program that was never busy', () => {
  expect(momentsOf([0, 0.01, 0.2, 0, 0, 0, 0])).toEqual([])
})

test('after a busy time it is the moment once, when it has been quiet for a while', () => {
  expect(momentsOf([0.9, 0.9, 0.02, 0.02, 0.02, 0.02, 0.02])).toEqual([4])
})

test('a load that comes in bursts keeps its memory', () => {
  expect(momentsOf([0.9, 0.02, 0.02, 0.9, 0.02, 0.02, 0.9])).toEqual([])
})

test('a program that is neither busy nor quiet is left alone', () => {
  expect(momentsOf([0.9, 0.2, 0.2, 0.2, 0.2, 0.2])).toEqual([])
})

test('a thread that has ended makes it the moment again', () => {
  expect(momentsOf([0.9, 0, 0, 0, 0, 0, 0], 5)).toEqual([3, 5])
})

test('whoever keeps memory is asked to let go of it', () => {
  const pool = { spare: 3, dropSpare: () => Object.assign(pool, { spare: 0 }) }
  keepsSpareMemory(pool)
  dropSpareMemory()
  expect(pool.spare).toBe(0)
})
