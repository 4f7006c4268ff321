// The package `math`: Go's functions of
// floats, and its constants.

import {
  type Call,
  constant,
  type Definition,
  type Definitions,
  native,
} from '../../package/define.js'
import { floatPower } from '../../value/operators.js'
import { type FluxValue, MapRecord, Uint } from '../../value/value.js'
import { besselJ, besselY } from './bessel.js'
import {
  float64Bits,
  float64FromBits,
  floorLog2,
  fractionAndExponent,
  nextAfter,
  scaleByPower,
} from './bits.js'
import { erf, erfc, erfInverse, gamma, logGamma } from './special.js'

const goldenRatio = (1 + Math.sqrt(5)) / 2

/** A function of `x` alone. */
function ofOne(fn: (x: number) => number): Definition {
  return native('(x: float) => float', (call) => fn(call.float('x')))
}

/** A function of two floats with these names. */
function ofTwo(a: string, b: string, fn: (a: number, b: number) => number): Definition {
  return native(`(${a}: float, ${b}: float) => float`, (call) => fn(call.float(a), call.float(b)))
}

function ofOrder(fn: (n: number, x: number) => number): Definition {
  return native('(n: int, x: float) => float', (call) => fn(Number(call.int('n')), call.float('x')))
}

function record(...properties: readonly (readonly [string, FluxValue])[]): FluxValue {
  return new MapRecord(new Map(properties))
}

const constants: Definitions = {
  pi: constant('float', Math.PI),
  e: constant('float', Math.E),
  phi: constant('float', goldenRatio),
  sqrt2: constant('float', Math.SQRT2),
  sqrte: constant('float', 1.6487212707001282),
  sqrtpi: constant('float', 1.772453850905516),
  sqrtphi: constant('float', 1.272019649514069),
  ln2: constant('float', Math.LN2),
  log2e: constant('float', Math.LOG2E),
  ln10: constant('float', Math.LN10),
  log10e: constant('float', Math.LOG10E),
  maxfloat: constant('float', Number.MAX_VALUE),
  smallestNonzeroFloat: constant('float', Number.MIN_VALUE),
  maxint: constant('int', 2n ** 63n - 1n),
  minint: constant('int', -(2n ** 63n)),
  maxuint: constant('uint', new Uint(2n ** 64n - 1n)),
}

