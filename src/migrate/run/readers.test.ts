// Several readers at a time, in order; fewer of them after one broke off; an end at the first
// failure that stays.

import { expect, test } from 'vitest'
import { readAll } from './readers.js'

const isPassing = (error: unknown) => (error as Error).message === 'passing'

test('units begin in order, no more than so many at a time, and each is read', async () => {
  const begun: number[] = []
  let [underWay, most] = [0, 0]
  const read = async (one: number) => {
    begun.push(one)
    most = Math.max(most, ++underWay)
    await new Promise(setImmediate)
    underWay--
  }
  const work = Array.from({ length: 20 }, (_, i) => i)
  await readAll(work, read, { readersMax: 3, isPassing, pause: async () => {} })
  expect([begun, most]).toEqual([work, 3])
})

test('one that breaks off is read again, by one reader fewer', async () => {
  const waits: number[] = []
  const attempts = new Map<number, number>()
  let [underWay, mostAfter] = [0, 0]
  const read = async (one: number) => {
    const attempt = (attempts.get(one) ?? 0) + 1
    attempts.set(one, attempt)
    underWay++
    if (waits.length > 0) mostAfter = Math.max(mostAfter, underWay)
    await new Promise(setImmediate)
    underWay--
    if (one === 1 && attempt < 3) throw new Error('passing')
  }
  const pause = async (milliseconds: number) => void waits.push(milliseconds)
  await readAll([0, 1, 2, 3, 4, 5], read, { readersMax: 2, isPassing, pause })
  expect(waits).toEqual([1000, 2000])
  expect([...attempts.values()]).toEqual([1, 3, 1, 1, 1, 1])
  expect(mostAfter).toBeLessThanOrEqual(2)
})

test('what stays broken ends it, and nothing else is begun', async () => {
  const begun: number[] = []
  const read = async (one: number) => {
    begun.push(one)
    await new Promise(setImmediate)
    if (one === 1) throw new Error('lasting')
  }
  const options = { readersMax: 2, isPassing, pause: async () => {} }
  await expect(readAll([0, 1, 2, 3, 4, 5, 6, 7], read, options)).rejects.toThrow('lasting')
  expect(begun.length).toBeLessThan(5)
  const always = async () => {
    throw new Error('passing')
  }
  await expect(readAll([0], always, options)).rejects.toThrow('passing')
})
