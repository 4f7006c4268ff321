// Reads a line, whatever it is: those of small bodies, the first ones of others, and what is not as the lines before it
// (`fast-lines.ts` reads the rest). Keys and names of fields are looked up by their bytes; those that were never met
// are read in full, checked and added.
//
// A row counts once its line has been read to the end; until then the columns hold it at index
// `rowCount`, where a bad line's row is simply overwritten by the next.

import { hashRange } from '../column/byte-table.js'
import {
  backslash,
  comma,
  equals,
  hash,
  isLineEnd,
  newline,
  skipBlanks,
  space,
} from './characters.js'
import { fieldFormatReason } from './field-diagnosis.js'
import { type FieldName, noColumn } from './field-name.js'
import { findKeyEnd, keyBytesMax } from './key-scanner.js'
import { tooManyFields, tooManyMeasurements, tooManyTables } from './line-error.js'
import type { Scan } from './scan.js'
import { seriesBytesEach } from './series-table.js'
import { noTable, stretchOf, type TableBuilder } from './table-builder.js'
import { scanTime } from './time-scanner.js'
import { scanValue } from './value-scanner.js'
import type { Measurement } from './vocabulary.js'

/** Results of `scanLine` other than a row that was added. */
export const lineEmpty = -1
export const lineBad = -2

/** TSM stores put four bytes between series key and field name, and the sum is what is limited. */
const keySeparatorBytes = 4

/** A new key on its way to the index, and there with the values of its tags, takes so many times its length. */
const newKeyTimes = 4

/**
 * Reads the line at `start`. Sets the scan's `at`: to the start of the next line, or for a bad line
 * to where it went wrong. Answers the number of the series whose row was added, or one of the
 * results above.
 */
export function scanLine(s: Scan, start: number): number {
  const { series, measurements } = s.vocabulary
  s.isSeriesNew = false
  const id = resolveSeries(s, start)
  if (id < 0) return id
  const keyEnd = s.at
  const measurement = measurements[series.measurementOf[id]]
  let { table } = measurement
  if (table.rowCount === table.capacity) {
    if (table === noTable && isFull(s, measurement)) return lineBad
    table = s.roomyTable(measurement)
  }
  s.table = table
  const { tally } = s.builders
  const { columnCount } = tally
  const end = scanFields(s, measurement, table, keyEnd + 1)
  if (end < 0 || isKeyTooLong(s, measurement, table, series.wire.lengths[id])) return lineBad
  if (tally.columnCount > s.fieldsMax && hasOpened(s, columnCount)) return lineBad
  const next = scanTime(s, end)
  if (next < 0) return lineBad
  let offset = tableOffset(s, table)
  if (Number.isNaN(offset)) {
    if (hasTooManyTables(s, measurement)) return lineBad
    table = changeTable(s, measurement, table)
    s.table = table
    s.linesInside = 0
    if (scanFields(s, measurement, table, keyEnd + 1) < 0) return lineBad
    offset = tableOffset(s, table)
  }
  const row = table.rowCount
  table.series[row] = id
  table.offsets[row] = offset
  table.lines[row] = s.line
  table.rowCount = row + 1
  s.at = next
  return id
}

/** NaN if the time lies outside the table's stretch. */
function tableOffset(s: Scan, table: TableBuilder): number {
  if (!table.hasBase) table.setBase(s.time)
  const offset = Number(s.time - table.base)
  return offset >= table.offsetMin && offset <= table.offsetMax ? offset : Number.NaN
}

/** No further measurement may begin in this write: told before memory is taken for it. Undefined: one never met. */
function isFull(s: Scan, measurement: Measurement | undefined): boolean {
  const { tally } = s.builders
  if (tally.measurementCount < s.measurementsMax) return false
  if (measurement !== undefined && tally.knows(measurement)) return false
  s.reason = tooManyMeasurements(s.measurementsMax)
  return true
}

/** As few tables as measurements may be in a batch, however many spans of time its points lie in. */
function hasTooManyTables(s: Scan, measurement: Measurement): boolean {
  if (s.tables.length < s.measurementsMax) return false
  if (measurement.parked?.has(stretchOf(s.time)) === true) return false
  s.reason = tooManyTables(s.measurementsMax)
  return true
}

/** No further column may be opened, or name learnt, by how many there are: told before memory is taken for it. */
function hasNoRoom(s: Scan, count: number): boolean {
  if (count < s.fieldsMax) return false
  s.reason = tooManyFields(s.fieldsMax)
  return true
}

