// x × y + z, rounded as InfluxDB rounds it on this kind of machine. Go compiles this to one
// instruction that rounds once on ARM, and to two that round twice on x86. The last digit of most
// answers hangs on it, but a search such as holt_winters' ends elsewhere altogether, so machines of
// one kind must agree with InfluxDB's of the same kind.
//
// JavaScript has no such instruction. The product's rounding error (Dekker) and those of the
// additions (Knuth) are added up and rounded into the sum. That is right unless the rounded error
// puts the sum half way between two floats: then what the error itself has lost decides.

/** 2^27 + 1 cuts the 53 bits of a float in halves whose products are exact. */
const splitter = 134217729

/** Below, a product's error could be too small for a float. */
const productMin = 2 ** -900

export const multiplyAdd = process.arch === 'arm64' ? fusedMultiplyAdd : plainMultiplyAdd

export function plainMultiplyAdd(x: number, y: number, z: number): number {
  return x * y + z
}

/** Rounds once, while the product is not tiny and nothing overflows; then it is the plain one. */
export function fusedMultiplyAdd(x: number, y: number, z: number): number {
  const product = x * y
  if (!(product > productMin || product < -productMin)) return product + z
  const productError = multiplicationError(x, y, product)
  const inner = z + productError
  const sum = product + inner
  const innerError = additionError(z, productError, inner)
  const sumError = additionError(product, inner, sum)
  const error = innerError + sumError
  const answer = sum + error
  if (!Number.isFinite(answer)) return product + z
  const twiceLeft = 2 * (error - (answer - sum))
  const neighbour = answer + twiceLeft
  if (twiceLeft === 0 || neighbour - answer !== twiceLeft) return answer
  const lost = additionError(innerError, sumError, error)
  return lost !== 0 && lost > 0 === twiceLeft > 0 ? neighbour : answer
}

/** What was lost when x × y became `product`. */
function multiplicationError(x: number, y: number, product: number): number {
  const xHigh = highHalf(x)
  const yHigh = highHalf(y)
  const xLow = x - xHigh
  const yLow = y - yHigh
  return xLow * yLow - (product - xHigh * yHigh - xLow * yHigh - xHigh * yLow)
}

function highHalf(x: number): number {
  const scaled = x * splitter
  return scaled - (scaled - x)
}

/** What was lost when a + b became `sum`. */
function additionError(a: number, b: number, sum: number): number {
  const fromB = sum - a
  return a - (sum - fromB) + (b - fromB)
}
