// Aggregates that need no more than a few numbers per table: count, sum, mean, spread, stddev, skew.
// Means and moments are taken in the order of the rows and updated value by value, which stays exact
// where the difference of two large sums would not.

import type { Cell, CellType, ValueCells } from '../../../query/table.js'
import type { Definitions } from '../../package/define.js'
import { extremeInt64, sumInt64, wrapInt64 } from '../../table/int64.js'
import { floatsOf, isNumberType, validCount } from '../../table/numbers.js'
import { FluxError } from '../../value/error.js'
import { type Accumulator, aggregate } from './aggregate.js'

class Count implements Accumulator {
  readonly type = 'int'
  #count = 0

  /** Rows without a value count too. */
  add(_cells: ValueCells, rowCount: number): void {
    this.#count += rowCount
  }

  value(): bigint {
    return BigInt(this.#count)
  }
}

class FloatSum implements Accumulator {
  readonly type = 'float'
  #sum = 0
  #count = 0

  add(cells: ValueCells, rowCount: number): void {
    const { validity } = cells
    const values = cells.values as Float64Array
    let sum = this.#sum
    for (let row = 0; row < rowCount; row++) {
      if (validity === undefined || validity[row] !== 0) sum += values[row]
    }
    this.#sum = sum
    this.#count += validCount(validity, rowCount)
  }

  value(): number | null {
    return this.#count === 0 ? null : this.#sum
  }
}

/** Wraps at 64 bits. */
class IntSum implements Accumulator {
  readonly type: 'int' | 'uint'
  #sum = 0n
  #count = 0

  constructor(type: 'int' | 'uint') {
    this.type = type
  }

  add({ values, validity }: ValueCells, rowCount: number): void {
    this.#sum += sumInt64(values as BigInt64Array, validity, rowCount)
    this.#count += validCount(validity, rowCount)
  }

  value(): bigint | null {
    return this.#count === 0 ? null : wrapInt64(this.#sum, this.type)
  }
}

class Mean implements Accumulator {
  readonly type = 'float'
  #sum = 0
  #count = 0

  add(cells: ValueCells, rowCount: number): void {
    const { values, validity } = floatsOf(cells, rowCount)
    let sum = this.#sum
    for (let row = 0; row < rowCount; row++) {
      if (validity === undefined || validity[row] !== 0) sum += values[row]
    }
    this.#sum = sum
    this.#count += validCount(validity, rowCount)
  }

  value(): number | null {
    return this.#count === 0 ? null : this.#sum / this.#count
  }
}

class FloatSpread implements Accumulator {
  readonly type = 'float'
  #min = Number.NaN
  #max = Number.NaN
  #isSet = false

  add({ values, validity }: ValueCells, rowCount: number): void {
    for (let row = 0; row < rowCount; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      const value = values[row] as number
      if (!this.#isSet || value < this.#min) this.#min = value
      if (!this.#isSet || value > this.#max) this.#max = value
      this.#isSet = true
    }
  }

  value(): number | null {
    return this.#isSet ? this.#max - this.#min : null
  }
}

class IntSpread implements Accumulator {
  readonly type: 'int' | 'uint'
  #min: bigint | undefined
  #max: bigint | undefined

  constructor(type: 'int' | 'uint') {
    this.type = type
  }

  add(cells: ValueCells, rowCount: number): void {
    const values = cells.values as BigInt64Array
    const min = extremeInt64(values, cells.validity, rowCount, 'min')
    if (min < 0) return
    const max = extremeInt64(values, cells.validity, rowCount, 'max')
    if (this.#min === undefined || values[min] < this.#min) this.#min = values[min]
    if (this.#max === undefined || values[max] > this.#max) this.#max = values[max]
  }

  value(): bigint | null {
    if (this.#min === undefined || this.#max === undefined) return null
    return wrapInt64(this.#max - this.#min, this.type)
  }
}

/** Welford's running moments. */
class StandardDeviation implements Accumulator {
  readonly type = 'float'
  /** 1 for a sample, 0 for the whole population. */
  readonly #correction: number
  #count = 0
  #mean = 0
  #squares = 0

  constructor(correction: number) {
    this.#correction = correction
  }

  add(cells: ValueCells, rowCount: number): void {
    const { values, validity } = floatsOf(cells, rowCount)
    for (let row = 0; row < rowCount; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      const value = values[row]
      this.#count++
      const delta = value - this.#mean
      this.#mean += delta / this.#count
      this.#squares += delta * (value - this.#mean)
    }
  }

  value(): number | null {
    if (this.#count === 0) return null
    const count = this.#count - this.#correction
    return count < 1 ? Number.NaN : Math.sqrt(this.#squares / count)
  }
}

class Skew implements Accumulator {
  readonly type = 'float'
  #count = 0
  #mean = 0
  #squares = 0
  #cubes = 0

  add(cells: ValueCells, rowCount: number): void {
    const { values, validity } = floatsOf(cells, rowCount)
    for (let row = 0; row < rowCount; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      const before = this.#count++
      const delta = values[row] - this.#mean
      const share = delta / this.#count
      const growth = delta * share * before
      this.#cubes += growth * share * (this.#count - 2) - 3 * share * this.#squares
      this.#squares += growth
      this.#mean += share
    }
  }

  value(): Cell | null {
    if (this.#count === 0) return null
    if (this.#count < 2) return Number.NaN
    return (Math.sqrt(this.#count) * this.#cubes) / this.#squares ** 1.5
  }
}

function newCount(type: CellType): Accumulator | undefined {
  return type === 'time' ? undefined : new Count()
}

function newSum(type: CellType): Accumulator | undefined {
  if (type === 'float') return new FloatSum()
  return isNumberType(type) ? new IntSum(type) : undefined
}

function newSpread(type: CellType): Accumulator | undefined {
  if (type === 'float') return new FloatSpread()
  return isNumberType(type) ? new IntSpread(type) : undefined
}

const forNumbers =
  (make: () => Accumulator) =>
  (type: CellType): Accumulator | undefined =>
    isNumberType(type) ? make() : undefined

const signature = '(<-tables: stream[A], ?column: string) => stream[B] where A: Record, B: Record'

const stddevSignature =
  '(<-tables: stream[A], ?column: string, ?mode: string) => stream[B] where A: Record, B: Record'

export const aggregates: Definitions = {
  count: aggregate(signature, () => newCount),
  sum: aggregate(signature, () => newSum),
  mean: aggregate(signature, () => forNumbers(() => new Mean())),
  spread: aggregate(signature, () => newSpread),
  skew: aggregate(signature, () => forNumbers(() => new Skew())),
  stddev: aggregate(stddevSignature, (call) => {
    const mode = call.string('mode', 'sample')
    if (mode !== 'sample' && mode !== 'population') {
      throw new FluxError(`"${mode}" is not a valid standard deviation mode`)
    }
    const correction = mode === 'sample' ? 1 : 0
    return forNumbers(() => new StandardDeviation(correction))
  }),
}
