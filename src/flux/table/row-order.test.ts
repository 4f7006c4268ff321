// The order of many rows, found piece by piece, is that of all at once; others have their turn
// meanwhile, and may stop it.

import { expect, test } from 'vitest'
import { seededRandom } from '../../platform/random.js'
import { Yielder } from '../context/yielder.js'
import { firstInOrder, sortedInTurns, sortedOrder } from './row-order.js'

test.each([1, 32_768, 32_769, 65_536, 150_001])('%i rows', async (rowCount) => {
  const random = seededRandom(rowCount)
  const keys = [1, 2].map(() => Float64Array.from({ length: rowCount }, () => random.uint32() % 50))
  const yielder = new Yielder(new AbortController().signal)
  expect(await sortedInTurns(keys, rowCount, yielder)).toEqual(sortedOrder(keys, rowCount))
})

test.each([0, 1, 2, 7, 100, 999, 1000])('the first %i of a thousand rows', (count) => {
  const random = seededRandom(count)
  const keys = [1, 2].map(() => Float64Array.from({ length: 1000 }, () => random.uint32() % 20))
  expect([...firstInOrder(keys, 1000, count)]).toEqual([
    ...sortedOrder(keys, 1000)!.subarray(0, count),
  ])
})

test('stops when it is told to', async () => {
  const stopped = new AbortController()
  const key = Float64Array.from({ length: 200_000 }, (_, i) => -i)
  const sorting = sortedInTurns([key], key.length, new Yielder(stopped.signal))
  stopped.abort(new Error('stopped'))
  await expect(sorting).rejects.toThrow('stopped')
})
