// The whole service on a disk that crashes, from HTTP down to the store and the catalog: some rounds of
// `test/proofs/service-rounds.ts`. MILLRACE_SEED=n plays one, `npm run simulate` as many as one likes.

import { expect, it } from 'vitest'
import { serviceRound } from '../proofs/service-rounds.js'

const { MILLRACE_SEED: onlySeed } = process.env
const budgetMs = 8000

it('has what it acknowledged, whenever the power goes', { timeout: 300_000 }, async () => {
  const first = onlySeed === undefined ? 1 : Number(onlySeed)
  const deadline = performance.now() + budgetMs
  const count = { crashes: 0, changes: 0 }
  let seed = first
  do {
    try {
      await serviceRound(seed, count)
    } catch (error) {
      throw new Error(`MILLRACE_SEED=${seed}: ${(error as Error).message}`, { cause: error })
    }
    seed++
  } while (onlySeed === undefined && performance.now() < deadline)
  console.info(`${seed - first} rounds, ${count.crashes} crashes, ${count.changes} changes`)
  expect(count.crashes).toBe(3 * (seed - first))
  // Otherwise nobody was at work.
  expect(count.changes).toBeGreaterThan(seed - first)
})
