// Where windows begin, how many there are, and which of them a row lies in: in the batches that stores
// give, whatever their base.

import { expect, test } from 'vitest'
import { WindowGrid } from './window-grid.js'

test('windows begin at multiples of their length from the offset', () => {
  const grid = new WindowGrid({ start: -3n, stop: 25n }, 10n, 2n)
  expect([grid.firstStart, grid.count, grid.start(2)]).toEqual([-8n, 4, 12n])
  const rows = { base: 5n, offsets: Float64Array.of(-8, -4, -3, 7, 19) }
  expect([...grid.windowsOf(rows, 0, 5).subarray(0, 5)]).toEqual([0, 0, 1, 2, 3])
  expect([...grid.windowsOf(rows, 2, 4, 100).subarray(2, 4)]).toEqual([101, 102])
  expect([...grid.times(true)!.offsets]).toEqual([0, 10, 20, 30])
  expect([...grid.times(false)!.offsets]).toEqual([30, 20, 10, 0])
  const whole = new WindowGrid({ start: 3n, stop: 4n }, 0n, 0n)
  expect([whole.count, whole.windowsOf(rows, 0, 1)[0]]).toEqual([1, 0])
})
