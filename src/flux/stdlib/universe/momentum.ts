// Indicators of momentum, from how far values rise and fall over the last n rows: the oscillator of
// Chande, 100 × (up − down) / (up + down); Kaufman's efficiency ratio, which is its size, and his moving
// average, which follows the faster the higher the ratio; and the index of relative strength, from averages
// of rises and falls. Rows without a value count as 0, as in Flux, except for the last one, which passes
// them over.

import type { Cells, TableColumn } from '../../../query/table.js'
import { type Call, type Definitions, transformation } from '../../package/define.js'
import { floatCells, floatsOf, isNumberType } from '../../table/numbers.js'
import { FluxError } from '../../value/error.js'
import { namedColumns } from './differences.js'
import { ExponentialAverage, periodOf } from './moving-averages.js'
import { type RunningColumn, runColumns } from './running-column.js'

/** The last n steps from value to value, and how far up and down they went. */
class Steps {
  readonly #n: number
  #ring = new Float64Array(16)
  #rows = 0
  #up = 0
  #down = 0
  before = 0

  constructor(n: number) {
    this.#n = n
  }

  get heldBytes(): number {
    return 8 * this.#ring.length
  }

  /** n rows came before this one. */
  get isFull(): boolean {
    return this.#rows > this.#n
  }

