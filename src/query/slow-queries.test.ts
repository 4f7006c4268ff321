// The slowest of the last hour, and no more than are kept of a span of time: an hour is
// cut into spans that are forgotten one by one.

import { expect, it } from 'vitest'
import type { ActiveQuery } from './active-queries.js'
import { SlowQueries } from './slow-queries.js'

const second = 1_000_000_000n
const minute = 60n * second

function ended(slow: SlowQueries, id: number, seconds: number, at: bigint): void {
  const query = { id, text: `q${id}`, language: 'flux', database: '', asker: undefined }
  const took = BigInt(Math.round(seconds * 1000)) * 1_000_000n
  const figures = { rowsRead: id, bytesMax: 2 * id }
  slow.note({ ...query, figures, startedAt: at - took } as unknown as ActiveQuery, at)
}

it('tells the slowest first, with what they cost, and forgets them after an hour', () => {
  const slow = new SlowQueries()
  const begin = 1000n * minute
  ended(slow, 1, 5, begin)
  ended(slow, 2, 9, begin + minute)
  ended(slow, 3, 7, begin + 30n * minute)
  const ids = (now: bigint) => slow.list(now).map(({ id }) => id)
  expect(ids(begin + 31n * minute)).toEqual([2, 3, 1])
  expect(slow.list(begin + 31n * minute)[0]).toMatchObject({ rowsRead: 2, bytesMax: 4 })
  expect(ids(begin + 60n * minute)).toEqual([2, 3])
  expect(ids(begin + 89n * minute)).toEqual([3])
  // Later ones push out what nobody is told of any more.
  for (let i = 0; i < 200; i++) ended(slow, 10 + i, 1, begin + 40n * minute + BigInt(i) * minute)
  expect(ids(begin + 240n * minute).length).toBe(59)
})

it('keeps the slowest of many', () => {
  const slow = new SlowQueries()
  const at = 1000n * minute
  for (let i = 0; i < 1000; i++) ended(slow, i, ((i * 7919) % 1000) / 100, at)
  const kept = slow.list(at)
  expect(kept.length).toBe(50)
  expect(Number(kept[0].elapsedNs)).toBe(9.99e9)
  expect(Number(kept[49].elapsedNs)).toBe(9.5e9)
})

it('has no use for a clock that goes back, and bounds what it keeps of a text', () => {
  const slow = new SlowQueries()
  const query = { id: 1, text: 'x'.repeat(5000), language: 'sql', database: 'b' }
  slow.note({ ...query, startedAt: 20n * minute } as unknown as ActiveQuery, 15n * minute)
  const [one] = slow.list(15n * minute)
  expect(one.elapsedNs).toBe(0n)
  expect(one.text.length).toBe(1001)
})
