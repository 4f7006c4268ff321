// The turns of a query on a thread of its own: whatever else came to the thread is let in between two of them, and a
// query that was told to pause waits for its place on the machine.

import { setImmediate } from 'node:timers/promises'
import type { RunTurns } from '../../platform/run-turns.js'

export class ThreadTurns implements RunTurns {
  #pause: Promise<void> | undefined
  #endPause: (() => void) | undefined

  async next(): Promise<void> {
    await setImmediate()
    await this.#pause
  }

  resumed(): undefined {}

  enterHeavy(): undefined {}

  pause(): void {
    this.#pause ??= new Promise((resolve) => {
      this.#endPause = resolve
    })
  }

  /** Also when it is stopped. */
  resume(): void {
    this.#endPause?.()
    this.#pause = undefined
    this.#endPause = undefined
  }
}