/** Whether the line has brought fields, where there were enough without them. */
function hasOpened(s: Scan, columnCount: number): boolean {
  if (s.builders.tally.columnCount === columnCount) return false
  s.reason = tooManyFields(s.fieldsMax)
  return true
}

/**
 * Moves the measurement to the table for the current time; the row so far is forgotten and has to
 * be read again.
 */
function changeTable(s: Scan, measurement: Measurement, table: TableBuilder): TableBuilder {
  table.rollBack()
  table.detach()
  measurement.parked ??= new Map()
  measurement.parked.set(table.stretch, table)
  const parked = measurement.parked.get(stretchOf(s.time))
  if (parked === undefined) return s.addTable(measurement)
  parked.attach()
  measurement.table = parked
  return parked.rowCount === parked.capacity ? s.roomyTable(measurement) : parked
}

function isKeyTooLong(
  s: Scan,
  measurement: Measurement,
  table: TableBuilder,
  keyBytes: number,
): boolean {
  const fixedBytes = keyBytes + keySeparatorBytes
  if (fixedBytes + measurement.nameBytesMax <= keyBytesMax) return false
  const size = fixedBytes + table.longestNameBytes()
  if (size <= keyBytesMax) return false
  s.reason = `max key length exceeded: ${size} > ${keyBytesMax}`
  return true
}

/** The series at the start of a line by its bytes; sets `at` to the space after it. */
function resolveSeries(s: Scan, lineStart: number): number {
  const { bytes, vocabulary, key } = s
  const start = skipBlanks(bytes, lineStart)
  s.at = start
  if (bytes[start] === hash) {
    s.at = bytes.indexOf(newline, start) + 1
    return lineEmpty
  }
  if (isLineEnd(bytes, start)) {
    s.at = bytes[start] === newline ? start + 1 : start + 2
    return lineEmpty
  }
  const end = findKeyEnd(bytes, start)
  const length = end - start
  let keyHash = 0
  if (end >= 0) {
    keyHash = hashRange(s.view, start, length)
    const known = vocabulary.series.wire.find(s.view, start, length, keyHash)
    if (known >= 0) {
      s.at = end
      return known
    }
  }
  if (!key.scan(bytes, start)) {
    s.reason = key.reason
    return lineBad
  }
  if (!vocabulary.knows(s.view, start, key.measurementEnd) && isFull(s, undefined)) return lineBad
  const index = vocabulary.measurementIndex(bytes, s.view, start, key.measurementEnd)
  s.isSeriesNew = true
  s.at = end
  s.builders.tableBytes += newKeyTimes * length + seriesBytesEach
  return vocabulary.series.add(bytes, start, length, keyHash, index, key.canonical)
}

/** Reads all fields into the row being read; answers the position after the last value, or -1. */
function scanFields(s: Scan, measurement: Measurement, table: TableBuilder, start: number): number {
  const { bytes } = s
  let pos = skipBlanks(bytes, start)
  for (;;) {
    const field = resolveField(s, measurement, pos)
    if (field === undefined) return -1
    if (field.current === noColumn && hasNoRoom(s, s.builders.tally.columnCount)) return -1
    pos = scanValue(s, table, field, s.at)
    if (pos < 0) return -1
    if (bytes[pos] !== comma) return pos
    pos++
  }
}

/** The field whose name starts here, by its bytes; sets `at` to the value. */
function resolveField(s: Scan, measurement: Measurement, start: number): FieldName | undefined {
  const { bytes } = s
  let i = start
  for (; ; i++) {
    const c = bytes[i]
    if (c > equals) continue
    if (c === equals || c === comma || c === space) {
      if (i === start || bytes[i - 1] !== backslash) break
    } else if (isLineEnd(bytes, i)) break
  }
  s.at = i
  if (bytes[i] !== equals || i === start) {
    s.reason = bytes[i] === equals ? 'missing field key' : fieldFormatReason
    return undefined
  }
  const { spellings } = measurement
  const length = i + 1 - start
  s.at = i + 1
  const nameHash = hashRange(s.view, start, length)
  const spelling = spellings.find(s.view, start, length, nameHash)
  if (spelling >= 0) return measurement.field(spelling)
  const { tally } = s.builders
  if (hasNoRoom(s, Math.max(tally.columnCount, tally.nameCount))) return undefined
  s.vocabulary.countField(length)
  tally.nameCount++
  return measurement.addField(bytes, start, length, nameHash)
}
