// Averages that move along with the rows of `_value`: movingAverage over the last n, and the exponential
// ones, whose first value is the mean of the first n and from then on takes in each value with the weight
// 2 / (n + 1). doubleEMA, tripleEMA and tripleExponentialDerivative run averages of averages; each begins
// when the one before has its first value. Rows before the first value are left out; a table with too few
// rows keeps its last one, with what the average was by then.

import type { Cells, TableColumn } from '../../../query/table.js'
import {
  type Call,
  type Definitions,
  type FunctionDefinition,
  transformation,
} from '../../package/define.js'
import { floatCells, floatsOf, isNumberType } from '../../table/numbers.js'
import { columnIndex, type Table } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { type RunningColumn, runColumns } from './running-column.js'

const valueColumn = '_value'

/** Sums of so few values are cheap to add up anew, and then as exact as they can be. */
const shortLength = 64

/** The mean of those of the last n rows that have a value. */
class MovingAverage implements RunningColumn {
  readonly type = 'float'
  readonly #n: number
  /** Values of the last rows, as many as came, at most n. */
  #ring = new Float64Array(16)
  #valid = new Uint8Array(16)
  #rows = 0
  /** Of the finite values in the ring. */
  #sum = 0
  #count = 0
  /** Values in the ring that no sum would ever get rid of again. */
  #infinite = 0
  #negativeInfinite = 0
  #notNumbers = 0

  constructor(n: number) {
    this.#n = n
  }

  get heldBytes(): number {
    return 9 * this.#ring.length
  }

  next(cells: Cells, rowCount: number): Cells {
    const { values, validity } = floatsOf(cells, rowCount)
    const means = new Float64Array(rowCount)
    const valid = new Uint8Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      this.#push(values[row], validity === undefined || validity[row] !== 0)
      const wild = this.#infinite + this.#negativeInfinite + this.#notNumbers
      if (this.#count + wild === 0) continue
      means[row] = wild === 0 ? this.#sum / this.#count : this.#wildMean()
      valid[row] = 1
    }
    return floatCells(means, valid)
  }

