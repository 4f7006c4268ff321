// 64-bit whole numbers and floats into each other by their two halves: arithmetic on BigInt costs 24-40 ns
// a value, this 2-3 ns. Little endian, as DuckDB has its vectors on every machine that we run on.

const half = 2 ** 32

/** Writes `base + offsets[i]` for rows `from` up to `to` at place `at` of a vector of 64-bit numbers. */
export function putSums(
  words: Uint32Array,
  at: number,
  base: bigint,
  offsets: Float64Array,
  from: number,
  to: number,
): void {
  const baseLow = Number(BigInt.asUintN(32, base))
  const baseHigh = Number(base >> 32n)
  let w = at * 2
  for (let i = from; i < to; i++) {
    const offset = offsets[i]
    const high = Math.floor(offset / half)
    const low = offset - high * half + baseLow
    // The array keeps the last 32 bits of what is stored.
    if (low >= half) {
      words[w] = low - half
      words[w + 1] = high + baseHigh + 1
    } else {
      words[w] = low
      words[w + 1] = high + baseHigh
    }
    w += 2
  }
}

/** What of a vector of signed 64-bit numbers is `base` plus something exact, from `from` on; returns where it ends. */
export function takeDifferences(
  words: Uint32Array,
  base: bigint,
  from: number,
  to: number,
  validity: Uint8Array | undefined,
  offsets: Float64Array,
): number {
  const baseLow = Number(BigInt.asUintN(32, base))
  const baseHigh = Number(base >> 32n)
  for (let i = from; i < to; i++) {
    if (validity !== undefined && validity[i] === 0) continue
    const offset = ((words[i * 2 + 1] | 0) - baseHigh) * half + (words[i * 2] - baseLow)
    if (offset > Number.MAX_SAFE_INTEGER || offset < -Number.MAX_SAFE_INTEGER) return i
    offsets[i - from] = offset
  }
  return to
}
