// The whole service on a disk that crashes, from HTTP down to the store and the catalog: one round as is played by
// hand, and three hundred small ones (`test/proofs/service-rounds.ts`). MILLRACE_SEED=n plays one of these,
// MILLRACE_CRASH_SIZE=large with it the large one; `npm run simulate` plays as many as one likes.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServiceCount, ServiceStart, serviceRound } from '../proofs/service-rounds.js'

const { MILLRACE_SEED: seedText, MILLRACE_CRASH_SIZE: size } = process.env
const rounds = Number(process.env.MILLRACE_CRASH_ROUNDS ?? 300)
let start: ServiceStart

beforeAll(async () => {
  start = await new ServiceStart().setUp()
}, 300_000)

afterAll(() => start.remove())

async function play(first: number, last: number, from?: ServiceStart) {
  const count: ServiceCount = { crashes: 0, changes: 0, torn: {} }
  for (let seed = first; seed <= last; seed++) {
    try {
      await serviceRound(seed, count, from)
    } catch (error) {
      const replay = from === undefined ? 'MILLRACE_CRASH_SIZE=large ' : ''
      const { message } = error as Error
      throw new Error(`${replay}MILLRACE_SEED=${seed}: ${message}`, { cause: error })
    }
  }
  return count
}

it('has what it acknowledged over several crashes, whenever the power goes', {
  timeout: 0,
}, async () => {
  if (seedText !== undefined && size !== 'large') return
  const seed = Number(seedText ?? 1)
  const { crashes, changes } = await play(seed, seed)
  expect(crashes).toBe(3)
  // Otherwise nobody was at work.
  expect(changes).toBeGreaterThan(1)
})

it('has what it acknowledged in hundreds of histories', { timeout: 0 }, async () => {
  if (seedText !== undefined && size === 'large') return
  const first = Number(seedText ?? 1)
  const last = seedText === undefined ? rounds : first
  const began = process.cpuUsage()
  const { crashes, changes, torn } = await play(first, last, start)
  const { user, system } = process.cpuUsage(began)
  const kinds = JSON.stringify(torn)
  console.info(
    `${crashes} crashes, ${changes} changes, ${(user + system) / 1e6} s of CPU, ${kinds}`,
  )
  expect(crashes).toBe(last - first + 1)
  expect(changes).toBeGreaterThan(last - first)
  if (last - first < 99) return
  for (const kind of ['log', 'log whole', 'database', 'new log'] as const) {
    expect(torn[kind], kind).toBeGreaterThan(0)
  }
})
