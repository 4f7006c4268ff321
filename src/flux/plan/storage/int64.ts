// 64-bit integers written as two halves of 32 bits: what comes from the store as a float64 (an offset
// from a base, or an integer below 2^53) becomes an int64 of a table without a bigint per value, which
// would cost about 50 ns each instead of 3.

const half = 4_294_967_296

/** Moments: `base + offsets[i]` for the first `count`. Offsets are integers. */
export function int64Moments(base: bigint, offsets: Float64Array, count: number): BigInt64Array {
  const moments = new BigInt64Array(count)
  const words = new Int32Array(moments.buffer)
  const baseLow = Number(BigInt.asUintN(32, base))
  const baseHigh = Number(BigInt.asIntN(32, base >> 32n))
  for (let i = 0; i < count; i++) {
    const offset = offsets[i]
    const high = Math.floor(offset / half)
    const low = baseLow + (offset - high * half)
    const carry = low >= half ? 1 : 0
    words[2 * i] = low - carry * half
    words[2 * i + 1] = baseHigh + high + carry
  }
  return moments
}

/** Rows `start` up to `stop` of safe integers. */
export function int64Values(values: Float64Array, start: number, stop: number): BigInt64Array {
  const integers = new BigInt64Array(stop - start)
  const words = new Int32Array(integers.buffer)
  for (let row = start, at = 0; row < stop; row++, at += 2) {
    const value = values[row]
    const high = Math.floor(value / half)
    words[at] = value - high * half
    words[at + 1] = high
  }
  return integers
}

/** Moments that lie `step` apart. */
export function int64Steps(first: bigint, step: bigint, count: number): BigInt64Array {
  const moments = new BigInt64Array(count)
  const words = new Int32Array(moments.buffer)
  const stepLow = Number(BigInt.asUintN(32, step))
  const stepHigh = Number(BigInt.asIntN(32, step >> 32n))
  let low = Number(BigInt.asUintN(32, first))
  let high = Number(BigInt.asIntN(32, first >> 32n))
  for (let i = 0; i < count; i++) {
    words[2 * i] = low
    words[2 * i + 1] = high
    low += stepLow
    const carry = low >= half ? 1 : 0
    low -= carry * half
    high += stepHigh + carry
  }
  return moments
}
