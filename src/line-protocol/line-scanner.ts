// The loop over lines. It predicts and verifies:
//
// 1. Series: the one that followed the last line's series last time. Its spelling is compared with
//    the line, eight bytes a step. Else the key is hashed and looked up; else it is read in full,
//    checked and added.
// 2. Fields: after each field, the one that followed it last time; same comparison, same way back
//    by hash.
// 3. Values: integers of up to nine digits are read here; all others in `value-scanner.ts`.
// 4. Timestamp: the bytes of the last one (`time-scanner.ts`).
//
// Nothing depends on a prediction being right, only the speed: for rows of 10 tags and 10 fields
// (350 bytes) some 650 ns a row where series are predicted, 1,600 ns where they are looked up.
//
// A row counts once its line has been read to the end; until then the columns hold it at index
// `rowCount`, where a bad line's row is simply overwritten by the next.

import { hashRange, surelyEqualRange } from '../column/byte-table.js'
import { hash, isLineEnd, skipBlanks } from './characters.js'
import { kindInteger } from './column-builder.js'
import { fieldFormatReason } from './field-diagnosis.js'
import { type FieldName, noColumn, noField } from './field-name.js'
import { findKeyEnd, keyBytesMax } from './key-scanner.js'
import { tooManyFields, tooManyMeasurements, tooManyTables } from './line-error.js'
import type { Scan } from './scan.js'
import { seriesBytesEach } from './series-table.js'
import { noTable, stretchOf, type TableBuilder } from './table-builder.js'
import { exactTime, scanTime } from './time-scanner.js'
import { scanDecimal, scanValue } from './value-scanner.js'
import type { Measurement } from './vocabulary.js'

const newline = 10
const space = 32
const comma = 44
const minus = 45
const point = 46
const equals = 61
const backslash = 92
const letterI = 105

/** Results of `scanLine` other than a row that was added. */
export const lineEmpty = -1
export const lineBad = -2

/** TSM stores put four bytes between series key and field name, and the sum is what is limited. */
const keySeparatorBytes = 4

/** A new key on its way to the index, and there with the values of its tags, takes so many times its length. */
const newKeyTimes = 4

/** Seconds apart up to which an offset computed from seconds and nanoseconds is exact. */
const secondsApartMax = 9007197

/**
 * Reads the line at `start`. Sets the scan's `at`: to the start of the next line, or for a bad line
 * to where it went wrong. Answers the number of the series whose row was added, or one of the
 * results above.
 */
export function scanLine(s: Scan, start: number): number {
  const { series, measurements } = s.vocabulary
  const { wire } = series
  const { bytes } = s
  s.isSeriesNew = false
  let id = s.previousSeries
  let keyEnd = 0
  if (id >= 0) {
    id = series.next[id]
    const length = wire.lengths[id]
    keyEnd = start + length
    if (keyEnd >= s.limit || bytes[keyEnd] !== space) id = -1
    else if (!surelyEqualRange(s.view, start, wire.view, wire.starts[id], length)) id = -1
  }
  if (id < 0) {
    id = resolveSeries(s, start)
    if (id < 0) return id
    keyEnd = s.at
  }
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
  if (end < 0 || isKeyTooLong(s, measurement, table, wire.lengths[id])) return lineBad
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
  if (s.previousSeries >= 0) series.next[s.previousSeries] = id
  s.previousSeries = id
  s.at = next
  return id
}

/** NaN if the time lies outside the table's stretch. */
function tableOffset(s: Scan, table: TableBuilder): number {
  const seconds = s.seconds - table.baseSeconds
  const offset = seconds * 1e9 + (s.nanos - table.baseNanos)
  if (seconds <= secondsApartMax && seconds >= -secondsApartMax) {
    if (offset >= table.offsetMin && offset <= table.offsetMax) return offset
  }
  if (!table.hasBase) {
    table.setBase(s.seconds, s.nanos)
    return 0
  }
  const time = exactTime(s)
  return stretchOf(time) === table.stretch ? table.exactOffset(time) : Number.NaN
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
  if (measurement.parked?.has(stretchOf(exactTime(s))) === true) return false
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
  const parked = measurement.parked.get(stretchOf(exactTime(s)))
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

/**
 * Reads all fields into the row being read; answers the position after the last value, or -1. The
 * loop over the fields is in one piece with the reading of small integers: calls for each would
 * cost a quarter of the speed.
 */
function scanFields(s: Scan, measurement: Measurement, table: TableBuilder, start: number): number {
  const { bytes, view, limit } = s
  const { spellings } = measurement
  const row = table.rowCount
  let pos = bytes[start] > space ? start : skipBlanks(bytes, start)
  let previous = measurement.head
  for (;;) {
    let field = previous.next
    let valueStart = pos + field.length
    if (
      valueStart >= limit ||
      !surelyEqualRange(view, pos, spellings.view, field.start, field.length)
    ) {
      field = resolveField(s, measurement, pos)
      if (field === noField) return -1
      previous.next = field
      valueStart = s.at
    }
    previous = field
    let c = bytes[valueStart]
    const isNegative = c === minus
    pos = isNegative ? valueStart + 1 : valueStart
    const digitsStart = pos
    const digitsMax = pos + 9
    let value = 0
    c = bytes[pos]
    while (c >= 48 && c <= 57 && pos < digitsMax) {
      value = (value * 10 + (c - 48)) | 0
      c = bytes[++pos]
    }
    const column = field.current
    if (
      c === letterI &&
      column.denseRow === row &&
      column.kind === kindInteger &&
      pos > digitsStart &&
      isPlainEnd(bytes[pos + 1])
    ) {
      column.numbers[row] = isNegative ? 0 - value : value
      column.denseRow = row + 1
      pos++
    } else {
      if (column === noColumn && hasNoRoom(s, s.builders.tally.columnCount)) return -1
      pos =
        c === point && pos > digitsStart
          ? scanDecimal(s, table, field, valueStart, pos, value)
          : scanValue(s, table, field, valueStart)
      if (pos < 0) return -1
    }
    if (bytes[pos] !== comma) return pos
    pos++
  }
}

/** Ends a value, with nothing more to look at. */
function isPlainEnd(c: number): boolean {
  return c === comma || c === space || c === newline
}

/** The field whose name starts here, by its bytes; sets `at` to the value. */
function resolveField(s: Scan, measurement: Measurement, start: number): FieldName {
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
    return noField
  }
  const { spellings } = measurement
  const length = i + 1 - start
  s.at = i + 1
  const nameHash = hashRange(s.view, start, length)
  const spelling = spellings.find(s.view, start, length, nameHash)
  if (spelling >= 0) return measurement.field(spelling)
  const { tally } = s.builders
  if (hasNoRoom(s, Math.max(tally.columnCount, tally.nameCount))) return noField
  s.vocabulary.countField(length)
  tally.nameCount++
  return measurement.addField(bytes, start, length, nameHash)
}
