// Stretches are the rows of all sources in the order of time, each row once, and there are none where rows would have
// to be collapsed or sorted one by one.

import { expect, test } from 'vitest'
import type { LoadedRows } from './cursor.js'
import { stretchesOf } from './stretches.js'

/** Rows at these times, with others of other series around them. */
function rowsAt(...times: number[]): LoadedRows {
  const offsets = Float64Array.from([9999, ...times, 0])
  const rows = { rowCount: offsets.length, offsets, columns: [] }
  return { rows, start: 1, stop: 1 + times.length }
}

function timesOf(stretches: readonly LoadedRows[] | undefined): number[][] | undefined {
  return stretches?.map(({ rows, start, stop }) => [...rows.offsets.subarray(start, stop)])
}

const tens = Array.from({ length: 100 }, (_, i) => 10 * i)

test('what follows passes as it is, whatever its rank', () => {
  expect(timesOf(stretchesOf([rowsAt(7, 8), rowsAt(1, 2), rowsAt(3)]))).toEqual([
    [1, 2],
    [3],
    [7, 8],
  ])
})

test('late points go in between', () => {
  const stretches = timesOf(stretchesOf([rowsAt(...tens), rowsAt(55, 57, 993, 2000)]))
  expect(stretches).toEqual([tens.slice(0, 6), [55, 57], tens.slice(6), [993, 2000]])
})

test('of three sources too', () => {
  const stretches = timesOf(stretchesOf([rowsAt(...tens), rowsAt(55, 501), rowsAt(57, 500.5)]))
  expect(stretches?.flat()).toEqual([...tens, 55, 501, 57, 500.5].sort((a, b) => a - b))
})

test('rows of the same time are for the merger, at whichever end', () => {
  for (const time of [0, 500, 990]) {
    expect(stretchesOf([rowsAt(...tens), rowsAt(time)])).toBeUndefined()
    expect(stretchesOf([rowsAt(time), rowsAt(...tens)])).toBeUndefined()
  }
})

test('and so are rows that take turns', () => {
  const between = tens.map((time) => time + 5)
  expect(stretchesOf([rowsAt(...tens), rowsAt(...between)])).toBeUndefined()
})

test('one source is a stretch, none is none', () => {
  expect(timesOf(stretchesOf([rowsAt(1, 2)]))).toEqual([[1, 2]])
  expect(stretchesOf([])).toEqual([])
})
