// Tests of random input, in rounds: from seed 1 on as many as the suite has time for, with `MILLRACE_SEED=7
// MILLRACE_ROUNDS=50` where nobody was.

import { expect } from 'vitest'

const firstSeed = Number(process.env.MILLRACE_SEED ?? 1)

export class RandomRounds {
  readonly #count: number

  constructor(usualCount: number) {
    this.#count = Number(process.env.MILLRACE_ROUNDS ?? usualCount)
  }

  get timeout(): number {
    return 60_000 * (1 + this.#count)
  }

  /** `round` gives what it found wrong. */
  async findNothing(round: (seed: number) => Promise<readonly string[]>): Promise<void> {
    const wrong: string[] = []
    for (let seed = firstSeed; seed < firstSeed + this.#count; seed++) {
      wrong.push(...(await round(seed)))
    }
    expect(wrong).toEqual([])
  }
}
