// Sums of integers are exact whatever their size, with rows that have no value left out: as if each were added as a
// bigint.

import { expect, test } from 'vitest'
import type { Column } from '../../../column/column.js'
import { Sum } from './sums.js'

const rowCount = 300
const noTimes = new Float64Array(rowCount)

/** Always the same, of any size up to so many bits, either way. */
function integers(bits: bigint, isSigned: boolean): bigint[] {
  let state = 88172645463325252n
  return Array.from({ length: rowCount }, () => {
    state = BigInt.asUintN(64, state ^ (state << 13n))
    state ^= state >> 7n
    state = BigInt.asUintN(64, state ^ (state << 17n))
    const value = BigInt.asUintN(Number(bits), state)
    return isSigned && (state & 1n) === 1n ? -value : value
  })
}

function wideColumn(values: bigint[], validity: Uint8Array | undefined): Column {
  return { type: 'integer', values: BigInt64Array.from(values), validity }
}

function unsignedColumn(values: bigint[], validity: Uint8Array | undefined): Column {
  return { type: 'unsigned', values: BigUint64Array.from(values), validity }
}

function narrowColumn(values: bigint[], validity: Uint8Array | undefined): Column {
  return { type: 'integer', values: Float64Array.from(values, Number), validity }
}

const kinds = [
  ['of 63 bits', integers(63n, true), wideColumn],
  ['of 64 bits without a sign', integers(64n, false), unsignedColumn],
  ['of 53 bits', integers(53n, true), narrowColumn],
] as const

const sparse = Uint8Array.from({ length: rowCount }, (_, row) => (row % 7 === 3 ? 0 : 1))

test.each(kinds)('integers %s', (_, values, columnOf) => {
  for (const validity of [undefined, sparse]) {
    for (const [i, j] of [
      [0, rowCount],
      [5, 9],
      [3, 40],
    ]) {
      const column = columnOf(values, validity)
      const mean = new Sum(column.type, true, false)
      // What was added before counts too.
      mean.add(column, 0, 2, 0n, noTimes)
      mean.add(column, i, j, 0n, noTimes)
      const rows = [0, 1, ...Array.from({ length: j - i }, (_, k) => i + k)]
      const present = rows.filter((row) => validity === undefined || validity[row] !== 0)
      const sum = present.reduce((total, row) => total + values[row], 0n)
      expect(mean.take()).toBe(Number(sum) / present.length)
      expect(mean.take()).toBeNull()
    }
  }
})
