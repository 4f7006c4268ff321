// The text of a cell in an annotated CSV as a value of its column's type. What cannot be read is told
// in the words of the reference.

import { assert } from '../../../errors.js'
import type { Cell, CellType } from '../../../query/table.js'
import { FluxError } from '../../value/error.js'
import { quoted } from '../../value/quote.js'
import { parseTime } from '../../value/time.js'

const types = new Map<string, CellType>([
  ['boolean', 'bool'],
  ['long', 'int'],
  ['unsignedLong', 'uint'],
  ['double', 'float'],
  ['string', 'string'],
  ['dateTime', 'time'],
])

/** `dateTime:RFC3339` → time. The format behind the colon makes no difference in reading. */
export function columnType(dataType: string): CellType {
  const [name] = dataType.split(':', 1)
  const type = types.get(name)
  if (type === undefined) throw new FluxError(`unsupported data type ${quoted(name)}`)
  return type
}

const booleans = new Map<string, boolean>([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
])
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const infinite = /^([+-]?)inf(?:inity)?$/i
const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n
const uint64Max = 2n ** 64n - 1n

export function parseCell(text: string, type: CellType): Cell {
  switch (type) {
    case 'string':
      return text
    case 'float':
      return parseFloat64(text)
    case 'int':
      return parseInteger(text, 'ParseInt', /^[+-]?\d+$/, int64Min, int64Max)
    case 'uint':
      return parseInteger(text, 'ParseUint', /^\d+$/, 0n, uint64Max)
    case 'time':
      return parseMoment(text)
    case 'bool': {
      const value = booleans.get(text)
      return value === undefined ? refuse('ParseBool', text) : value
    }
    default:
      assert(false, `no such type of column: ${type satisfies never}`)
  }
}

function parseFloat64(text: string): number {
  if (decimal.test(text)) return Number(text)
  const found = infinite.exec(text)
  if (found !== null) return found[1] === '-' ? -Infinity : Infinity
  return /^nan$/i.test(text) ? NaN : refuse('ParseFloat', text)
}

function parseInteger(
  text: string,
  reader: string,
  pattern: RegExp,
  min: bigint,
  max: bigint,
): bigint {
  if (!pattern.test(text)) refuse(reader, text)
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  if (value < min || value > max) {
    throw new FluxError(`strconv.${reader}: parsing ${quoted(text)}: value out of range`)
  }
  return value
}

function parseMoment(text: string): bigint {
  try {
    return parseTime(text)
  } catch {
    throw new FluxError(`parsing time ${quoted(text)}: cannot parse as RFC3339`)
  }
}

function refuse(reader: string, text: string): never {
  throw new FluxError(`strconv.${reader}: parsing ${quoted(text)}: invalid syntax`)
}
