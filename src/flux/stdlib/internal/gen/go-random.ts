// The random numbers of Go's `math/rand` for a seed: an additive lagged Fibonacci generator after Mitchell and
// Reeds, xₙ = xₙ₋₆₀₇ + xₙ₋₂₇₃ modulo 2⁶⁴, and normal deviates by the ziggurat of Marsaglia and Tsang (2000).
// Tests compare with tables that were generated there.
//
// A seed is laid over the state that the generator has after 7.8·10¹² steps from seed 1. Nobody needs to walk
// them, nor to keep the 607 numbers: stepping is linear, so that x^(7.8·10¹²) modulo the polynomial
// x⁶⁰⁷ - x³³⁴ - 1 says how each of them is made of the first 607. Some forty squarings find it.

const length = 607
const tap = 273
const cookingSteps = 7_800_000_000_000
const wordSize = 2 ** 32

/** Coefficients modulo 2⁶⁴. */
type Polynomial = readonly bigint[]

/** Room for a coefficient of a product before it is cut: 607 times 128 bits. */
const coefficientDigits = 36

/** All coefficients in one integer, whose multiplication the machine does well: 2 ms instead of 30. */
function packed(polynomial: Polynomial): bigint {
  let digits = ''
  for (const coefficient of polynomial) {
    digits = coefficient.toString(16).padStart(coefficientDigits, '0') + digits
  }
  return BigInt(`0x${digits}`)
}

function product(a: Polynomial, b: Polynomial): bigint[] {
  const count = a.length + b.length - 1
  const digits = (packed(a) * packed(b)).toString(16).padStart(count * coefficientDigits, '0')
  const coefficients: bigint[] = []
  for (let end = digits.length; end > digits.length - count * coefficientDigits; ) {
    const start = end - coefficientDigits
    coefficients.push(BigInt.asUintN(64, BigInt(`0x${digits.slice(start, end)}`)))
    end = start
  }
  return coefficients
}

/** Powers from 607 on are made of lower ones. */
function reduced(coefficients: bigint[]): bigint[] {
  for (let power = coefficients.length - 1; power >= length; power--) {
    const coefficient = coefficients[power]
    for (const lower of [power - tap, power - length]) {
      coefficients[lower] = BigInt.asUintN(64, coefficients[lower] + coefficient)
    }
  }
  return coefficients.slice(0, length)
}

function powerOfX(exponent: number): bigint[] {
  let result: bigint[] = new Array(length).fill(0n)
  result[0] = 1n
  for (const bit of exponent.toString(2)) {
    result = reduced(product(result, result))
    if (bit === '1') result = reduced([0n, ...result])
  }
  return result
}

/** Its product with 48,271 is below 2⁴⁷: no rounding. */
function nextSeed(seed: number): number {
  return (seed * 48_271) % 0x7fff_ffff
}

/** 607 numbers, each of three seeds shifted over each other. */
function seedWords(seed: number, shift: bigint): bigint[] {
  let next = seed
  const draw = (): bigint => {
    next = nextSeed(next)
    return BigInt(next)
  }
  for (let i = 0; i < 20; i++) draw()
  return Array.from({ length }, () => (draw() << (2n * shift)) ^ (draw() << shift) ^ draw())
}

/** The place of the n-th number in the register: it is filled downwards. */
function placeOf(n: number): number {
  return (((length - tap - 1 - n) % length) + length) % length
}

let cooked: readonly bigint[] | undefined

/** The register after all those steps. */
function cookedWords(): readonly bigint[] {
  if (cooked !== undefined) return cooked
  const register = seedWords(1, 10n)
  const sequence = Array.from({ length }, (_, i) => register[placeOf(i - length)])
  for (let i = length; i < 2 * length - 1; i++) {
    sequence.push(BigInt.asUintN(64, sequence[i - length] + sequence[i - tap]))
  }
  const weights = powerOfX(cookingSteps).reverse()
  const last = product(weights, sequence).slice(length - 1, 2 * length - 1)
  const words: bigint[] = new Array(length)
  const firstPlace = cookingSteps - length
  for (let i = 0; i < length; i++) words[placeOf((firstPlace + i) % length)] = last[i]
  cooked = words
  return words
}

