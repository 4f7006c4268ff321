// Columns that are worked out from others: arithmetic, comparisons, conditions and some functions over floats, integers
// and truth values, whole columns at a time. What DuckDB would refuse, or count in more digits than a float has, is
// left to it (`LeftToEngine`): integers beyond 2^53, and floats that are no numbers any more.

import type { Column } from '../../column/column.js'
import { isWide } from '../../column/column.js'
import type { ResultColumn } from '../../query/language.js'

/** Nothing of the answer was given yet: an engine carries the query out instead. */
export class LeftToEngine extends Error {}

export type ComputedType = 'float' | 'integer' | 'boolean'

/** Truth values are 1 and 0. Where there is no value, anything. */
export interface Numbers {
  readonly values: Float64Array
  readonly validity: Uint8Array | undefined
}

export interface Expression {
  readonly type: ComputedType
  /** Of constants alone: DuckDB counts with 32 bits there. */
  readonly isSmall?: boolean
  evaluate(inputs: readonly Numbers[], rowCount: number): Numbers
}

export function computedColumn(
  expression: Expression,
  inputs: readonly ResultColumn[],
  rowCount: number,
): Column {
  const { values, validity } = expression.evaluate(inputs.map(numbersOf), rowCount)
  const { type } = expression
  return type === 'boolean'
    ? { type, values: Uint8Array.from(values), validity }
    : { type, values, validity }
}

function numbersOf(column: ResultColumn): Numbers {
  if (column.type === 'float' || column.type === 'integer') {
    if (isWide(column)) throw new LeftToEngine()
    return { values: column.values as Float64Array, validity: column.validity }
  }
  if (column.type !== 'boolean') throw new LeftToEngine()
  return { values: Float64Array.from(column.values), validity: column.validity }
}

export function inputAt(type: ComputedType, place: number): Expression {
  return { type, evaluate: (inputs) => inputs[place] }
}

/** undefined: null. */
export function constantOf(type: ComputedType, value: number | undefined): Expression {
  return {
    type,
    isSmall: type === 'integer' && Math.abs(value ?? 0) < 2 ** 31,
    evaluate: (_, rowCount) => ({
      values: new Float64Array(rowCount).fill(value ?? 0),
      validity: value === undefined ? new Uint8Array(rowCount) : undefined,
    }),
  }
}

/** What two numbers that are there give; undefined: nothing. */
type Compute = (a: number, b: number) => number | undefined

function both(
  type: ComputedType,
  left: Expression,
  right: Expression,
  compute: Compute,
): Expression {
  return {
    type,
    evaluate: (inputs, rowCount) => {
      const a = left.evaluate(inputs, rowCount)
      const b = right.evaluate(inputs, rowCount)
      const values = new Float64Array(rowCount)
      let validity: Uint8Array | undefined
      for (let row = 0; row < rowCount; row++) {
        const result =
          isThere(a, row) && isThere(b, row) ? compute(a.values[row], b.values[row]) : undefined
        if (result !== undefined) values[row] = result
        else {
          validity ??= new Uint8Array(rowCount).fill(1)
          validity[row] = 0
        }
      }
      return { values, validity }
    },
  }
}

function isThere({ validity }: Numbers, row: number): boolean {
  return validity === undefined || validity[row] !== 0
}

/** What is divided by zero has no value. */
const computes: Readonly<Record<string, Compute>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '%': (a, b) => (b === 0 ? undefined : a % b),
}

export function arithmetic(
  name: string,
  left: Expression,
  right: Expression,
): Expression | undefined {
  if (left.type === 'boolean' || right.type === 'boolean') return undefined
  const isWhole = left.type === 'integer' && right.type === 'integer'
  if (isWhole && left.isSmall === true && right.isSmall === true) return undefined
  const divide: Compute = isWhole
    ? (a, b) => (b === 0 ? undefined : (a - (a % b)) / b)
    : (a, b) => (b === 0 ? undefined : a / b)
  const compute = name === '/' ? divide : computes[name]
  if (compute === undefined) return undefined
  return isWhole
    ? both('integer', left, right, (a, b) => exact(compute(a, b)))
    : both('float', left, right, (a, b) => finite(compute(a, b)))
}

function exact(value: number | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!Number.isSafeInteger(value)) throw new LeftToEngine()
  // An integer has no zero with a sign.
  return value + 0
}

function finite(value: number | undefined): number | undefined {
  if (value !== undefined && !Number.isFinite(value)) throw new LeftToEngine()
  return value
}

const verdicts: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

export function comparison(
  op: string,
  left: Expression,
  right: Expression,
): Expression | undefined {
  if ((left.type === 'boolean') !== (right.type === 'boolean')) return undefined
  const verdict = verdicts[op]
  return both('boolean', left, right, (a, b) => (verdict(a, b) ? 1 : 0))
}

/** One side may decide alone; else what is not known stays so. */
export function conjunction(kind: 'and' | 'or', left: Expression, right: Expression): Expression {
  const deciding = kind === 'or' ? 1 : 0
  return {
    type: 'boolean',
    evaluate: (inputs, rowCount) => {
      const a = left.evaluate(inputs, rowCount)
      const b = right.evaluate(inputs, rowCount)
      const values = new Float64Array(rowCount)
      const validity = new Uint8Array(rowCount).fill(1)
      for (let row = 0; row < rowCount; row++) {
        const [hasA, hasB] = [isThere(a, row), isThere(b, row)]
        const isDecided =
          (hasA && a.values[row] === deciding) || (hasB && b.values[row] === deciding)
        values[row] = isDecided ? deciding : 1 - deciding
        if (!isDecided && !(hasA && hasB)) validity[row] = 0
      }
      return { values, validity }
    },
  }
}

/** Of each number that is there. */
export function each(
  type: ComputedType,
  part: Expression,
  compute: (value: number) => number,
): Expression {
  return {
    type,
    isSmall: type === 'integer' && part.isSmall === true,
    evaluate: (inputs, rowCount) => {
      const { values, validity } = part.evaluate(inputs, rowCount)
      return { values: values.subarray(0, rowCount).map(compute), validity }
    },
  }
}

export function isNull(part: Expression, isNegated: boolean): Expression {
  return {
    type: 'boolean',
    evaluate: (inputs, rowCount) => {
      const found = part.evaluate(inputs, rowCount)
      const values = new Float64Array(rowCount)
      for (let row = 0; row < rowCount; row++)
        values[row] = isThere(found, row) === isNegated ? 1 : 0
      return { values, validity: undefined }
    },
  }
}

/** The value of the first test that holds, or that of `otherwise`; all values are of one type. */
export function choice(
  checks: readonly { readonly when: Expression; readonly value: Expression }[],
  otherwise: Expression,
): Expression {
  const values = [...checks.map(({ value }) => value), otherwise]
  return {
    type: otherwise.type,
    isSmall: values.every(({ isSmall }) => isSmall === true),
    evaluate: (inputs, rowCount) => {
      const last = otherwise.evaluate(inputs, rowCount)
      const values = last.values.slice(0, rowCount)
      const validity = last.validity?.slice(0, rowCount) ?? new Uint8Array(rowCount).fill(1)
      for (const { when, value: own } of [...checks].reverse()) {
        const test = when.evaluate(inputs, rowCount)
        const value = own.evaluate(inputs, rowCount)
        for (let row = 0; row < rowCount; row++) {
          if (!isThere(test, row) || test.values[row] === 0) continue
          values[row] = value.values[row]
          validity[row] = isThere(value, row) ? 1 : 0
        }
      }
      return { values, validity }
    },
  }
}
