// How much of the serving thread queries have that compute for longer than a turn, while others use it too: after a
// turn the thread belongs to the others until it was idle for as long as that turn took, or three times as long has
// passed. So others keep three quarters of it where they want that much, and such queries have what nobody else needs.

/** What others have of the thread for each part of the turns, where they use it. */
const othersParts = 3

export class TurnPace {
  #tookMs = 0
  #endedAt = Number.NEGATIVE_INFINITY
  #idleBefore = 0

  turnEnded(tookMs: number): void {
    this.#tookMs = tookMs
    this.#endedAt = performance.now()
    this.#idleBefore = idleMs()
  }

  /** Whether the others have had their part. */
  get isDue(): boolean {
    if (performance.now() - this.#endedAt >= othersParts * this.#tookMs) return true
    return idleMs() - this.#idleBefore >= this.#tookMs
  }
}

/** How long the thread has waited for something to do since it began. */
function idleMs(): number {
  return performance.eventLoopUtilization().idle
}
