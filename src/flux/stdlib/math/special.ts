// Functions that JavaScript's Math does not have: error functions and gamma. Series where they converge
// fast without cancelling, continued fractions and Lanczos' approximation elsewhere.

const { abs, exp, log, PI, sin, sqrt } = Math

/** Beyond this the difference from 1 is below what a float can tell. */
const errorFunctionEnd = 6
const seriesTermsMax = 500

export function erf(x: number): number {
  if (Number.isNaN(x)) return NaN
  if (x < 0) return -erf(-x)
  if (x >= errorFunctionEnd) return 1
  return x < 2 ? erfSeries(x) : 1 - erfcFraction(x)
}

export function erfc(x: number): number {
  if (Number.isNaN(x)) return NaN
  if (x < 2) return x < 0.5 ? 1 - erf(x) : 1 - erfSeries(x)
  return x > 27 ? 0 : erfcFraction(x)
}

/** All terms have one sign: 2/√π e^(−x²) Σ 2ⁿ x^(2n+1) / (1·3·5…(2n+1)). */
function erfSeries(x: number): number {
  let term = x
  let sum = x
  for (let n = 1; n < seriesTermsMax && term > sum * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / sqrt(PI)) * exp(-x * x) * sum
}

/** A continued fraction, from its end: for x ≥ 2. */
function erfcFraction(x: number): number {
  let fraction = 0
  for (let n = 120; n > 0; n--) fraction = n / 2 / (x + fraction)
  return exp(-x * x) / (sqrt(PI) * (x + fraction))
}

export function erfInverse(y: number): number {
  if (Number.isNaN(y) || y < -1 || y > 1) return NaN
  if (abs(y) === 1) return y * Infinity
  // Winitzki's estimate, and Halley's steps from there.
  const l = log((1 - y) * (1 + y))
  const half = 2 / (PI * 0.147) + l / 2
  let x = Math.sign(y) * sqrt(sqrt(half * half - l / 0.147) - half)
  for (let step = 0; step < 4 && x !== 0; step++) {
    const error = abs(x) < 2 ? erf(x) - y : Math.sign(x) * (1 - abs(y) - erfc(abs(x)))
    const slope = (2 / sqrt(PI)) * exp(-x * x)
    if (slope === 0) break
    const correction = error / slope
    x -= correction / (1 + x * correction)
  }
  return x
}

/** Lanczos' coefficients for g = 7, nine terms. */
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
]

function lanczosSum(x: number): number {
  let sum = lanczos[0]
  for (let i = 1; i < lanczos.length; i++) sum += lanczos[i] / (x + i)
  return sum
}

const factorialMax = 170

export function gamma(x: number): number {
  if (x === 0) return 1 / x
  if (x === -Infinity || (x < 0 && Number.isInteger(x))) return NaN
  if (x > 171.7) return Infinity
  if (Number.isInteger(x) && x <= factorialMax + 1) return factorial(x - 1)
  if (x < 0.5) return PI / (sin(PI * x) * gamma(1 - x))
  const t = x - 1 + 7.5
  // The power in two steps: one would overflow before the exponential brings it back.
  const power = t ** ((x - 0.5) / 2)
  return sqrt(2 * PI) * power * exp(-t) * power * lanczosSum(x - 1)
}

function factorial(n: number): number {
  let product = 1
  for (let i = 2; i <= n; i++) product *= i
  return product
}

export function logGamma(x: number): { value: number; sign: number } {
  if (Number.isNaN(x)) return { value: NaN, sign: 1 }
  if (!Number.isFinite(x)) return { value: Infinity, sign: 1 }
  if (x <= 0 && Number.isInteger(x)) return { value: Infinity, sign: Object.is(x, -0) ? -1 : 1 }
  if (x < 0.5) {
    const sine = sin(PI * x)
    const { value } = logGamma(1 - x)
    return { value: log(PI / abs(sine)) - value, sign: sine < 0 ? -1 : 1 }
  }
  if (x < 100) return { value: log(gamma(x)), sign: 1 }
  const t = x - 1 + 7.5
  return { value: 0.5 * log(2 * PI) + (x - 0.5) * log(t) - t + log(lanczosSum(x - 1)), sign: 1 }
}
