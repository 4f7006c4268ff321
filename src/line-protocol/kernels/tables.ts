// The tables that lines go to, and their fields, as far as the parser has opened them: a line that needs another
// column, a larger table or another stretch of time is the parser's.
//
//   table  u32 rows, u32 rows that it has room for, u32 places of series, offsets and lines of its rows, u32 first
//          field of the last line, u32 first of its fields, u32 rows that it holds here at most, i64 base, f64 smallest
//          and greatest offset
//   field  u32 place and length of its name with the equals sign, u32 kind, u32 next one of the last line, u32 places
//          of its values and of their marks, u32 row that it was set in last, plus one, u32 values, u32 the next one
//          of the table

import { sameBytes } from './bytes'
import {
  fieldBytes,
  fields,
  fieldsMax,
  filled,
  measurementsMax,
  names,
  namesBytes,
  rows,
  rowsBytes,
  tableBytes,
  tableOf,
  tables,
  tablesMax,
} from './memory'

export const none: u32 = 0xffffffff

/** Rows that a table holds here at most: of many measurements each line may be of another one. */
const rowsMax: i32 = 512
const rowsMaxOfMany: i32 = 32
const fewTables: i32 = 32

/** No value is of this kind. */
const kindNone: u32 = 255

let tableCount: i32 = 0
let fieldCount: i32 = 0
let namesUsed: usize = 0
let rowsUsed: usize = 0

export function tableAt(table: i32): usize {
  return tables + table * tableBytes
}

/** -1: none is open. */
export function tableOfMeasurement(measurement: u32): i32 {
  if (measurement >= <u32>measurementsMax) return -1
  return load<i32>(tableOf + (measurement << 2)) - 1
}

export function fieldAt(field: u32): usize {
  return fields + field * <u32>fieldBytes
}

/** There is no room for more, or another parser begins. */
export function forgetTables(): void {
  filledCount = 0
  memory.fill(tableOf, 0, measurementsMax << 2)
  tableCount = 0
  fieldCount = 0
  namesUsed = 0
  rowsUsed = 0
}

/** Tables that have rows, from `filled` on. */
export let filledCount: i32 = 0

/** The table's next row is complete. */
export function addRow(table: i32, owner: usize): void {
  const row = load<u32>(owner)
  store<u32>(owner, row + 1)
  if (row > 0) return
  store<i32>(filled + (filledCount << 2), table)
  filledCount++
}

/** All rows were taken. */
export function forgetFilled(): void {
  filledCount = 0
}

function takeRows(byteLength: usize): usize {
  const place = rows + rowsUsed
  rowsUsed += (byteLength + 7) & ~7
  return place
}

/** The batch has ended: which columns there are, and for how many rows, is another matter in the next. */
export function closeTable(table: i32): void {
  const owner = tableAt(table)
  store<u32>(owner, 0, 4)
  for (let field = load<u32>(owner, 24); field !== none; field = load<u32>(fieldAt(field), 32)) {
    setKind(field, kindNone)
  }
}

/** The table of a measurement, without fields; -1 where there is no room. */
export function openTable(measurement: u32): i32 {
  const held = tableCount < fewTables ? rowsMax : rowsMaxOfMany
  const wanted: usize = held * 16
  if (measurement >= <u32>measurementsMax || tableCount === tablesMax) return -1
  if (rowsUsed + wanted > rowsBytes) return -1
  const table = tableCount++
  const at = tableAt(table)
  store<u32>(tableOf + (measurement << 2), table + 1)
  store<u32>(at, 0)
  store<u32>(at, 0, 4)
  store<u32>(at, takeRows(held * 4), 8)
  store<u32>(at, takeRows(held * 8), 12)
  store<u32>(at, takeRows(held * 4), 16)
  store<u32>(at, none, 20)
  store<u32>(at, none, 24)
  store<u32>(at, held, 28)
  return table
}

