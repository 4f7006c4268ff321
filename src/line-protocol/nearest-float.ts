// The float64 nearest to a number of 17 to 23 digits, as programs print their floats, without making a string of it.
// A float64 holds the first digits only; what it cannot hold is kept beside it in a second one ("double-double"), and
// the quotient is told as a float64 and how far the true one lies from it. Where that is too close to the middle
// between two floats to be sure, nothing is told, and the caller takes the language's own conversion.

/** 10^0 to 10^22, which a float64 holds exactly. */
export const powersOfTen = new Float64Array(23)
for (let i = 0; i < powersOfTen.length; i++) powersOfTen[i] = Number(`1e${i}`)

/** So many digits of the rest, and what the product below loses, add up to an integer that is exact. */
export const restDigitsMax = 7

/** Of the correction: its own two roundings, and those of the sums that ask whether it matters. */
const doubt = 2 ** -50

/**
 * The float nearest to (`head` * 10^`restDigits` + `rest`) / 10^`fractionDigits`; NaN: not sure. `head` is below 2^53,
 * `rest` has at most `restDigitsMax` digits, and there are at most 22 after the point.
 */
export function nearestFloat(
  head: number,
  rest: number,
  restDigits: number,
  fractionDigits: number,
): number {
  const shift = powersOfTen[restDigits]
  const shifted = head * shift
  const below = productError(head, shift, shifted) + rest
  const high = shifted + below
  const low = below - (high - shifted)
  const divisor = powersOfTen[fractionDigits]
  const quotient = high / divisor
  const product = quotient * divisor
  // What a division leaves over is a float64 itself: only the sum with `low` is rounded.
  const left = high - product - productError(quotient, divisor, product) + low
  const correction = left / divisor
  const error = Math.abs(correction) * doubt
  const nearest = quotient + (correction - error)
  return nearest === quotient + (correction + error) ? nearest : Number.NaN
}

/** 2^27 + 1: cuts a float64 into two halves whose products are exact (Veltkamp, Dekker). */
const cut = 134217729

/** What `product`, a * b rounded, lacks; exact. */
function productError(a: number, b: number, product: number): number {
  const aCut = cut * a
  const bCut = cut * b
  const aHigh = aCut - (aCut - a)
  const bHigh = bCut - (bCut - b)
  const aLow = a - aHigh
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}
