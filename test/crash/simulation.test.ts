// The engine on a simulated disk that crashes: random histories, a crash clone at any operation, a
// new engine on each clone, and the question whether what it shows can be explained. A recovered
// engine then lives on and crashes again. MILLRACE_SEED=n replays one round, MILLRACE_CRASH_ROUNDS=n
// runs so many; a failure names its seed.

import { expect, it } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import { type Crash, History, recoverFrom } from './history.js'

const environment = process.env
const rounds = environment.MILLRACE_CRASH_ROUNDS
/** How long new rounds are begun where their number is not given. */
const budgetMs = 25_000
const onlySeed = environment.MILLRACE_SEED
/** Other seeds every day would find more, and nobody could tell why a change failed: these stay. */
const firstSeed = 1

interface Count {
  crashes: number
  seconds: number
}

async function round(seed: number, count: Count): Promise<void> {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const crashRandom = seededRandom(seed + 0x10000)
  const options = { steps: 60, crashesMax: 8 }
  const history = new History(disk, seededRandom(seed), crashRandom, options)
  await history.run()
  for (const [i, crash] of history.crashes.entries()) {
    count.crashes++
    // Follows from the round's seed alone, so that a replay does the same.
    await liveOn(crash, seed * 1000 + i, history.nextNumber, count)
  }
}

/** After a crash: a shorter history from the state that was found, and what its crashes leave. */
async function liveOn(crash: Crash, seed: number, firstNumber: number, count: Count) {
  const { where } = crash
  const random = seededRandom(seed)
  const { state, disk } = await recoverFrom(crash, random)
  const options = { steps: 12, crashesMax: 2, base: state, firstNumber }
  const history = new History(disk, random, seededRandom(seed + 0x20000), options)
  try {
    await history.run()
    for (const second of history.crashes) {
      count.seconds++
      await recoverFrom(second, random)
    }
  } catch (error) {
    throw new Error(`after ${where}: ${(error as Error).message}`, { cause: error })
  }
}

it('shows exactly what was acknowledged, whenever it crashes', { timeout: 0 }, async () => {
  const first = onlySeed === undefined ? firstSeed : Number(onlySeed)
  const last = onlySeed === undefined ? Number(rounds ?? Infinity) : first
  const deadline = rounds === undefined ? performance.now() + budgetMs : Infinity
  const count = { crashes: 0, seconds: 0 }
  let seed = first
  for (; seed <= last && performance.now() < deadline; seed++) {
    try {
      await round(seed, count)
    } catch (error) {
      const reason = (error as Error).message
      throw new Error(`replay with MILLRACE_SEED=${seed}: ${reason}`, { cause: error })
    }
  }
  // A simulation that never crashed would prove nothing.
  expect(count.crashes).toBeGreaterThan(seed - first)
  expect(count.seconds).toBeGreaterThan(0)
  console.info(`${seed - first} rounds, ${count.crashes} crashes, ${count.seconds} second ones`)
})
