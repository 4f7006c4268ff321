// Long work on the main thread in turns: whoever does it says where it could be interrupted, and gives the others their
// turn when it has taken long enough. Everything that ends within one turn ends without a promise.

import type { MaybePromise } from './pull-stream.js'
import { nextTurn } from './run-turns.js'

/** A request that waits for somebody else's turn to end should not notice. */
const turnMs = 5

/**
 * When the turn of everything that begins before the thread is free again ends: a question is several works one after
 * the other, and each with a turn of its own would hold the thread for all of them together.
 */
let sharedEndsAt: number | undefined

function endOfSharedTurn(): number {
  if (sharedEndsAt !== undefined) return sharedEndsAt
  sharedEndsAt = performance.now() + turnMs
  setImmediate(() => {
    sharedEndsAt = undefined
  })
  return sharedEndsAt
}

export class Turn {
  #endsAt = endOfSharedTurn()

  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Resolves when all others that wait have had their turn. Rejects where the signal is aborted by then. */
  async others(signal?: AbortSignal): Promise<void> {
    if (signal === undefined) await new Promise((resolve) => setImmediate(resolve))
    else await nextTurn(signal)
    this.#endsAt = performance.now() + turnMs
  }
}

/** Work that yields wherever it may be interrupted: often, some thousand steps of a loop apart. */
export type Work<T> = Generator<void, T, void>

/** The same without an end of turn, for whoever cannot wait. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

export interface WorkHolds {
  /** Called before others have their turn for the first time. */
  hold(): void
  /** Called once, when held work has ended, however it did. */
  release(): MaybePromise<void> | undefined
}

/** Does the work, in turns where it takes long. */
export function inTurns<T>(
  work: Work<T>,
  signal: AbortSignal | undefined,
  holds?: WorkHolds,
): MaybePromise<T> {
  const turn = new Turn()
  const first = stepsOf(work, turn)
  if (first.done === true) return first.value
  return goOn(work, turn, signal, holds)
}

function stepsOf<T>(work: Work<T>, turn: Turn): IteratorResult<void, T> {
  for (;;) {
    const step = work.next()
    if (step.done === true || turn.isOver) return step
  }
}

async function goOn<T>(
  work: Work<T>,
  turn: Turn,
  signal: AbortSignal | undefined,
  holds: WorkHolds | undefined,
): Promise<T> {
  holds?.hold()
  try {
    for (;;) {
      await turn.others(signal)
      const step = stepsOf(work, turn)
      if (step.done === true) return step.value
    }
  } finally {
    await holds?.release()
  }
}
