// Floats. Sensors and programs mostly write decimals with a few digits, and such a float is exactly
// an integer divided by a power of ten (both exact in float64, division rounds correctly): stored
// as integers and an exponent. A few that are none, as -0 among temperatures, are stored beside them; where there are
// many, bit patterns are stored.
//
//   u8 scheme, u8 exponent, u16 number of exceptions, then
//   decimal     integer block of value * 10^exponent
//   exceptions  their rows as u16, zero bytes up to a multiple of 4, their values as f64, then as decimal
//   planes      planes block
//   xor         XOR block; only read, since segments of version 2

import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import { readIntegers, writeIntegers } from './integer-block.js'
import { readPlanes, writePlanes } from './planes-block.js'
import { readXorBlock } from './xor-block.js'

// Persisted: never change.
const schemeDecimal = 1
const schemeXor = 2
const schemeExceptions = 3
const schemePlanes = 4

const exponentMax = 15
const powers = Float64Array.from({ length: exponentMax + 1 }, (_, e) => Number(`1e${e}`))

/** Beyond this an integer block would store bit patterns anyway. */
const decimalMax = 2 ** 50

/** Beyond one in so many bit patterns take less room, or hardly more. */
const exceptionsShare = 32

/** Rows of exceptions are stored in 16 bits. */
const exceptionsRowMax = 0xffff

let integers = new Float64Array(4096)
const exceptions: number[] = []

export function writeFloats(writer: ByteWriter, values: Float64Array, count: number): void {
  writer.align4()
  const exponent = commonExponent(values, count)
  if (exponent < 0 || !scale(values, count, powers[exponent])) {
    writer.u32(schemePlanes)
    writePlanes(writer, values, count)
    return
  }
  if (exceptions.length === 0) writer.u32(schemeDecimal | (exponent << 8))
  else writeExceptions(writer, values, exponent)
  writeIntegers(writer, integers, count)
}

function writeExceptions(writer: ByteWriter, values: Float64Array, exponent: number): void {
  writer.u8(schemeExceptions)
  writer.u8(exponent)
  writer.u16(exceptions.length)
  for (const row of exceptions) writer.u16(row)
  writer.align4()
  for (const row of exceptions) writer.f64(values[row])
}

function exceptionsMax(count: number): number {
  return count > exceptionsRowMax ? 0 : Math.floor(count / exceptionsShare)
}

/** The smallest exponent that makes every value an integer, or nearly every one; -1 where there is none. */
function commonExponent(values: Float64Array, count: number): number {
  let exponent = 0
  let left = exceptionsMax(count)
  for (let i = 0; i < count; i++) {
    const value = values[i]
    if (isDecimal(value, powers[exponent])) continue
    let larger = exponent + 1
    while (larger <= exponentMax && !isDecimal(value, powers[larger])) larger++
    if (larger <= exponentMax) exponent = larger
    else if (--left < 0) return -1
  }
  return exponent
}

/** Fills `integers` and `exceptions`; false: too many values are no such decimals. */
function scale(values: Float64Array, count: number, power: number): boolean {
  if (count > integers.length) integers = new Float64Array(count * 2)
  exceptions.length = 0
  const max = exceptionsMax(count)
  let before = 0
  for (let i = 0; i < count; i++) {
    if (isDecimal(values[i], power)) before = Math.round(values[i] * power)
    else if (exceptions.push(i) > max) return false
    // In the place of an exception stands what costs nothing.
    integers[i] = before
  }
  return true
}

function isDecimal(value: number, power: number): boolean {
  const scaled = Math.round(value * power)
  if (!(scaled <= decimalMax && scaled >= -decimalMax) || scaled / power !== value) return false
  return value !== 0 || !Object.is(value, -0)
}

/** out[i] = value i, for values `from` up to `to` at least. `out` has room for whole parts. */
export function readFloats(
  reader: ByteReader,
  count: number,
  out: Float64Array,
  from = 0,
  to = count,
): void {
  reader.align4()
  const head = reader.u32()
  const scheme = head & 0xff
  if (scheme === schemePlanes) return readPlanes(reader, count, out, from, to)
  if (scheme === schemeXor) return readXorBlock(reader, count, out, 0)
  const exponent = (head >>> 8) & 0xff
  if ((scheme !== schemeDecimal && scheme !== schemeExceptions) || exponent > exponentMax) {
    reader.fail(`unknown float scheme ${head}`)
  }
  const exceptionCount = scheme === schemeExceptions ? head >>> 16 : 0
  const rowsAt = reader.offset
  reader.skip(exceptionCount * 2)
  reader.align4()
  const valuesAt = reader.offset
  reader.skip(exceptionCount * 8)
  readIntegers(reader, count, out, 0, from, to)
  if (exponent > 0) divide(out, from, to, powers[exponent])
  if (exceptionCount > 0) putExceptions(reader, rowsAt, valuesAt, exceptionCount, count, out)
}

function divide(out: Float64Array, from: number, to: number, power: number): void {
  for (let i = from; i < to; i++) out[i] /= power
}

function putExceptions(
  reader: ByteReader,
  rowsAt: number,
  valuesAt: number,
  exceptionCount: number,
  count: number,
  out: Float64Array,
): void {
  const end = reader.offset
  for (let e = 0; e < exceptionCount; e++) {
    reader.offset = rowsAt + e * 2
    const row = reader.u16()
    if (row >= count) reader.fail('exception outside the block')
    reader.offset = valuesAt + e * 8
    out[row] = reader.f64()
  }
  reader.offset = end
}
