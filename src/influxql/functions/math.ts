// Functions of one row, and their work: kernels from columns to a column. No value in,
// no value out; strings and booleans count as no value; what has no real answer is NaN. Logarithms
// and powers go the way Go's do, since others differ in the last digit where it shows: 1000 is 10 to
// the power of 3, not of 2.9999999999999996.

import type { Column, FieldType, Value } from '../../column/column.js'
import { multiplyAdd } from '../../query/multiply-add.js'
import { type MathSpec, numberTypes } from './function-spec.js'

type Unary = (x: number) => number
type Binary = (x: number, y: number) => number

export const mathFunctions = {
  abs: rounding(Math.abs),
  floor: rounding(Math.floor),
  ceil: rounding(Math.ceil),
  round: rounding(roundHalfAway),
  sin: unary(Math.sin),
  cos: unary(Math.cos),
  tan: unary(Math.tan),
  asin: unary(Math.asin),
  acos: unary(Math.acos),
  atan: unary(Math.atan),
  exp: unary(Math.exp),
  ln: unary(Math.log),
  log2: unary(log2),
  log10: unary(log10),
  sqrt: unary(Math.sqrt),
  atan2: binary(Math.atan2),
  pow: binary(pow),
  log: { ...binary((x, base) => Math.log(x) / Math.log(base)), ignoresSecond: true },
} satisfies Record<string, MathSpec>

function unary(kernel: Unary): MathSpec {
  return { kind: 'math', argumentCounts: [1, 1], takes: numberTypes, kernel }
}

/** These leave integers as they are: `abs` too. */
function rounding(kernel: Unary): MathSpec {
  return { ...unary(kernel), keepsIntegers: true }
}

function binary(kernel: Binary): MathSpec {
  return { kind: 'math', argumentCounts: [2, 2], takes: numberTypes, kernel }
}

function isNumeric(type: FieldType | undefined): boolean {
  return type !== 'string' && type !== 'boolean'
}

/** One or two columns. What is no function of so many arguments has no values. */
export function evaluateMath(spec: MathSpec, columns: readonly Column[], rowCount: number): Column {
  const [first, second] = columns
  if (!takesCount(spec, columns.length)) {
    return { type: 'float', values: new Float64Array(rowCount), validity: new Uint8Array(rowCount) }
  }
  if (spec.keepsIntegers && (first.type === 'integer' || first.type === 'unsigned')) return first
  const values = new Float64Array(rowCount)
  if (second === undefined) applyUnary(spec.kernel as Unary, first, values)
  else applyBinary(spec.kernel, first, second, values)
  return { type: 'float', values, validity: commonValidity(columns, rowCount) }
}

/**
 * The same for single values, as InfluxDB computes calls on literals: null where a value is of no use to the function,
 * undefined where it is no function of so many arguments.
 */
export function evaluateMathLiteral(
  spec: MathSpec,
  values: readonly (Value | null)[],
): number | bigint | null | undefined {
  if (!takesCount(spec, values.length)) return undefined
  const numbers = values.filter((value) => typeof value === 'number' || typeof value === 'bigint')
  if (numbers.length < values.length) return null
  const [first, second] = numbers
  if (spec.keepsIntegers && typeof first === 'bigint') return first
  return spec.kernel(Number(first), Number(second))
}

function takesCount({ argumentCounts: [min, max] }: MathSpec, count: number): boolean {
  return count >= min && count <= max
}

function applyUnary(kernel: Unary, column: Column, out: Float64Array): void {
  const { values } = column
  for (let row = 0; row < out.length; row++) out[row] = kernel(Number(values[row]))
}

function applyBinary(kernel: Binary, left: Column, right: Column, out: Float64Array): void {
  const a = left.values
  const b = right.values
  for (let row = 0; row < out.length; row++) out[row] = kernel(Number(a[row]), Number(b[row]))
}

/** Rows where every column has a number. */
function commonValidity(columns: readonly Column[], rowCount: number): Uint8Array | undefined {
  if (columns.some((column) => !isNumeric(column.type))) return new Uint8Array(rowCount)
  let common: Uint8Array | undefined
  for (const { validity } of columns) {
    if (validity === undefined) continue
    common ??= new Uint8Array(rowCount).fill(1)
    for (let row = 0; row < rowCount; row++) common[row] &= validity[row]
  }
  return common
}

function roundHalfAway(x: number): number {
  const whole = Math.trunc(x)
  return Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole
}

/** x as a fraction in [0.5, 1) and a power of two. Only for finite numbers above zero. */
function split(x: number): { fraction: number; exponent: number } {
  let exponent = Math.max(-1022, Math.floor(Math.log2(x))) + 1
  // In two steps: 2 to the power of 1074 is more than a float can hold.
  const half = Math.trunc(exponent / 2)
  let fraction = x / 2 ** half / 2 ** (exponent - half)
  while (fraction >= 1) {
    fraction /= 2
    exponent++
  }
  while (fraction < 0.5) {
    fraction *= 2
    exponent--
  }
  return { fraction, exponent }
}

function log2(x: number): number {
  if (!(x > 0) || x === Number.POSITIVE_INFINITY) return Math.log(x)
  const { fraction, exponent } = split(x)
  if (fraction === 0.5) return exponent - 1
  return multiplyAdd(Math.log(fraction), Math.LOG2E, exponent)
}

/** ln 2 / ln 10, rounded once. */
const log10Of2 = 0.3010299956639812

function log10(x: number): number {
  return log2(x) * log10Of2
}

/** Whole exponents by squaring, the rest of an exponent as exp(rest × ln x). */
function pow(x: number, y: number): number {
  const isOrdinary = Number.isFinite(x) && Number.isFinite(y) && x !== 0 && Math.abs(y) < 2 ** 31
  if (!isOrdinary || x === 1 || (x < 0 && !Number.isInteger(y))) return special(x, y)
  if (Math.abs(y) === 0.5) return y > 0 ? Math.sqrt(x) : 1 / Math.sqrt(x)
  let whole = Math.trunc(Math.abs(y))
  let rest = Math.abs(y) - whole
  if (rest > 0.5) {
    rest--
    whole++
  }
  let result = rest === 0 ? 1 : Math.exp(rest * Math.log(x))
  let square = x
  for (let left = whole; left > 0; left >>>= 1) {
    if (left & 1) result *= square
    square *= square
  }
  const answer = y < 0 ? 1 / result : result
  // Squares may leave the range of floats where the answer does not.
  return Number.isFinite(answer) && answer !== 0 ? answer : x ** y
}

/** Unlike JavaScript, 1 to whatever power is 1, and so is -1 to an infinite one. */
function special(x: number, y: number): number {
  if (x === 1 || (x === -1 && Math.abs(y) === Number.POSITIVE_INFINITY)) return 1
  return x ** y
}
