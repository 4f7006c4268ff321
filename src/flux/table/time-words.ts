// Times compared without making a bigint of each: a moment is two 32-bit words, the upper one with the
// sign, and two numbers are compared in its place. Reading a bigint out of an array costs some twenty
// times as much as reading the words.

import type { Cells } from '../../query/table.js'
import { expandCells } from './cells.js'

/** Upper and lower words follow each other, the lower one first. */
export function timeWords(values: BigInt64Array): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2)
}

/** The first row from `row` on whose time is not in [start, stop); rowCount: all are. */
export function endOfRun(
  words: Int32Array,
  row: number,
  rowCount: number,
  startNs: bigint,
  stopNs: bigint,
): number {
  const startHigh = Number(startNs >> 32n)
  const startLow = Number(startNs & 0xffff_ffffn)
  const stopHigh = Number(stopNs >> 32n)
  const stopLow = Number(stopNs & 0xffff_ffffn)
  let at = row
  for (; at < rowCount; at++) {
    const high = words[2 * at + 1]
    const low = words[2 * at] >>> 0
    if (high < startHigh || (high === startHigh && low < startLow)) break
    if (high > stopHigh || (high === stopHigh && low >= stopLow)) break
  }
  return at
}

/** The same for rows that are not in [start, stop). */
export function startOfRun(
  words: Int32Array,
  row: number,
  rowCount: number,
  startNs: bigint,
  stopNs: bigint,
): number {
  const startHigh = Number(startNs >> 32n)
  const startLow = Number(startNs & 0xffff_ffffn)
  const stopHigh = Number(stopNs >> 32n)
  const stopLow = Number(stopNs & 0xffff_ffffn)
  let at = row
  for (; at < rowCount; at++) {
    const high = words[2 * at + 1]
    const low = words[2 * at] >>> 0
    const isBefore = high < startHigh || (high === startHigh && low < startLow)
    const isBehind = high > stopHigh || (high === stopHigh && low >= stopLow)
    if (!isBefore && !isBehind) break
  }
  return at
}

/** The times of a column of some rows as an array; a row without one has 0 there. */
export function timesOf(cells: Cells, rowCount: number): BigInt64Array {
  const { values, validity } = expandCells(cells, rowCount)
  const times = values as BigInt64Array
  if (validity === undefined) return times
  const filled = times.slice(0, rowCount)
  for (let row = 0; row < rowCount; row++) if (validity[row] === 0) filled[row] = 0n
  return filled
}
