// Floats. Sensors and programs mostly write decimals with a few digits, and such a float is exactly
// an integer divided by a power of ten (both exact in float64, division rounds correctly): stored
// as integers and an exponent. Others are stored as XOR of bit patterns.
//
//   u8 scheme, u8 exponent, u8[2] zero, then
//   decimal  integer block of value * 10^exponent
//   xor      XOR block

import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import { readIntegers, writeIntegers } from './integer-block.js'
import { readXorBlock, writeXorBlock } from './xor-block.js'

// Persisted: never change.
const schemeDecimal = 1
const schemeXor = 2

const exponentMax = 15
const powers = Float64Array.from({ length: exponentMax + 1 }, (_, e) => Number(`1e${e}`))

/** Beyond this an integer block would store bit patterns anyway. */
const decimalMax = 2 ** 50

let integers = new Float64Array(4096)

export function writeFloats(writer: ByteWriter, values: Float64Array, count: number): void {
  writer.align4()
  const exponent = commonExponent(values, count)
  if (exponent < 0) {
    writer.u32(schemeXor)
    writeXorBlock(writer, values, count)
    return
  }
  writer.u32(schemeDecimal | (exponent << 8))
  if (exponent === 0) return writeIntegers(writer, values, count)
  if (count > integers.length) integers = new Float64Array(count * 2)
  const power = powers[exponent]
  for (let i = 0; i < count; i++) integers[i] = Math.round(values[i] * power)
  writeIntegers(writer, integers, count)
}

/** The smallest exponent that makes every value an integer, or -1 where there is none. */
function commonExponent(values: Float64Array, count: number): number {
  let exponent = 0
  for (let i = 0; i < count; i++) {
    const value = values[i]
    if (Object.is(value, -0)) return -1
    while (!isDecimal(value, powers[exponent])) if (++exponent > exponentMax) return -1
  }
  // A later value may have raised the exponent so far that an earlier one no longer fits.
  const power = powers[exponent]
  for (let i = 0; i < count; i++) if (!isDecimal(values[i], power)) return -1
  return exponent
}

function isDecimal(value: number, power: number): boolean {
  const scaled = Math.round(value * power)
  return scaled <= decimalMax && scaled >= -decimalMax && scaled / power === value
}

/** `wanted`: so many of the values, from the first on, are needed; others may be left out. */
export function readFloats(
  reader: ByteReader,
  count: number,
  out: Float64Array,
  at: number,
  wanted = count,
): void {
  reader.align4()
  const head = reader.u32()
  const scheme = head & 0xff
  if (scheme === schemeXor) return readXorBlock(reader, count, out, at)
  const exponent = (head >>> 8) & 0xff
  if (scheme !== schemeDecimal || exponent > exponentMax) {
    reader.fail(`unknown float scheme ${head}`)
  }
  readIntegers(reader, count, out, at, wanted)
  if (exponent === 0) return
  const power = powers[exponent]
  for (let i = at; i < at + wanted; i++) out[i] /= power
}
