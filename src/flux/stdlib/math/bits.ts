// Floats taken apart: mantissa and exponent,
// neighbours, and their 64 bits.

const view = new DataView(new ArrayBuffer(8))

export function float64Bits(value: number): bigint {
  view.setFloat64(0, value)
  return view.getBigUint64(0)
}

export function float64FromBits(bits: bigint): number {
  view.setBigUint64(0, bits)
  return view.getFloat64(0)
}

/** `value = fraction × 2^exponent`, the fraction's size in [½, 1). Zero, infinities and NaN have exponent 0. */
export function fractionAndExponent(value: number): { fraction: number; exponent: number } {
  if (value === 0 || !Number.isFinite(value)) return { fraction: value, exponent: 0 }
  const exponent = floorLog2(value) + 1
  return { fraction: scaleByPower(value, -exponent), exponent }
}

/** The largest whole number whose power of two is not above the size of a finite value. */
export function floorLog2(value: number): number {
  const isSmall = Math.abs(value) < 2 ** -1022
  const bits = float64Bits(isSmall ? value * 2 ** 54 : value)
  return Number((bits >> 52n) & 0x7ffn) - 1023 - (isSmall ? 54 : 0)
}

/** `value × 2^exponent`, rounded once. */
export function scaleByPower(value: number, exponent: number): number {
  let scaled = value
  let rest = Math.max(-2200, Math.min(2200, exponent))
  for (; rest > 1000; rest -= 1000) scaled *= 2 ** 1000
  // Only the last step may leave the normal numbers, so that nothing is rounded twice.
  if (rest < -1000) {
    const own = floorLog2(scaled)
    for (; rest < -1000 && own > -1000; rest += 1000) scaled *= 2 ** -1000
  }
  return scaled * 2 ** rest
}

/** The next float after `from` in the direction of `towards`. */
export function nextAfter(from: number, towards: number): number {
  if (Number.isNaN(from) || Number.isNaN(towards)) return NaN
  if (from === towards) return from
  if (from === 0) return towards > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE
  const bits = float64Bits(from)
  return float64FromBits(towards > from === from > 0 ? bits + 1n : bits - 1n)
}
