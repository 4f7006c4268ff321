// Signed and unsigned integers of a block: differences, zigzag coded so that small ones of either sign are small
// numbers. The first byte has the encoding in its upper half.
//
//   0  every difference in 8 bytes
//   1  the first in 8 bytes, the others in simple8b
//   2  the first in 8 bytes, one difference (varint), how often it follows (varint)
//
// Differences wrap around at 64 bits. Nearly all values are safe integers and summed up as float64; a block with one
// that is not is decoded again through bigint.

import { ByteCursor } from './byte-cursor.js'
import { DamageError } from './damage.js'
import { countSimple8b, sumSimple8b, unpackSimple8b, unpackSimple8bExact } from './simple8b.js'

/** Of which kind: differences of both are coded alike. */
export type Integers<Wide extends BigInt64Array | BigUint64Array> = Float64Array | Wide

export function decodeIntegers(bytes: Uint8Array, count: number): Integers<BigInt64Array> {
  const safe = safeIntegers(bytes, count)
  if (safe !== undefined) return safe
  const values = exactIntegers(bytes, count)
  return narrowed(values) ?? values
}

export function decodeUnsigned(bytes: Uint8Array, count: number): Integers<BigUint64Array> {
  const safe = safeIntegers(bytes, count)
  if (safe !== undefined && !safe.some((value) => value < 0)) return safe
  const values = new BigUint64Array(exactIntegers(bytes, count).buffer)
  return narrowed(values) ?? values
}

function narrowed(values: BigInt64Array | BigUint64Array): Float64Array | undefined {
  const max = BigInt(Number.MAX_SAFE_INTEGER)
  for (const value of values) if (value > max || value < -max) return undefined
  return Float64Array.from(values, Number)
}

/** From here a million differences of 31 bits do not leave the safe integers. */
const nearMax = 2 ** 52

/** Undefined where a value, or a difference on the way to one, is beyond the safe integers. */
function safeIntegers(bytes: Uint8Array, count: number): Float64Array | undefined {
  const encoding = encodingOf(bytes)
  if (encoding === 2) return safeRun(bytes, count)
  if (encoding !== 1) return undefined
  checkCount(1 + countSimple8b(bytes, 9, bytes.length), count)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const first = view.getBigUint64(1)
  if (first > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  const values = new Float64Array(count)
  values[0] = Number(fromZigzag(first))
  const isNear = Math.abs(values[0]) <= nearMax
  if (isNear && sumSimple8b(view, 9, bytes.length, values, 1)) return values
  values[0] = Number(first)
  if (!unpackSimple8b(view, 9, bytes.length, values, 1)) return undefined
  return sumSafe(values, count)
}

function sumSafe(values: Float64Array, count: number): Float64Array | undefined {
  let sum = 0
  for (let i = 0; i < count; i++) {
    const coded = values[i]
    // Odd numbers are the negative ones; beyond 2^32 bit operators cannot tell.
    const half = Math.floor(coded / 2)
    sum += coded === half * 2 ? half : -half - 1
    if (sum > Number.MAX_SAFE_INTEGER || sum < -Number.MAX_SAFE_INTEGER) return undefined
    values[i] = sum
  }
  return values
}

function safeRun(bytes: Uint8Array, count: number): Float64Array | undefined {
  const { first, step } = readRun(bytes, count)
  const last = first + step * BigInt(count - 1)
  const max = BigInt(Number.MAX_SAFE_INTEGER)
  if (first > max || first < -max || last > max || last < -max) return undefined
  const values = new Float64Array(count)
  const [start, by] = [Number(first), Number(step)]
  for (let i = 0; i < count; i++) values[i] = start + i * by
  return values
}

function exactIntegers(bytes: Uint8Array, count: number): BigInt64Array {
  const values = new BigInt64Array(count)
  const encoding = encodingOf(bytes)
  if (encoding === 2) {
    const { first, step } = readRun(bytes, count)
    for (let i = 0; i < count; i++) values[i] = first + step * BigInt(i)
    return values
  }
  const coded = encoding === 0 ? rawWords(bytes, count) : packedWords(bytes, count)
  let sum = 0n
  for (let i = 0; i < count; i++) {
    sum = BigInt.asIntN(64, sum + fromZigzag(coded[i]))
    values[i] = sum
  }
  return values
}

function rawWords(bytes: Uint8Array, count: number): BigUint64Array {
  checkCount((bytes.length - 1) / 8, count)
  const cursor = new ByteCursor(bytes, 1)
  return BigUint64Array.from({ length: count }, () => cursor.uint64())
}

function packedWords(bytes: Uint8Array, count: number): BigUint64Array {
  checkCount(1 + countSimple8b(bytes, 9, bytes.length), count)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const words = new BigUint64Array(count)
  words[0] = view.getBigUint64(1)
  unpackSimple8bExact(view, 9, bytes.length, words, 1)
  return words
}

function readRun(bytes: Uint8Array, count: number): { first: bigint; step: bigint } {
  const cursor = new ByteCursor(bytes, 1)
  const first = fromZigzag(cursor.uint64())
  const step = fromZigzag(cursor.uvarint())
  checkCount(cursor.length() + 1, count)
  return { first, step }
}

function fromZigzag(coded: bigint): bigint {
  return (coded & 1n) === 0n ? coded >> 1n : -(coded >> 1n) - 1n
}

function encodingOf(bytes: Uint8Array): number {
  const encoding = bytes.length === 0 ? -1 : bytes[0] >>> 4
  if (encoding < 0 || encoding > 2) throw new DamageError(`integers have the encoding ${encoding}`)
  if (encoding !== 0 && bytes.length < 9) throw new DamageError('integers end too early')
  return encoding
}

function checkCount(found: number, wanted: number): void {
  if (found !== wanted) throw new DamageError(`${found} values for ${wanted} times`)
}
