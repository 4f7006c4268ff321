// The engine on a simulated disk that crashes: random histories, a crash clone at any operation, a
// new engine on each clone, and the question whether what it shows can be explained. A recovered
// engine then lives on and crashes again. MILLRACE_SEED=n replays one round, of the size that
// MILLRACE_CRASH_SIZE tells, MILLRACE_CRASH_ROUNDS=n runs so many; a failure names its seed.

import { expect, it } from 'vitest'
import { round } from './rounds.js'

const environment = process.env
/** Three hundred more crash this engine below the whole service (`service-simulation.test.ts`). */
const rounds = Number(environment.MILLRACE_CRASH_ROUNDS ?? 100)
const size = environment.MILLRACE_CRASH_SIZE === 'large' ? 'large' : 'small'
const onlySeed = environment.MILLRACE_SEED
/** Other seeds every day would find more, and nobody could tell why a change failed: these stay. */
const firstSeed = 1

it('shows exactly what was acknowledged, whenever it crashes', { timeout: 0 }, async () => {
  const first = onlySeed === undefined ? firstSeed : Number(onlySeed)
  const last = onlySeed === undefined ? rounds : first
  const count = { crashes: 0, seconds: 0 }
  const began = process.cpuUsage()
  let seed = first
  for (; seed <= last; seed++) {
    try {
      await round(seed, count, size)
    } catch (error) {
      const reason = (error as Error).message
      throw new Error(`replay with MILLRACE_SEED=${seed}: ${reason}`, { cause: error })
    }
  }
  // A simulation that never crashed would prove nothing.
  expect(count.crashes).toBeGreaterThan(seed - first)
  expect(count.seconds).toBeGreaterThan(0)
  const { user, system } = process.cpuUsage(began)
  const spent = `${Math.round((user + system) / 1e6)} s of CPU`
  console.info(
    `${seed - first} rounds in ${spent}, ${count.crashes} crashes, ${count.seconds} second ones`,
  )
})
