// One round of the simulation: a random history on a disk that crashes, a new engine on what each crash left, and a
// shorter history from there with crashes of its own. Everything follows from the seed.

import { seededRandom } from '../../src/platform/random.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import { type Crash, History, recoverFrom } from './history.js'

export interface Count {
  crashes: number
  seconds: number
}

export async function round(seed: number, count: Count): Promise<void> {
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
