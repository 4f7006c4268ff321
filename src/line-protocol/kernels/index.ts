// The loop over lines for WebAssembly, written in AssemblyScript: it reads what nearly all lines are, and stops at
// everything else. Series, tables and columns are those that the parser has opened, which reads the line that this
// stops at, and tells what there is to know of it then. `fast-lines.ts` is the only caller.

import { findKey, follow, keyLength, measurementOf, seriesOf } from './keys'
import {
  addRow,
  fieldAt,
  findField,
  isNamed,
  none,
  rollBack,
  tableAt,
  tableOfMeasurement,
} from './tables'
import {
  digitsEnd,
  kind,
  kindInteger,
  kindWide,
  readDigits,
  readValue,
  value,
  whole,
} from './values'

export { forgetKeys, learnKey } from './keys'
export { body, bodyBytes, byteLength, filled } from './memory'
export {
  closeTables,
  emptyTable,
  fieldAt,
  filledCount,
  forgetFilled,
  nameOf,
  openField,
  openTable,
  setKind,
  setTable,
  tableAt,
} from './tables'

/** Why it has stopped: at the end, at a series that is not known, where a table is full, at an unusual line. */
const atEnd: i32 = 0
const atNewKey: i32 = 1
const atFullTable: i32 = 2
const atOther: i32 = 3

export let stoppedAt: usize = 0
/** Of the last line that was read, where one was. */
export let lastSeries: u32 = 0
export let lineCount: i32 = 0

/**
 * Lines from a place on, the first of which has this number; `end` lies behind a newline. Timestamps are multiplied by
 * `unit`, and up to `timeMax`.
 */
export function scanLines(start: usize, end: usize, line: u32, unit: i64, timeMax: i64): i32 {
  let at = start
  lineCount = 0
  while (at < end) {
    stoppedAt = at
    const key = findKey(at, end)
    if (key < 0) return atNewKey
    const table = tableOfMeasurement(measurementOf(key))
    if (table < 0) return atOther
    const owner = tableAt(table)
    if (load<u32>(owner) === load<u32>(owner, 4)) return atFullTable
    const next = scanFields(owner, at + keyLength + 1, end, unit, timeMax)
    if (next === 0) {
      rollBack(owner)
      return atOther
    }
    const row = load<u32>(owner)
    store<u32>(load<u32>(owner, 8) + (row << 2), seriesOf(key))
    store<u32>(load<u32>(owner, 16) + (row << 2), line + lineCount)
    addRow(table, owner)
    lineCount++
    lastSeries = seriesOf(key)
    follow(key)
    at = next
  }
  stoppedAt = at
  return atEnd
}

/** Fields and time of a line into the table's next row; the place of the next line, 0: there is more to it. */
function scanFields(owner: usize, start: usize, end: usize, unit: i64, timeMax: i64): usize {
  const row = load<u32>(owner)
  let at = start
  let link = owner + 20
  if (load<u32>(link) === none) return 0
  while (true) {
    let field = load<u32>(link)
    if (!isNamed(field, at, end)) {
      field = findField(owner, at, end)
      if (field === none) return 0
      store<u32>(link, field)
    }
    const place = fieldAt(field)
    link = place + 12
    at = readValue(at + load<u32>(place, 4))
    if (at === 0 || at >= end) return 0
    const wanted = load<u32>(place, 8)
    const isWide = wanted === kindWide && kind === kindInteger
    if ((kind !== wanted && !isWide) || load<u32>(place, 24) === row + 1) return 0
    store<u64>(load<u32>(place, 16) + (row << 3), wanted === kindWide ? whole : value)
    store<u8>(load<u32>(place, 20) + row, 1)
    store<u32>(place, row + 1, 24)
    store<u32>(place, load<u32>(place, 28) + 1, 28)
    const c = load<u8>(at++)
    if (c === 0x20) break
    if (c !== 0x2c) return 0
  }
  return scanTime(owner, at, row, unit, timeMax)
}

function scanTime(owner: usize, place: usize, row: u32, unit: i64, timeMax: i64): usize {
  const time = readDigits(place)
  if (time < 0 || time > timeMax) return 0
  const next = behindLineEnd(digitsEnd)
  if (next === 0) return 0
  const offset = <f64>(time * unit - load<i64>(owner, 32))
  if (offset < load<f64>(owner, 40) || offset > load<f64>(owner, 48)) return 0
  store<f64>(load<u32>(owner, 12) + (row << 3), offset)
  return next
}

function behindLineEnd(place: usize): usize {
  if (load<u8>(place) === 0x0a) return place + 1
  return load<u16>(place) === 0x0a0d ? place + 2 : 0
}