  #push(value: number, hasValue: boolean): void {
    const place = this.#rows % this.#n
    if (place >= this.#ring.length) this.#grow()
    if (this.#rows >= this.#n && this.#valid[place] !== 0) this.#weigh(this.#ring[place], -1)
    this.#ring[place] = value
    this.#valid[place] = hasValue ? 1 : 0
    if (hasValue) this.#weigh(value, 1)
    this.#rows++
    // Every n rows at least, so that what was rounded does not pile up.
    if (place === 0 || this.#n <= shortLength) this.#addUp()
  }

  #weigh(value: number, sign: 1 | -1): void {
    if (Number.isFinite(value)) {
      this.#sum += sign * value
      this.#count += sign
    } else if (value > 0) this.#infinite += sign
    else if (value < 0) this.#negativeInfinite += sign
    else this.#notNumbers += sign
  }

  #addUp(): void {
    const held = Math.min(this.#rows, this.#n)
    let sum = 0
    for (let i = 0; i < held; i++) {
      if (this.#valid[i] !== 0 && Number.isFinite(this.#ring[i])) sum += this.#ring[i]
    }
    this.#sum = sum
  }

  #wildMean(): number {
    if (this.#notNumbers > 0) return Number.NaN
    if (this.#infinite > 0 && this.#negativeInfinite > 0) return Number.NaN
    return this.#infinite > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  }

  #grow(): void {
    const length = Math.min(this.#n, 2 * this.#ring.length)
    const ring = new Float64Array(length)
    const valid = new Uint8Array(length)
    ring.set(this.#ring)
    valid.set(this.#valid)
    this.#ring = ring
    this.#valid = valid
  }
}

/** One average, fed row by row. */
export class ExponentialAverage {
  readonly #n: number
  readonly #weight: number
  #rows = 0
  #count = 0
  #average = 0

  constructor(n: number, weight = 2 / (n + 1)) {
    this.#n = n
    this.#weight = weight
  }

  /** n rows came. */
  get isReady(): boolean {
    return this.#rows >= this.#n
  }

  get hasValue(): boolean {
    return this.#count > 0
  }

  /** 0 where there is none. */
  get value(): number {
    return this.#average
  }

  add(value: number): void {
    if (this.#count === 0) this.#average = value
    else if (this.isReady) {
      this.#average = value * this.#weight + this.#average * (1 - this.#weight)
    } else this.#average = (this.#average * this.#count + value) / (this.#count + 1)
    this.#count++
    this.#rows++
  }

  addNull(): void {
    this.#rows++
  }
}

/** Averages of averages. */
class Averages {
  readonly levels: readonly ExponentialAverage[]

  constructor(n: number, levelCount: number) {
    this.levels = Array.from({ length: levelCount }, () => new ExponentialAverage(n))
  }

  add(value: number, hasValue: boolean): void {
    let [next, hasNext] = [value, hasValue]
    for (const level of this.levels) {
      if (hasNext) level.add(next)
      else level.addNull()
      if (!level.isReady) return
      next = level.value
      hasNext = level.hasValue
    }
  }

  get isReady(): boolean {
    return this.levels[this.levels.length - 1].isReady
  }

  /** Of level i; one that has not begun tells what the level before does. */
  at(i: number): ExponentialAverage {
    const isFed = i === 0 || this.levels[i - 1].isReady
    return isFed ? this.levels[i] : this.at(i - 1)
  }
}

/** What is shown of the averages: their factors, added up. */
class AveragedColumn implements RunningColumn {
  readonly type = 'float'
  readonly #averages: Averages
  readonly #factors: readonly number[]

  constructor(n: number, factors: readonly number[]) {
    this.#averages = new Averages(n, factors.length)
    this.#factors = factors
  }

  next(cells: Cells, rowCount: number): Cells {
    const { values, validity } = floatsOf(cells, rowCount)
    const averages = this.#averages
    const results = new Float64Array(rowCount)
    const valid = new Uint8Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      averages.add(values[row], validity === undefined || validity[row] !== 0)
      let result = 0
      let hasValue = 1
      for (let i = 0; i < this.#factors.length; i++) {
        const level = averages.at(i)
        result += this.#factors[i] * level.value
        if (!level.hasValue) hasValue = 0
      }
      results[row] = result
      valid[row] = hasValue
    }
    return floatCells(results, valid)
  }
}

/** By how many percent the third average changes from row to row. */
class TripleDerivative implements RunningColumn {
  readonly type = 'float'
  readonly #averages: Averages
  #before: number | undefined

  constructor(n: number) {
    this.#averages = new Averages(n, 3)
  }

  next(cells: Cells, rowCount: number): Cells {
    const { values, validity } = floatsOf(cells, rowCount)
    const changes = new Float64Array(rowCount)
    const valid = new Uint8Array(rowCount)
    const third = this.#averages.levels[2]
    for (let row = 0; row < rowCount; row++) {
      this.#averages.add(values[row], validity === undefined || validity[row] !== 0)
      if (!this.#averages.isReady) continue
      const now = third.hasValue ? third.value : undefined
      if (now !== undefined && this.#before !== undefined) {
        changes[row] = (now / this.#before - 1) * 100
        valid[row] = 1
      }
      this.#before = now
    }
    return floatCells(changes, valid)
  }
}

/** A period, checked: at least 1, and no larger than rows can be counted. */
export function periodOf(call: Call, refusal: (n: bigint) => string): number {
  const n = call.int('n')
  if (n <= 0n) throw new FluxError(refusal(n))
  return Number(n)
}

interface Average {
  /** `cannot take … of column`. */
  readonly name: string
  /** `cannot take … with a period of`. */
  readonly periodName: string
  readonly skipCount: (n: number) => number
  readonly column: (n: number) => RunningColumn
}

function average(type: string, { name, periodName, skipCount, column }: Average) {
  return transformation(type, (call) => {
    const n = periodOf(
      call,
      (n) => `cannot take ${periodName} with a period of ${n} (must be greater than 0)`,
    )
    const columnOf = (found: TableColumn, table: Table): RunningColumn | undefined => {
      if (columnIndex(table.columns, valueColumn) < 0) {
        throw new FluxError(`cannot find ${valueColumn} column`)
      }
      if (found.name !== valueColumn) return undefined
      if (isNumberType(found.type)) return column(n)
      throw new FluxError(`cannot take ${name} of column ${found.name} (type ${found.type})`)
    }
    const running = { columnOf, skipCount: skipCount(n), keepsLast: true }
    return (input, context) => runColumns(input, context, running)
  })
}

function exponential(type: string, factors: readonly number[]): FunctionDefinition {
  return average(type, {
    name: 'exponential moving average',
    periodName: 'moving average',
    skipCount: (n) => factors.length * (n - 1),
    column: (n) => new AveragedColumn(n, factors),
  })
}

const numberSignature = `(<-tables: stream[{B with _value: A}], n: int) =>
  stream[{B with _value: A}] where A: Numeric`

const floatSignature = `(<-tables: stream[{B with _value: A}], n: int) =>
  stream[{B with _value: float}] where A: Numeric`

const recordSignature = `(<-tables: stream[{B with _value: A}], n: int) =>
  stream[{B with _value: float}] where A: Numeric, B: Record`

export const movingAverages: Definitions = {
  movingAverage: average(floatSignature, {
    name: 'moving average',
    periodName: 'moving average',
    skipCount: (n) => n - 1,
    column: (n) => new MovingAverage(n),
  }),
  exponentialMovingAverage: exponential(numberSignature, [1]),
  doubleEMA: exponential(floatSignature, [2, -1]),
  tripleEMA: exponential(floatSignature, [3, -3, 1]),
  tripleExponentialDerivative: average(recordSignature, {
    name: 'exponential moving average',
    periodName: 'triple exponential derivative',
    skipCount: (n) => 3 * (n - 1) + 1,
    column: (n) => new TripleDerivative(n),
  }),
}
