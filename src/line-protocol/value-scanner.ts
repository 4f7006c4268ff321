// Field values. Each function reads one at a position, writes it to the field's column in the row being read, and
// answers the position after it, or -1 with the scan's reason.
//
// Floats: up to 2^53 an integer is exact as a float64, and so are the powers of ten up to 10^22; one division of the
// two rounds once, as the definition of the nearest float64 does. Others go through the language's own conversion.

import { backslash, comma, isLineEnd, minus, newline, quote, space } from './characters.js'
import { kindBoolean, kindFloat, kindInteger, kindString, kindUnsigned } from './column-builder.js'
import { fieldFormatReason, unbalancedReason } from './field-diagnosis.js'
import type { FieldName } from './field-name.js'
import { booleans, isFloat, isInteger, isUnsigned, numberProblem } from './number-text.js'
import type { Scan } from './scan.js'
import type { TableBuilder } from './table-builder.js'

const point = 46
const letterI = 105
const letterU = 117

/** 10^0 to 10^22, which a float64 holds exactly. */
const powersOfTen = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))

/** Ten times this plus nine is still below 2^53. */
const mantissaMax = 900719925474098

export function scanValue(s: Scan, table: TableBuilder, field: FieldName, start: number): number {
  const { bytes } = s
  const c = bytes[start]
  if (isDigit(c) || c === minus || c === point) {
    const end = scanNumber(s, table, field, start)
    return end < 0 ? scanNumberText(s, table, field, start) : end
  }
  if (c === quote) return scanString(s, table, field, start)
  if (isValueEnd(bytes, start)) return fail(s, start, 'missing field value')
  if (c === 78 || c === 110) return fail(s, start, 'invalid number')
  return scanBoolean(s, table, field, start)
}

/** Numbers with few digits, exactly, without making a string; -1 if it is not one of those. */
function scanNumber(s: Scan, table: TableBuilder, field: FieldName, start: number): number {
  const { bytes } = s
  const isNegative = bytes[start] === minus
  let i = isNegative ? start + 1 : start
  const first = i
  let mantissa = 0
  let c = bytes[i]
  while (c >= 48 && c <= 57) {
    if (mantissa > mantissaMax) return -1
    mantissa = mantissa * 10 + (c - 48)
    c = bytes[++i]
  }
  if (c === letterI || c === letterU) {
    if (i === first || !isValueEnd(bytes, i + 1) || (isNegative && c === letterU)) return -1
    const value = isNegative ? 0 - mantissa : mantissa
    putNumber(table, field, c === letterI ? kindInteger : kindUnsigned, value)
    return i + 1
  }
  if (c === point) {
    // A point alone is no number.
    if (i === first && !isDigit(bytes[i + 1])) return -1
    return scanFraction(s, table, field, i, mantissa, isNegative)
  }
  if (i === first || !isValueEnd(bytes, i)) return -1
  putNumber(table, field, kindFloat, isNegative ? -mantissa : mantissa)
  return i
}

/** The rest of a value that has a point there, whose digits before it are read; -1 as `scanNumber`. */
function scanFraction(
  s: Scan,
  table: TableBuilder,
  field: FieldName,
  pointAt: number,
  whole: number,
  isNegative: boolean,
): number {
  const { bytes } = s
  const fractionStart = pointAt + 1
  let i = fractionStart
  let mantissa = whole
  for (; isDigit(bytes[i]) && mantissa <= mantissaMax; i++)
    mantissa = mantissa * 10 + (bytes[i] - 48)
  const fractionDigits = i - fractionStart
  // What has more digits ends with one here.
  if (fractionDigits > 22 || !isValueEnd(bytes, i)) return -1
  const value = mantissa / powersOfTen[fractionDigits]
  putNumber(table, field, kindFloat, isNegative ? -value : value)
  return i
}

function putNumber(table: TableBuilder, field: FieldName, type: number, value: number): void {
  const row = table.rowCount
  const column = field.current
  if (column.kind === type && column.denseRow === row) {
    column.numbers[row] = value
    column.denseRow = row + 1
  } else table.openColumn(field, type).setNumber(row, value)
}

function scanNumberText(s: Scan, table: TableBuilder, field: FieldName, start: number): number {
  let end = start
  while (!isValueEnd(s.bytes, end)) end++
  const text = s.text.toString('latin1', start, end)
  if (isFloat(text)) putNumber(table, field, kindFloat, Number(text))
  else if (isInteger(text)) putBigint(table, field, kindInteger, BigInt(text.slice(0, -1)))
  else if (isUnsigned(text)) putBigint(table, field, kindUnsigned, BigInt(text.slice(0, -1)))
  else return fail(s, end, numberProblem(text))
  return end
}

function putBigint(table: TableBuilder, field: FieldName, type: number, value: bigint): void {
  const number = Number(value)
  if (Number.isSafeInteger(number)) putNumber(table, field, type, number)
  else table.openColumn(field, type).setInteger(table.rowCount, value)
}

function scanString(s: Scan, table: TableBuilder, field: FieldName, start: number): number {
  const { bytes, limit } = s
  let i = start + 1
  let isEscaped = false
  for (; ; i++) {
    const c = bytes[i]
    if (c === quote) break
    if (c === backslash) {
      isEscaped = true
      i++
    }
    if (bytes[i] === newline) {
      s.linesInside++
      if (i === limit - 1) return fail(s, start, unbalancedReason)
    }
  }
  if (!isValueEnd(bytes, i + 1)) return fail(s, i + 1, fieldFormatReason)
  const column = table.openColumn(field, kindString)
  column.codes[table.rowCount] = column.strings!.put(bytes, s.view, start + 1, i, isEscaped)
  return i + 1
}

function scanBoolean(s: Scan, table: TableBuilder, field: FieldName, start: number): number {
  let end = start
  while (!isValueEnd(s.bytes, end)) end++
  const c = s.bytes[start]
  const isSingle = end === start + 1 && (c === 84 || c === 116 || c === 70 || c === 102)
  if (!isSingle && !booleans.has(s.text.toString('latin1', start, Math.min(end, start + 6)))) {
    return fail(s, end, 'invalid boolean')
  }
  table.openColumn(field, kindBoolean).flags[table.rowCount] = c === 84 || c === 116 ? 1 : 0
  return end
}

/** Values other than strings go on to a comma, a space or the end of the line. */
function isValueEnd(bytes: Uint8Array, at: number): boolean {
  const c = bytes[at]
  return c === comma || c === space || (c <= 13 && isLineEnd(bytes, at))
}

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57
}

function fail(s: Scan, at: number, reason: string): -1 {
  s.at = at
  s.reason = reason
  return -1
}