  /**
   * Takes in a value and gives the oscillator. `age`: how old the step is that is then forgotten; n is the oldest there
   * can be.
   */
  next(value: number, age: number): number {
    const place = this.#rows % (this.#n + 1)
    if (place >= this.#ring.length) this.#grow()
    const step = this.#rows === 0 ? 0 : value - this.before
    this.#ring[place] = step
    if (step > 0) this.#up += step
    else if (step < 0) this.#down -= step
    const oscillator = (100 * (this.#up - this.#down)) / (this.#up + this.#down)
    if (this.#rows >= this.#n) this.#forget(age)
    this.before = value
    this.#rows++
    return oscillator
  }

  #forget(age: number): void {
    const old = this.#ring[(this.#rows - age) % (this.#n + 1)]
    if (old > 0) this.#up -= old
    else this.#down += old
  }

  #grow(): void {
    const ring = new Float64Array(Math.min(this.#n + 1, 2 * this.#ring.length))
    ring.set(this.#ring)
    this.#ring = ring
  }
}

/** A row without a value reads as 0. */
function filledFloats(cells: Cells, rowCount: number): Float64Array {
  const { values, validity } = floatsOf(cells, rowCount)
  if (validity === undefined) return values
  return values.slice(0, rowCount).map((value, row) => (validity[row] === 0 ? 0 : value))
}

class Oscillator implements RunningColumn {
  readonly type = 'float'
  readonly #n: number
  readonly #steps: Steps
  readonly #isRatio: boolean

  constructor(n: number, isRatio: boolean) {
    this.#n = n
    this.#steps = new Steps(n)
    this.#isRatio = isRatio
  }

  get heldBytes(): number {
    return this.#steps.heldBytes
  }

  next(cells: Cells, rowCount: number): Cells {
    const values = filledFloats(cells, rowCount)
    const results = new Float64Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      const oscillator = this.#steps.next(values[row], this.#n - 1)
      results[row] = this.#isRatio ? Math.abs(oscillator) / 100 : oscillator
    }
    return floatCells(results, undefined)
  }
}

/** Weights of averages over 2 and over 30 rows: the fastest and the slowest that the moving average becomes. */
const fastest = 2 / (2 + 1)
const slowest = 2 / (30 + 1)

class AdaptiveAverage implements RunningColumn {
  readonly type = 'float'
  readonly #n: number
  readonly #steps: Steps
  #average: number | undefined

  constructor(n: number) {
    this.#n = n
    this.#steps = new Steps(n)
  }

  get heldBytes(): number {
    return this.#steps.heldBytes
  }

  next(cells: Cells, rowCount: number): Cells {
    const values = filledFloats(cells, rowCount)
    const averages = new Float64Array(rowCount)
    // With a period of 1 the step that was forgotten is the one before: so Flux has it.
    const age = this.#n === 1 ? 1 : this.#n - 1
    for (let row = 0; row < rowCount; row++) {
      const value = values[row]
      const { before } = this.#steps
      const ratio = Math.abs(this.#steps.next(value, age)) / 100
      if (!this.#steps.isFull) continue
      const average: number = this.#average ?? before
      const weight = (ratio * (fastest - slowest) + slowest) ** 2
      this.#average = average + weight * (value - average)
      averages[row] = this.#average
    }
    return floatCells(averages, undefined)
  }
}

class StrengthIndex implements RunningColumn {
  readonly type = 'float'
  readonly #up: ExponentialAverage
  readonly #down: ExponentialAverage
  /** Before the first value there was 0. */
  #before = 0

  constructor(n: number) {
    this.#up = new ExponentialAverage(n, 1 / n)
    this.#down = new ExponentialAverage(n, 1 / n)
  }

  next(cells: Cells, rowCount: number): Cells {
    const { values, validity } = floatsOf(cells, rowCount)
    const results = new Float64Array(rowCount)
    const valid = new Uint8Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      if (validity === undefined || validity[row] !== 0) {
        const step = values[row] - this.#before
        this.#up.add(Math.max(step, 0))
        this.#down.add(Math.max(-step, 0))
        this.#before = values[row]
      } else {
        this.#up.addNull()
        this.#down.addNull()
      }
      if (!this.#up.hasValue) continue
      results[row] = 100 - 100 / (1 + this.#up.value / this.#down.value)
      valid[row] = 1
    }
    return floatCells(results, valid)
  }
}

/** `name` as the refusals call the function. */
function columnsBy(
  names: ReadonlySet<string>,
  name: string,
  make: () => RunningColumn,
): (column: TableColumn) => RunningColumn | undefined {
  return (column) => {
    if (!names.has(column.name)) return undefined
    if (isNumberType(column.type)) return make()
    throw new FluxError(`cannot take ${name} of column ${column.name} (type ${column.type})`)
  }
}

function period(call: Call, name: string): number {
  return periodOf(call, (n) => `cannot take ${name} with a period of ${n} (must be greater than 0)`)
}

const columnsSignature = `(<-tables: stream[A], n: int, ?columns: [string]) => stream[B]
  where A: Record, B: Record`

const columnSignature = `(<-tables: stream[A], n: int, ?column: string) => stream[B]
  where A: Record, B: Record`

const ratioSignature = '(<-tables: stream[A], n: int) => stream[B] where A: Record, B: Record'

const oscillatorName = 'chande momentum oscillator'
const strengthName = 'relative strength index'

export const momentum: Definitions = {
  chandeMomentumOscillator: transformation(columnsSignature, (call) => {
    const n = period(call, oscillatorName)
    const make = (): RunningColumn => new Oscillator(n, false)
    const columnOf = columnsBy(namedColumns(call), oscillatorName, make)
    return (input, context) => runColumns(input, context, { columnOf, skipCount: n })
  }),
  kaufmansER: transformation(ratioSignature, (call) => {
    const n = period(call, oscillatorName)
    const make = (): RunningColumn => new Oscillator(n, true)
    const columnOf = columnsBy(new Set(['_value']), oscillatorName, make)
    return (input, context) => runColumns(input, context, { columnOf, skipCount: n })
  }),
  kaufmansAMA: transformation(columnSignature, (call) => {
    const n = period(call, 'KaufmansAMA')
    const names = new Set([call.string('column', '_value')])
    const columnOf = columnsBy(names, 'KAMA', () => new AdaptiveAverage(n))
    return (input, context) => runColumns(input, context, { columnOf, skipCount: n })
  }),
  relativeStrengthIndex: transformation(columnsSignature, (call) => {
    const n = period(call, strengthName)
    const columnOf = columnsBy(namedColumns(call), strengthName, () => new StrengthIndex(n))
    const running = { columnOf, skipCount: n, keepsLast: true }
    return (input, context) => runColumns(input, context, running)
  }),
}