const ofMath = [
  ...(['abs', 'acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'cbrt', 'ceil', 'cos'] as const),
  ...(['cosh', 'exp', 'expm1', 'floor', 'log', 'log10', 'log1p', 'log2', 'sin', 'sinh'] as const),
  ...(['sqrt', 'tan', 'tanh', 'trunc'] as const),
]

const functions: Definitions = {
  ...Object.fromEntries(ofMath.map((name) => [name, ofOne(Math[name])])),
  atan2: ofTwo('y', 'x', Math.atan2),
  copysign: ofTwo('x', 'y', (x, y) => (isNegative(x) === isNegative(y) ? x : -x)),
  dim: ofTwo('x', 'y', dim),
  erf: ofOne(erf),
  erfc: ofOne(erfc),
  erfcinv: ofOne((x) => erfInverse(1 - x)),
  erfinv: ofOne(erfInverse),
  exp2: ofOne((x) => 2 ** x),
  float64bits: native('(f: float) => uint', (call) => new Uint(float64Bits(call.float('f')))),
  float64frombits: native('(b: uint) => float', (call) => float64FromBits(call.uint('b'))),
  frexp: native('(f: float) => {frac: float, exp: int}', frexp),
  gamma: ofOne(gamma),
  hypot: ofTwo('p', 'q', Math.hypot),
  ilogb: native('(x: float) => int', (call) => exponentAsInt(call.float('x'))),
  mInf: native('(sign: int) => float', (call) => (call.int('sign') >= 0n ? 1 : -1) * Infinity),
  isInf: native('(f: float, sign: int) => bool', isInf),
  isNaN: native('(f: float) => bool', (call) => Number.isNaN(call.float('f'))),
  j0: ofOne((x) => besselJ(0, x)),
  j1: ofOne((x) => besselJ(1, x)),
  jn: ofOrder(besselJ),
  y0: ofOne((x) => besselY(0, x)),
  y1: ofOne((x) => besselY(1, x)),
  yn: ofOrder(besselY),
  ldexp: native('(frac: float, exp: int) => float', ldexp),
  lgamma: native('(x: float) => {lgamma: float, sign: int}', lgamma),
  logb: ofOne(exponentAsFloat),
  mMax: ofTwo('x', 'y', larger),
  mMin: ofTwo('x', 'y', (x, y) => -larger(-x, -y)),
  mod: ofTwo('x', 'y', (x, y) => x % y),
  modf: native('(f: float) => {int: float, frac: float}', modf),
  NaN: native('() => float', () => NaN),
  nextafter: ofTwo('x', 'y', nextAfter),
  pow: ofTwo('x', 'y', floatPower),
  pow10: native('(n: int) => float', (call) => Number(`1e${call.int('n')}`)),
  remainder: ofTwo('x', 'y', remainder),
  round: ofOne(roundAway),
  roundtoeven: ofOne(roundToEven),
  signbit: native('(x: float) => bool', (call) => isNegative(call.float('x'))),
  sincos: native('(x: float) => {sin: float, cos: float}', sincos),
}

export const mathBuiltins: Definitions = { ...constants, ...functions }

function isNegative(x: number): boolean {
  return x < 0 || Object.is(x, -0)
}

function dim(x: number, y: number): number {
  const difference = x - y
  return difference <= 0 ? 0 : difference
}

/** An infinity wins over NaN, as Go has it. */
function larger(x: number, y: number): number {
  return x === Infinity || y === Infinity ? Infinity : Math.max(x, y)
}

function frexp(call: Call): FluxValue {
  const { fraction, exponent } = fractionAndExponent(call.float('f'))
  return record(['frac', fraction], ['exp', BigInt(exponent)])
}

function ldexp(call: Call): number {
  return scaleByPower(call.float('frac'), Number(call.int('exp')))
}

const int32Max = 2n ** 31n - 1n

function exponentAsInt(x: number): bigint {
  if (x === 0) return -int32Max - 1n
  return Number.isFinite(x) ? BigInt(floorLog2(x)) : int32Max
}

function exponentAsFloat(x: number): number {
  if (x === 0) return -Infinity
  return Number.isFinite(x) ? floorLog2(x) : Number.isNaN(x) ? NaN : Infinity
}

function isInf(call: Call): boolean {
  const f = call.float('f')
  const sign = call.int('sign')
  return (sign >= 0n && f === Infinity) || (sign <= 0n && f === -Infinity)
}

function lgamma(call: Call): FluxValue {
  const { value, sign } = logGamma(call.float('x'))
  return record(['lgamma', value], ['sign', BigInt(sign)])
}

function modf(call: Call): FluxValue {
  const f = call.float('f')
  const int = Math.trunc(f)
  return record(['int', int], ['frac', Number.isFinite(f) ? f - int : NaN])
}

function sincos(call: Call): FluxValue {
  const x = call.float('x')
  return record(['sin', Math.sin(x)], ['cos', Math.cos(x)])
}

/** Halves away from zero. */
function roundAway(x: number): number {
  const size = Math.abs(x)
  const below = Math.floor(size)
  return Math.sign(x) * (size - below >= 0.5 ? below + 1 : below)
}

function roundToEven(x: number): number {
  const below = Math.floor(x)
  const rest = x - below
  if (rest !== 0.5) return rest > 0.5 ? below + 1 : below
  return below % 2 === 0 ? below : below + 1
}

/** What is left of x over the multiple of y that is nearest to it; of two, the even one. */
function remainder(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y) || !Number.isFinite(x) || y === 0) return NaN
  if (!Number.isFinite(y)) return x
  const size = Math.abs(y)
  let rest = Math.abs(x) % (2 * size)
  if (Number.isNaN(rest)) rest = Math.abs(x) % size
  if (rest > size / 2) {
    rest -= size
    if (rest >= size / 2) rest -= size
  }
  return (isNegative(x) ? -1 : 1) * rest
}
