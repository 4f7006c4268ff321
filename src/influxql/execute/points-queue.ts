// The points of a call that wait to be joined with those of other calls. They are made when they are
// asked for: windows to be filled may be more than there is memory or time for.

import type { Points } from '../functions/points.js'

export class PointsQueue {
  readonly #flows: Iterator<Points>[] = []
  #head: Points | undefined

  /** Points behind all that were added before. Nothing is taken from them yet. */
  add(flow: Iterable<Points>): void {
    this.#flows.push(flow[Symbol.iterator]())
  }

  /** The first block, which may have no points; undefined: there is none. */
  get head(): Points | undefined {
    while (this.#head === undefined && this.#flows.length > 0) {
      const { value, done } = this.#flows[0].next()
      if (done === true) this.#flows.shift()
      else this.#head = value
    }
    return this.#head
  }

  /** Takes the first block away, or a part of it: what is left of it stays. */
  shift(left?: Points): void {
    this.#head = left
  }
}
