// The engine on a simulated disk that crashes: random histories, a crash clone at any operation, a
// new engine on each clone, and the question whether what it shows can be explained. A recovered
// engine then lives on and crashes again. MILLRACE_SEED=n replays one round, MILLRACE_CRASH_ROUNDS=n
// runs so many; a failure names its seed.

import { expect, it } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { SimulatedDisk } from '../../src/platform/simulated-disk.js'
import { type Crash, History, recoverFrom } from './history.js'

const environment = process.env
const roundsDefault = 150
const rounds = Number(environment.MILLRACE_CRASH_ROUNDS ?? roundsDefault)
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
  const options = { steps: 120, crashesMax: 8 }
  const history = new History(disk, seededRandom(seed), crashRandom, options)
  await history.run()
  for (const crash of history.crashes) {
    count.crashes++
    await liveOn(crash, seed + count.crashes, history.nextNumber, count)
  }
}

/** After a crash: a shorter history from the state that was found, and what its crashes leave. */
async function liveOn(crash: Crash, seed: number, firstNumber: number, count: Count) {
  const { where } = crash
  // The first engine on the clone only looks; the history that follows starts with a crash of it.
  const base = await recoverFrom(crash)
  const again = crash.disk.crashClone({ random: seededRandom(seed), keep: 'random' })
  const options = { steps: 15, crashesMax: 2, base, firstNumber }
  const history = new History(again, seededRandom(seed), seededRandom(seed + 0x20000), options)
  try {
    await history.run()
    for (const second of history.crashes) {
      count.seconds++
      await recoverFrom(second)
    }
  } catch (error) {
    throw new Error(`after ${where}: ${(error as Error).message}`, { cause: error })
  }
}

it('shows exactly what was acknowledged, whenever it crashes', { timeout: 0 }, async () => {
  const seeds =
    onlySeed === undefined
      ? Array.from({ length: rounds }, (_, i) => firstSeed + i)
      : [Number(onlySeed)]
  const count = { crashes: 0, seconds: 0 }
  for (const seed of seeds) {
    try {
      await round(seed, count)
    } catch (error) {
      const reason = (error as Error).message
      throw new Error(`replay with MILLRACE_SEED=${seed}: ${reason}`, { cause: error })
    }
  }
  // A simulation that never crashed would prove nothing.
  expect(count.crashes).toBeGreaterThan(seeds.length)
  expect(count.seconds).toBeGreaterThan(0)
})
