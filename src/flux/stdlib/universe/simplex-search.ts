// Looks for the least value of a function of several numbers, downhill by simplex (Nelder and Mead), with
// steps that grow smaller the more numbers there are (Gao and Han). Of n + 1 corners the worst is reflected
// at the centre of the others, stretched further if that is the best so far, drawn in if it is no good,
// and if nothing helps all corners move towards the best one. The search ends when the best value has not
// fallen noticeably for many steps, or there were too many.
//
// Predictions must agree with Flux's, and a search goes elsewhere after any other step: the size of the
// first simplex, the order of its corners, the way the centre is carried along and the end are those of
// the optimizer that Flux uses (gonum). InfluxQL's differs in all four.

import type { Minimum, Objective } from '../../../query/holt-winters.js'
import { FluxError } from '../../value/error.js'

const edgeLength = 0.05
/** A best value that falls by less counts as one that stays. */
const noticeable = 1e-4
const stepsWithoutGainMax = 100
/** Few points can be fitted better and better for millions of steps; where it ends changes little by then. */
const stepsMax = 5000

interface Corner {
  readonly at: Float64Array
  readonly value: number
}

export function* searchSimplex(
  objective: Objective,
  start: Float64Array,
): Generator<void, Minimum, void> {
  const simplex = new Simplex(objective, start)
  yield* simplex.valueCorners()
  let best = simplex.first
  let stepsWithoutGain = 0
  for (let step = 0; step < stepsMax; step++) {
    const { value } = simplex.best
    if (best - value > noticeable) {
      best = value
      stepsWithoutGain = 0
    } else stepsWithoutGain++
    if (stepsWithoutGain === stepsWithoutGainMax) break
    yield* simplex.step()
  }
  return simplex.best
}

class Simplex {
  readonly #objective: Objective
  readonly #start: Float64Array
  readonly #size: number
  readonly #scratch: Float64Array
  readonly #centre: Float64Array
  /** Best first. */
  #corners: Corner[] = []
  /** The value at the start. */
  first = 0

  constructor(objective: Objective, start: Float64Array) {
    this.#objective = objective
    this.#start = start.slice()
    this.#size = start.length
    this.#scratch = new Float64Array(start.length)
    this.#centre = new Float64Array(start.length)
  }

  get best(): Corner {
    return this.#corners[0]
  }

  /** Must come before anything else. */
  *valueCorners(): Generator<void, void, void> {
    const start = this.#corner(this.#start)
    if (!Number.isFinite(start.value)) {
      throw new FluxError('holtWinters: initial function value is not finite')
    }
    this.first = start.value
    for (let i = 0; i < this.#size; i++) {
      yield
      const at = this.#start.slice()
      at[i] += edgeLength
      this.#corners.push(this.#corner(at))
    }
    this.#corners.push(start)
    this.#arrange()
  }

  *step(): Generator<void, void, void> {
    const size = this.#size
    const worst = this.#corners[size].value
    const reflected = this.#move(1)
    yield
    if (reflected.value < this.best.value) {
      const expanded = this.#move(1 + 2 / size)
      this.#replaceWorst(expanded.value < reflected.value ? expanded : reflected)
    } else if (reflected.value < this.#corners[size - 1].value) this.#replaceWorst(reflected)
    else {
      const isOutside = reflected.value < worst
      const factor = 0.75 - 1 / (2 * size)
      const contracted = this.#move(isOutside ? factor : -factor)
      const isGood = isOutside ? contracted.value <= reflected.value : contracted.value < worst
      if (isGood) this.#replaceWorst(contracted)
      else yield* this.#shrink()
    }
  }

  *#shrink(): Generator<void, void, void> {
    const best = this.best.at
    const factor = 1 - 1 / this.#size
    for (let i = 1; i <= this.#size; i++) {
      const { at } = this.#corners[i]
      this.#corners[i] = this.#corner(at.map((x, k) => (x - best[k]) * factor + best[k]))
      yield
    }
    this.#arrange()
  }

  /** The function gets a copy, as it may change what it is given. */
  #corner(at: Float64Array): Corner {
    this.#scratch.set(at)
    return { at, value: this.#objective(this.#scratch) }
  }

  /** From the worst corner through the centre and so much further. */
  #move(factor: number): Corner {
    const from = this.#corners[this.#size].at
    return this.#corner(this.#centre.map((x, i) => (x - from[i]) * factor + x))
  }

  #arrange(): void {
    this.#corners.sort((a, b) => a.value - b.value)
    for (let i = 0; i < this.#size; i++) {
      let sum = 0
      for (let corner = 0; corner < this.#size; corner++) sum += this.#corners[corner].at[i]
      this.#centre[i] = sum / this.#size
    }
  }

  /** The corner that is the worst afterwards leaves the centre, and the new one enters it. */
  #replaceWorst(corner: Corner): void {
    const corners = this.#corners
    const size = this.#size
    let place = size
    while (place > 0 && corners[place - 1].value >= corner.value) {
      corners[place] = corners[place - 1]
      place--
    }
    corners[place] = corner
    const leaving = corners[size].at
    const centre = this.#centre
    for (let i = 0; i < size; i++) {
      centre[i] += (-1 / size) * leaving[i]
      centre[i] += (1 / size) * corner.at[i]
    }
  }
}
