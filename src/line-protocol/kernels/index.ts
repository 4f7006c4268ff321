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
  beginLine,
  kind,
  kindInteger,
  kindUnsigned,
  kindWide,
  kindWideUnsigned,
  newlines,
  readTime,
  readValue,
  time,
  value,
  whole,
} from './values'

export { forgetKeys, learnKey } from './keys'
export { body, bodyBytes, byteLength, filled } from './memory'
export {
  closeTable,
  emptyTable,
  fieldAt,
  filledCount,
  forgetFilled,
  forgetTables,
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
export let lineCount: i32 = 0
/** The number of the line that it has stopped at: strings may have newlines in them. */
export let nextLine: u32 = 0

/** Timestamps are multiplied by `unit`, and up to `timeMax` either way. */
let unit: i64 = 1
let timeMax: i64 = 0
/** Of lines without a timestamp, in nanoseconds. */
let now: i64 = 0

export function setTimes(nsPerUnit: i64, greatest: i64, ofOthers: i64): void {
  unit = nsPerUnit
  timeMax = greatest
  now = ofOthers
}

/** Lines from a place on, the first of which has this number; `end` lies behind a newline. */
export function scanLines(start: usize, end: usize, line: u32): i32 {
  let at = start
  lineCount = 0
  nextLine = line
  while (at < end) {
    stoppedAt = at
    const key = findKey(at, end)
    if (key < 0) return atNewKey
    const table = tableOfMeasurement(measurementOf(key))
    if (table < 0) return atOther
    const owner = tableAt(table)
    if (load<u32>(owner) === load<u32>(owner, 4)) return atFullTable
    const next = scanFields(owner, at + keyLength + 1, end)
    if (next === 0) {
      rollBack(owner)
      return atOther
    }
    const row = load<u32>(owner)
    store<u32>(load<u32>(owner, 8) + (row << 2), seriesOf(key))
    store<u32>(load<u32>(owner, 16) + (row << 2), nextLine)
    addRow(table, owner)
    lineCount++
    nextLine += 1 + newlines
    follow(key)
    at = next
  }
  stoppedAt = at
  return atEnd
}

/** Fields and time of a line into the table's next row; the place of the next line, 0: there is more to it. */
function scanFields(owner: usize, start: usize, end: usize): usize {
  const row = load<u32>(owner)
  let at = start
  let link = owner + 20
  beginLine()
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
    at = readValue(at + load<u32>(place, 4), end)
    if (at === 0 || at >= end) return 0
    const wanted = load<u32>(place, 8)
    const isWide = wanted === kindWide || wanted === kindWideUnsigned
    if (kind !== wanted && !(isWide && kind === narrowOf(wanted))) return 0
    if (load<u32>(place, 24) === row + 1) return 0
    store<u64>(load<u32>(place, 16) + (row << 3), isWide ? whole : value)
    store<u8>(load<u32>(place, 20) + row, 1)
    store<u32>(place, row + 1, 24)
    store<u32>(place, load<u32>(place, 28) + 1, 28)
    const c = load<u8>(at)
    if (c === 0x20) return scanTime(owner, at + 1, row)
    if (c !== 0x2c) return putTime(owner, row, now) ? behindLineEnd(at) : 0
    at++
  }
}

/** Columns of wide integers hold others too. */
function narrowOf(kind: u32): u32 {
  return kind === kindWide ? kindInteger : kindUnsigned
}

function scanTime(owner: usize, place: usize, row: u32): usize {
  const behind = readTime(place)
  if (behind === 0 || time > timeMax || time < -timeMax) return 0
  return putTime(owner, row, time * unit) ? behindLineEnd(behind) : 0
}

/** False: it belongs to another table. */
function putTime(owner: usize, row: u32, moment: i64): bool {
  const base = load<i64>(owner, 32)
  const distance = moment - base
  const isTooFar = ((moment ^ base) & (moment ^ distance)) < 0
  const offset = <f64>distance
  if (isTooFar || offset < load<f64>(owner, 40) || offset > load<f64>(owner, 48)) return false
  store<f64>(load<u32>(owner, 12) + (row << 3), offset)
  return true
}

function behindLineEnd(place: usize): usize {
  if (load<u8>(place) === 0x0a) return place + 1
  return load<u16>(place) === 0x0a0d ? place + 2 : 0
}
