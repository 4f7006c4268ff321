// Conversions between the plain types: `int(v:)`, `string(v:)`, … with Flux's words where they fail.
// Null stays null; a dynamic value is converted by what it holds.

import { durationNs, durationOfNs, parseDuration } from './duration.js'
import { FluxError } from './error.js'
import { plainFloatText } from './float-text.js'
import { quoted } from './quote.js'
import { interpolatedText } from './text.js'
import { parseTime } from './time.js'
import { typeText } from './type-name.js'
import { Bytes, Duration, Dynamic, type FluxValue, Time, Uint } from './value.js'

const int64Min = -(2n ** 63n)

export type Conversion = (value: FluxValue) => FluxValue

function held(value: FluxValue): FluxValue {
  return value instanceof Dynamic ? held(value.inner) : value
}

function refuse(value: FluxValue, type: string): never {
  throw new FluxError(`cannot convert ${typeText(value)} to ${type}`)
}

function refuseText(text: string, type: string): never {
  throw new FluxError(`cannot convert string ${quoted(text)} to ${type} due to invalid syntax`)
}

export function toText(given: FluxValue): string | null {
  const value = held(given)
  if (value === null) return null
  const text = interpolatedText(value)
  if (text !== undefined) return text
  return value instanceof Bytes ? utf8Text(value.bytes) : refuse(value, 'string')
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function utf8Text(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new FluxError('bytes contained non utf8 bytes, cannot be converted into a string')
  }
}

export function toInt(given: FluxValue): bigint | null {
  const value = held(given)
  switch (typeof value) {
    case 'bigint':
      return value
    case 'number':
      return floatToInt(value)
    case 'boolean':
      return value ? 1n : 0n
    case 'string':
      return parseInteger(value) ?? refuseText(value, 'int')
    default:
      if (value === null) return null
      if (value instanceof Uint) return BigInt.asIntN(64, value.value)
      if (value instanceof Time) return value.ns
      return value instanceof Duration ? durationNs(value) : refuse(value, 'int')
  }
}

/** Towards zero; what 64 bits do not hold becomes the least of them, as Go's conversion on common machines has it. */
export function floatToInt(value: number): bigint {
  if (!(value >= -(2 ** 63) && value < 2 ** 63)) return int64Min
  return BigInt(Math.trunc(value))
}

const integerPattern = /^[+-]?\d+$/

/** As Go reads it: decimal digits with a sign, within 64 bits. */
function parseInteger(text: string): bigint | undefined {
  if (!integerPattern.test(text) || text.length > 1000) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

export function toUint(given: FluxValue): Uint | null {
  const value = held(given)
  switch (typeof value) {
    case 'bigint':
      return uintOf(value)
    case 'number':
      return uintOf(floatToUint(value))
    case 'boolean':
      return uintOf(value ? 1n : 0n)
    case 'string':
      return uintOf(parseUnsigned(value) ?? refuseText(value, 'uint'))
    default:
      if (value === null) return null
      if (value instanceof Uint) return value
      if (value instanceof Time) return uintOf(value.ns)
      return value instanceof Duration ? uintOf(durationNs(value)) : refuse(value, 'uint')
  }
}

function uintOf(value: bigint): Uint {
  return new Uint(BigInt.asUintN(64, value))
}

/** As amd64 does it: numbers of the upper half as they are, negative ones by their bits. */
export function floatToUint(value: number): bigint {
  if (value >= 2 ** 63 && value < 2 ** 64) return BigInt(Math.trunc(value))
  return BigInt.asUintN(64, floatToInt(value))
}

function parseUnsigned(text: string): bigint | undefined {
  if (!/^\d+$/.test(text) || text.length > 1000) return undefined
  const value = BigInt(text)
  return BigInt.asUintN(64, value) === value ? value : undefined
}

export function toFloat(given: FluxValue): number | null {
  const value = held(given)
  switch (typeof value) {
    case 'number':
      return value
    case 'bigint':
      return Number(value)
    case 'boolean':
      return value ? 1 : 0
    case 'string':
      return parseFloatText(value) ?? refuseText(value, 'float')
    default:
      if (value === null) return null
      return value instanceof Uint ? Number(value.value) : refuse(value, 'float')
  }
}

const floatPattern = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const hexFloatPattern = /^([+-]?)0x([\da-f]*)\.?([\da-f]*)p([+-]?\d+)$/i
const infinityPattern = /^([+-]?)inf(inity)?$/i

/** As Go reads it: decimal, hexadecimal with an exponent, `Inf` and `NaN`; too large is no number. */
export function parseFloatText(text: string): number | undefined {
  if (floatPattern.test(text)) {
    const value = Number(text)
    return Number.isFinite(value) ? value : undefined
  }
  const infinity = infinityPattern.exec(text)
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  const hex = hexFloatPattern.exec(text)
  if (hex === null || hex[2].length + hex[3].length === 0) return undefined
  const exponent = Number(hex[4]) - 4 * hex[3].length
  const size = Number(BigInt(`0x${hex[2]}${hex[3]}`)) * 2 ** exponent
  if (!Number.isFinite(size)) return undefined
  return hex[1] === '-' ? -size : size
}

export function toBool(given: FluxValue): boolean | null {
  const value = held(given)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') {
    if (value === 'true' || value === 'false') return value === 'true'
    throw new FluxError(`cannot convert string ${quoted(value)} to bool`)
  }
  const number = value instanceof Uint ? value.value : value
  if (typeof number !== 'bigint' && typeof number !== 'number') return refuse(value, 'bool')
  if (Number(number) === 0) return false
  if (Number(number) === 1) return true
  const [type, shown] =
    typeof value === 'number'
      ? ['float', Number.isFinite(value) ? value.toFixed(6) : plainFloatText(value)]
      : [value instanceof Uint ? 'uint' : 'int', number.toString()]
  throw new FluxError(`cannot convert ${type} ${shown} to bool, must be 0 or 1`)
}

export function toTime(given: FluxValue): Time | null {
  const value = held(given)
  if (value === null || value instanceof Time) return value
  if (typeof value === 'bigint') return new Time(value)
  if (value instanceof Uint) return new Time(BigInt.asIntN(64, value.value))
  return typeof value === 'string' ? timeOfText(value) : refuse(value, 'time')
}

function timeOfText(text: string): Time {
  try {
    return new Time(parseTime(text))
  } catch (error) {
    const reason = error instanceof FluxError ? error.message : String(error)
    const what = `cannot convert string ${quoted(text)} to time due to invalid syntax`
    throw new FluxError(`${what}: ${reason}`)
  }
}

export function toDuration(given: FluxValue): Duration | null {
  const value = held(given)
  if (value === null || value instanceof Duration) return value
  if (typeof value === 'bigint') return durationOfNs(value)
  if (value instanceof Uint) return durationOfNs(BigInt.asIntN(64, value.value))
  if (typeof value !== 'string') return refuse(value, 'duration')
  return parseDuration(value) ?? refuseText(value, 'duration')
}

/** Only of text; unlike the others it does not take null. */
export function toBytes(given: FluxValue): Bytes {
  const value = held(given)
  return typeof value === 'string' ? new Bytes(Buffer.from(value)) : refuse(value, 'bytes')
}
