// Looks for the least value of a function of several numbers, downhill by simplex (Nelder and Mead):
// of n + 1 corners the worst is reflected at the centre of the others, stretched further if that is
// the best so far, drawn in if it is no good, and if nothing helps all corners move half way to the
// best one.
//
// Predictions must agree with InfluxDB's, and a search that ends when the corners are alike within a
// bound ends elsewhere after any other step. So this keeps to the order of InfluxDB's steps, and to
// three habits of it: the simplex starts with edges of length 1 in all directions; only the worst
// and the second worst corner are valued again after all have moved; and the function may change the
// numbers it is given (holt-winters keeps its factors within bounds that way).

import type { Minimum, Objective } from '../../query/holt-winters.js'

const iterationsMax = 1000

/** Yields after every step, so that others get their turn: the function may take long. */
export function* findMinimum(
  objective: Objective,
  start: Float64Array,
  epsilon: number,
): Generator<void, Minimum, void> {
  const simplex = new Simplex(objective, start)
  yield* simplex.valueCorners()
  for (let iteration = 0; iteration < iterationsMax; iteration++) {
    simplex.step()
    yield
    if (simplex.spread() < epsilon) break
  }
  return simplex.best()
}

class Simplex {
  readonly #objective: Objective
  readonly #size: number
  readonly #corners: Float64Array[]
  readonly #values: Float64Array
  readonly #centre: Float64Array
  readonly #reflected: Float64Array
  readonly #tried: Float64Array

  constructor(objective: Objective, start: Float64Array) {
    const size = start.length
    this.#objective = objective
    this.#size = size
    this.#centre = new Float64Array(size)
    this.#reflected = new Float64Array(size)
    this.#tried = new Float64Array(size)
    const far = (Math.sqrt(size + 1) - 1 + size) / (size * Math.SQRT2)
    const near = (Math.sqrt(size + 1) - 1) / (size * Math.SQRT2)
    this.#corners = [start.slice()]
    for (let corner = 0; corner < size; corner++) {
      this.#corners.push(start.map((x, i) => (i === corner ? far : near) + x))
    }
    this.#values = new Float64Array(size + 1)
  }

  /** Must come before anything else. */
  *valueCorners(): Generator<void, void, void> {
    for (let i = 0; i < this.#corners.length; i++) {
      this.#values[i] = this.#objective(this.#corners[i])
      yield
    }
  }

  step(): void {
    const values = this.#values
    const { worst, best, secondWorst } = this.#ranks()
    this.#findCentre(worst)
    const reflected = this.#move(this.#reflected, 1, this.#corners[worst])
    if (reflected < values[secondWorst] && reflected >= values[best]) {
      this.#replace(worst, this.#reflected, reflected)
    }
    if (reflected < values[best]) this.#expand(worst, reflected)
    if (reflected >= values[secondWorst]) this.#contract(worst, best, secondWorst, reflected)
  }

  /** How much the corners' values differ. */
  spread(): number {
    let sum = 0
    for (const value of this.#values) sum += value
    const mean = sum / (this.#size + 1)
    let squares = 0
    for (const value of this.#values) squares += ((value - mean) * (value - mean)) / this.#size
    return Math.sqrt(squares)
  }

  best(): Minimum {
    const corner = this.#corners[this.#ranks().best]
    const at = corner.slice()
    return { value: this.#objective(corner), at }
  }

  #ranks(): { worst: number; best: number; secondWorst: number } {
    const values = this.#values
    let worst = 0
    let best = 0
    for (let i = 0; i < values.length; i++) {
      if (values[i] > values[worst]) worst = i
      if (values[i] < values[best]) best = i
    }
    let secondWorst = best
    for (let i = 0; i < values.length; i++) {
      if (values[i] > values[secondWorst] && values[i] < values[worst]) secondWorst = i
    }
    return { worst, best, secondWorst }
  }

  #findCentre(worst: number): void {
    for (let i = 0; i < this.#size; i++) {
      let sum = 0
      for (let corner = 0; corner <= this.#size; corner++) {
        if (corner !== worst) sum += this.#corners[corner][i]
      }
      this.#centre[i] = sum / this.#size
    }
  }

  /** Sets `target` to the centre and `factor` times the way from `from` to it; returns the value there. */
  #move(target: Float64Array, factor: number, from: Float64Array): number {
    const centre = this.#centre
    for (let i = 0; i < this.#size; i++) target[i] = centre[i] + factor * (centre[i] - from[i])
    return this.#objective(target)
  }

  #expand(worst: number, reflected: number): void {
    const expanded = this.#move(this.#tried, -2, this.#reflected)
    if (expanded < reflected) this.#replace(worst, this.#tried, expanded)
    else this.#replace(worst, this.#reflected, reflected)
  }

  #contract(worst: number, best: number, secondWorst: number, reflected: number): void {
    const isOutside = reflected < this.#values[worst]
    const from = isOutside ? this.#reflected : this.#corners[worst]
    const contracted = this.#move(this.#tried, -0.5, from)
    if (contracted < this.#values[worst]) {
      this.#replace(worst, this.#tried, contracted)
      return
    }
    const target = this.#corners[best]
    for (const corner of this.#corners) {
      if (corner === target) continue
      for (let i = 0; i < this.#size; i++) corner[i] = target[i] + (corner[i] - target[i]) / 2
    }
    this.#values[worst] = this.#objective(this.#corners[worst])
    this.#values[secondWorst] = this.#objective(this.#corners[secondWorst])
  }

  #replace(corner: number, at: Float64Array, value: number): void {
    this.#corners[corner].set(at)
    this.#values[corner] = value
  }
}