export class GoRandom {
  readonly #low = new Uint32Array(length)
  readonly #high = new Uint32Array(length)
  #tap = 0
  #feed = length - tap

  constructor(seed: bigint) {
    const rest = Number(seed % 0x7fff_ffffn)
    const start = rest < 0 ? rest + 0x7fff_ffff : rest
    const words = seedWords(start === 0 ? 89_482_311 : start, 20n)
    const base = cookedWords()
    for (let i = 0; i < length; i++) {
      const word = words[i] ^ base[i]
      this.#low[i] = Number(BigInt.asUintN(32, word))
      this.#high[i] = Number(BigInt.asUintN(32, word >> 32n))
    }
  }

  /** The register moves on; its newest number is at `#feed`. */
  #step(): number {
    this.#tap = this.#tap === 0 ? length - 1 : this.#tap - 1
    this.#feed = this.#feed === 0 ? length - 1 : this.#feed - 1
    const feed = this.#feed
    const low = this.#low[feed] + this.#low[this.#tap]
    this.#low[feed] = low
    this.#high[feed] += this.#high[this.#tap] + (low >= wordSize ? 1 : 0)
    return feed
  }

  #int31(): number {
    return this.#high[this.#step()] & 0x7fff_ffff
  }

  /** Of 32 bits, with a sign. */
  #int32(): number {
    const at = this.#step()
    return (this.#high[at] << 1) | (this.#low[at] >>> 31)
  }

  /** From 0 up to 1. */
  float(): number {
    for (;;) {
      const at = this.#step()
      const value = ((this.#high[at] & 0x7fff_ffff) * wordSize + this.#low[at]) / 2 ** 63
      if (value < 1) return value
    }
  }

  /** From 0 up to `bound`, which is at most 2³¹ - 1. */
  below(bound: number): number {
    if ((bound & (bound - 1)) === 0) return this.#int31() & (bound - 1)
    const max = 2 ** 31 - 1 - (2 ** 31 % bound)
    let value = this.#int31()
    while (value > max) value = this.#int31()
    return value % bound
  }

  /** With mean 0 and standard deviation 1. */
  normal(): number {
    for (;;) {
      const j = this.#int32()
      const strip = j & 0x7f
      const x = j * ziggurat.widths[strip]
      if (Math.abs(j) < ziggurat.inner[strip]) return x
      if (strip === 0) return this.#tail(j > 0)
      const { heights } = ziggurat
      const rise = Math.fround(heights[strip - 1] - heights[strip])
      const over = Math.fround(Math.fround(this.float()) * rise)
      if (Math.fround(heights[strip] + over) < Math.fround(Math.exp(-0.5 * x * x))) return x
    }
  }

  #tail(isPositive: boolean): number {
    for (;;) {
      const x = -Math.log(this.float()) * (1 / tailStart)
      const y = -Math.log(this.float())
      if (y + y >= x * x) return isPositive ? tailStart + x : -tailStart - x
    }
  }
}

const stripCount = 128
/** Where the lowest strip ends and the tail begins; all strips have the area `stripArea`. */
const tailStart = 3.442619855899
const stripArea = 9.91256303526217e-3

interface Ziggurat {
  /** Of a draw that lies inside of its strip for sure. */
  readonly inner: Uint32Array
  readonly widths: Float32Array
  readonly heights: Float32Array
}

function newZiggurat(): Ziggurat {
  const scale = 2 ** 31
  const inner = new Uint32Array(stripCount)
  const widths = new Float32Array(stripCount)
  const heights = new Float32Array(stripCount)
  const density = (x: number): number => Math.exp(-0.5 * x * x)
  const base = stripArea / density(tailStart)
  inner[0] = (tailStart / base) * scale
  widths[0] = base / scale
  heights[0] = 1
  widths[stripCount - 1] = tailStart / scale
  heights[stripCount - 1] = density(tailStart)
  let edge = tailStart
  for (let i = stripCount - 2; i >= 1; i--) {
    const next = Math.sqrt(-2 * Math.log(stripArea / edge + density(edge)))
    inner[i + 1] = (next / edge) * scale
    edge = next
    heights[i] = density(edge)
    widths[i] = edge / scale
  }
  return { inner, widths, heights }
}

const ziggurat = newZiggurat()
