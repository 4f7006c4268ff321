// Whether anybody asks for anything: requests under way, and how long ago the last one was. For work
// that waits until nobody is kept waiting by it.

import type { Clock } from '../platform/clock.js'

export class Activity {
  readonly #clock: Clock
  #underWay = 0
  #lastAt = 0n

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(): void {
    this.#underWay++
  }

  end(): void {
    this.#underWay--
    this.#lastAt = this.#clock.now()
  }

  isQuietFor(ns: bigint): boolean {
    return this.#underWay === 0 && this.#clock.now() - this.#lastAt >= ns
  }
}
