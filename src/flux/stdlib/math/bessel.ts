// Bessel functions. Small arguments: integrals, for the first kind over a full period, where the error of
// trapezoids falls faster than any power of their number. Large ones: Hankel's expansion for the orders
// 0 and 1, and from there upwards.

const { abs, ceil, cos, exp, PI, sin, sinh, sqrt } = Math

/** From here on the expansion is exact to the last digits. */
const expansionStart = 25
/** Higher orders are so many steps away that nobody can mean them. */
const orderMax = 100_000
const panels = 400
const gaussMiddle = 128 / 225
const gaussPairs = [
  [sqrt(5 - 2 * sqrt(10 / 7)) / 3, (322 + 13 * sqrt(70)) / 900],
  [sqrt(5 + 2 * sqrt(10 / 7)) / 3, (322 - 13 * sqrt(70)) / 900],
] as const

export function besselJ(order: number, x: number): number {
  if (Number.isNaN(x)) return NaN
  const n = abs(order)
  const size = abs(x)
  const isOdd = n % 2 === 1
  const sign = isOdd && order < 0 !== x < 0 ? -1 : 1
  if (size === Infinity) return 0
  if (size === 0) return n === 0 ? 1 : 0
  // Below any float: the order is far above the argument.
  if (n > orderMax || n > 2 * size + 400) return 0
  if (size > expansionStart && n < size) return sign * upwards(n, size, 'J')
  return sign * meanOfPhases(n, size)
}

export function besselY(order: number, x: number): number {
  if (Number.isNaN(x) || x < 0) return NaN
  const n = abs(order)
  const sign = n % 2 === 1 && order < 0 ? -1 : 1
  if (x === 0 || n > orderMax) return sign * -Infinity
  return x === Infinity ? 0 : sign * upwards(n, x, 'Y')
}

/** The mean of cos(nθ − x sin θ) over half a turn. */
function meanOfPhases(n: number, x: number): number {
  const steps = ceil(x + n + 40)
  let sum = 0.5 * (1 + (n % 2 === 1 ? -1 : 1))
  for (let i = 1; i < steps; i++) {
    const angle = (PI * i) / steps
    sum += cos(n * angle - x * sin(angle))
  }
  return sum / steps
}

/** From the orders 0 and 1: stable for Y, and for J while the order is below the argument. */
function upwards(n: number, x: number, kind: 'J' | 'Y'): number {
  let before = lowOrder(0, x, kind)
  if (n === 0) return before
  let value = lowOrder(1, x, kind)
  for (let k = 1; k < n; k++) [before, value] = [value, ((2 * k) / x) * value - before]
  return value
}

function lowOrder(n: 0 | 1, x: number, kind: 'J' | 'Y'): number {
  if (x > expansionStart) return expansion(n, x, kind)
  return kind === 'J' ? meanOfPhases(n, x) : integralY(n, x)
}

/** √(2/πx) (P cos χ − Q sin χ), and with sine and cosine exchanged for Y; terms as long as they shrink. */
function expansion(n: 0 | 1, x: number, kind: 'J' | 'Y'): number {
  let p = 1
  let q = 0
  let term = 1
  for (let k = 1; k < 30; k++) {
    const next = (term * (4 * n * n - (2 * k - 1) ** 2)) / (k * 8 * x)
    if (abs(next) >= abs(term) || abs(next) < 1e-18) break
    term = next
    // Signs: + for P and Q at first, then both change at every second term.
    const sign = k % 4 === 0 || k % 4 === 1 ? 1 : -1
    if (k % 2 === 1) q += sign * term
    else p += sign * term
  }
  const phase = x - (n * PI) / 2 - PI / 4
  const scale = sqrt(2 / (PI * x))
  return kind === 'J'
    ? scale * (p * cos(phase) - q * sin(phase))
    : scale * (p * sin(phase) + q * cos(phase))
}

function integralY(n: 0 | 1, x: number): number {
  const wave = integral(PI, (angle) => sin(x * sin(angle) - n * angle))
  // e^(−x sinh t) is nothing beyond here.
  const end = Math.asinh(750 / x)
  const sign = n === 1 ? -1 : 1
  const decay = integral(end, (t) => (exp(n * t) + sign * exp(-n * t)) * exp(-x * sinh(t)))
  return (wave - decay) / PI
}

/** Gauss' five points in each of many panels. */
function integral(end: number, fn: (t: number) => number): number {
  const half = end / panels / 2
  let sum = 0
  for (let panel = 0; panel < panels; panel++) {
    const middle = (2 * panel + 1) * half
    sum += gaussMiddle * fn(middle)
    for (const [place, weight] of gaussPairs) {
      sum += weight * (fn(middle - half * place) + fn(middle + half * place))
    }
  }
  return sum * half
}