/** What rows of it are told by; `room`: for so many the parser's table has room. */
export function setTable(table: i32, room: u32, base: i64, offsetMin: f64, offsetMax: f64): void {
  const at = tableAt(table)
  store<u32>(at, min(room, load<u32>(at, 28)), 4)
  store<i64>(at, base, 32)
  store<f64>(at, offsetMin, 40)
  store<f64>(at, offsetMax, 48)
}

/** A further field of a table, whose name is about to be put at `nameOf`; -1 where there is no room. */
export function openField(table: i32, nameLength: u32): i32 {
  const owner = tableAt(table)
  const held = load<u32>(owner, 28)
  const wanted: usize = held * 9
  if (fieldCount === fieldsMax || namesUsed + nameLength + 8 > namesBytes) return -1
  if (rowsUsed + wanted > rowsBytes) return -1
  const field = fieldCount++
  const at = fieldAt(field)
  store<u32>(at, names + namesUsed)
  namesUsed += nameLength
  store<u32>(at, nameLength, 4)
  store<u32>(at, kindNone, 8)
  store<u32>(at, takeRows(held * 8), 16)
  store<u32>(at, takeRows(held), 20)
  store<u32>(at, 0, 24)
  store<u32>(at, 0, 28)
  memory.fill(load<u32>(at, 16), 0, held * 8)
  memory.fill(load<u32>(at, 20), 0, held)
  append(owner, field)
  return field
}

/** The last one leads back to the first: a line that has all fields is as the one before it. */
function append(owner: usize, field: u32): void {
  const first = load<u32>(owner, 24)
  store<u32>(fieldAt(field), none, 32)
  store<u32>(fieldAt(field), first === none ? field : first, 12)
  if (first === none) {
    store<u32>(owner, field, 20)
    store<u32>(owner, field, 24)
    return
  }
  let last = first
  while (load<u32>(fieldAt(last), 32) !== none) last = load<u32>(fieldAt(last), 32)
  store<u32>(fieldAt(last), field, 32)
  store<u32>(fieldAt(last), field, 12)
}

export function nameOf(field: i32): usize {
  return load<u32>(fieldAt(field))
}

/** As `ColumnBuilder` numbers kinds. */
export function setKind(field: i32, kind: u32): void {
  store<u32>(fieldAt(field), kind, 8)
}

export function isNamed(field: u32, place: usize, end: usize): bool {
  const at = fieldAt(field)
  const length = load<u32>(at, 4)
  return place + length < end && sameBytes(place, load<u32>(at), length)
}

/** So many are looked through for a name that did not follow last time. */
const searchedMax: i32 = 64

export function findField(owner: usize, place: usize, end: usize): u32 {
  let field = load<u32>(owner, 24)
  for (let i = 0; i < searchedMax && field !== none; i++) {
    if (isNamed(field, place, end)) return field
    field = load<u32>(fieldAt(field), 32)
  }
  return none
}

/** Takes back what the line under way has set. */
export function rollBack(owner: usize): void {
  const row = load<u32>(owner)
  for (let field = load<u32>(owner, 24); field !== none; field = load<u32>(fieldAt(field), 32)) {
    const at = fieldAt(field)
    if (load<u32>(at, 24) !== row + 1) continue
    store<u32>(at, 0, 24)
    store<u32>(at, load<u32>(at, 28) - 1, 28)
    store<u8>(load<u32>(at, 20) + row, 0)
    store<f64>(load<u32>(at, 16) + (row << 3), 0)
  }
}

/** Its rows were taken; `room`: for so many more the parser's table has room. */
export function emptyTable(table: i32, room: u32): void {
  const owner = tableAt(table)
  const count = load<u32>(owner)
  for (let field = load<u32>(owner, 24); field !== none; field = load<u32>(fieldAt(field), 32)) {
    const at = fieldAt(field)
    if (load<u32>(at, 28) === 0) continue
    memory.fill(load<u32>(at, 16), 0, count << 3)
    memory.fill(load<u32>(at, 20), 0, count)
    store<u32>(at, 0, 24)
    store<u32>(at, 0, 28)
  }
  store<u32>(owner, 0)
  store<u32>(owner, min(room, load<u32>(owner, 28)), 4)
}
