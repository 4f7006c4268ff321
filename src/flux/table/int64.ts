// Integers of 64 bits without a BigInt per value: their two halves of 32 bits are read as numbers.
// Sums of the halves stay exact for two million values at a time, a difference rounds once, and both
// cost a few float operations where BigInt arithmetic would allocate.
//
// The machines this runs on keep the low half first; `Words` relies on it.

export type Int64Values = BigInt64Array | BigUint64Array

/** Halves of value i: `low[2 * i]` and `high[2 * i + 1]`. */
export interface Words {
  readonly low: Uint32Array
  readonly high: Int32Array | Uint32Array
}

const wordSize = 4294967296

export function wordsOf(values: Int64Values): Words {
  const { buffer, byteOffset, length } = values
  const low = new Uint32Array(buffer, byteOffset, 2 * length)
  const isSigned = values instanceof BigInt64Array
  return { low, high: isSigned ? new Int32Array(buffer, byteOffset, 2 * length) : low }
}

/** Each as the float nearest to it. */
export function floatsOfInt64(values: Int64Values, count: number): Float64Array {
  const { low, high } = wordsOf(values)
  const floats = new Float64Array(count)
  for (let i = 0; i < count; i++) floats[i] = high[2 * i + 1] * wordSize + low[2 * i]
  return floats
}

/** Value `i` less value `j`, as the float nearest to it. */
export function wordsDifference({ low, high }: Words, i: number, j: number): number {
  return (high[2 * i + 1] - high[2 * j + 1]) * wordSize + (low[2 * i] - low[2 * j])
}

/** Makes `value`, a safe integer, value `i`. */
export function setWords({ low, high }: Words, i: number, value: number): void {
  const upper = Math.floor(value / wordSize)
  high[2 * i + 1] = upper
  low[2 * i] = value - upper * wordSize
}

/** Halves of at most so many values are added before a float could round. */
const exactCountMax = 2 ** 20

/** Of those that `validity` marks, or all. Not yet cut to 64 bits. */
export function sumInt64(
  values: Int64Values,
  validity: Uint8Array | undefined,
  count: number,
): bigint {
  const { low, high } = wordsOf(values)
  let total = 0n
  for (let start = 0; start < count; start += exactCountMax) {
    const stop = Math.min(count, start + exactCountMax)
    let lows = 0
    let highs = 0
    for (let i = start; i < stop; i++) {
      if (validity !== undefined && validity[i] === 0) continue
      lows += low[2 * i]
      highs += high[2 * i + 1]
    }
    total += BigInt(lows) + (BigInt(highs) << 32n)
  }
  return total
}

/** Whether the least or the greatest value is looked for. */
export type Extreme = 'min' | 'max'

/** The place of the first least or greatest value among those that `validity` marks; -1: there is none. */
export function extremeInt64(
  values: Int64Values,
  validity: Uint8Array | undefined,
  count: number,
  extreme: Extreme,
): number {
  const { low, high } = wordsOf(values)
  const sign = extreme === 'min' ? 1 : -1
  let best = -1
  let bestLow = 0
  let bestHigh = 0
  for (let i = 0; i < count; i++) {
    if (validity !== undefined && validity[i] === 0) continue
    const valueHigh = sign * high[2 * i + 1]
    const valueLow = sign * low[2 * i]
    if (best >= 0 && valueHigh >= bestHigh && (valueHigh > bestHigh || valueLow >= bestLow)) {
      continue
    }
    best = i
    bestHigh = valueHigh
    bestLow = valueLow
  }
  return best
}

/** What a sum has left of it in a column of 64 bits. */
export function wrapInt64(value: bigint, type: 'int' | 'uint'): bigint {
  return type === 'int' ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value)
}
