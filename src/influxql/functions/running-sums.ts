// cumulative_sum and moving_average: sums that run along with the points, in the type of the points:
// floats round, integers are exact and wrap.

import { timeAt } from '../../column/time.js'
import { Int64Sum } from './int64-sum.js'
import type { Points, PointsBuilder, Transform } from './points.js'

type Numbers = Float64Array | BigInt64Array | BigUint64Array

/** One interface for sums of floats, which round, and of integers, which wrap. */
interface RunningSum {
  readonly value: number | bigint
  add(value: number | bigint): void
  subtract(value: number | bigint): void
  clear(): void
}

class FloatSum implements RunningSum {
  value = 0

  add(value: number): void {
    this.value += value
  }

  subtract(value: number): void {
    this.value -= value
  }

  clear(): void {
    this.value = 0
  }
}

function makeSum(type: 'float' | 'integer' | 'unsigned'): RunningSum {
  return type === 'float' ? new FloatSum() : new Int64Sum(type === 'integer')
}

export class CumulativeSumTransform implements Transform {
  readonly #sum: RunningSum

  constructor(type: 'float' | 'integer' | 'unsigned') {
    this.#sum = makeSum(type)
  }

  add(points: Points, out: PointsBuilder): void {
    const values = points.values.values as Numbers
    const { base, offsets } = points.times
    for (let row = 0; row < points.count; row++) {
      this.#sum.add(values[row])
      const { value } = this.#sum
      if (typeof value === 'number') out.pushNumber(value, base, offsets[row])
      else out.push(value, timeAt(points.times, row))
    }
  }

  finish(_out: PointsBuilder): void {
    this.#sum.clear()
  }
}

/**
 * The mean of the last n values, from the n-th on. The sum is carried along, as InfluxDB carries it: a NaN or an
 * infinity that came in never leaves it.
 */
export class MovingAverageTransform implements Transform {
  readonly #n: number
  readonly #sum: RunningSum
  #last: (number | bigint)[] = []
  #place = 0

  constructor(n: number, type: 'float' | 'integer' | 'unsigned') {
    this.#n = n
    this.#sum = makeSum(type)
  }

  add(points: Points, out: PointsBuilder): void {
    const values = points.values.values as Numbers
    const { base, offsets } = points.times
    for (let row = 0; row < points.count; row++) {
      if (this.#last.length === this.#n) this.#sum.subtract(this.#last[this.#place])
      this.#last[this.#place] = values[row]
      this.#sum.add(values[row])
      this.#place = (this.#place + 1) % this.#n
      if (this.#last.length < this.#n) continue
      out.pushNumber(Number(this.#sum.value) / this.#n, base, offsets[row])
    }
  }

  get heldBytes(): number {
    return this.#last.length * 8
  }

  finish(_out: PointsBuilder): void {
    this.#last = []
    this.#place = 0
    this.#sum.clear()
  }
}
