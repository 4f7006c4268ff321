// One round of the simulation: a random history on a disk that crashes, a new engine on what each crash left, and a
// shorter history from there with crashes of its own. Everything follows from the seed and the size: many small rounds
// for the suite, large ones, which get further into merges and rewritten indexes, for runs of minutes.

import { seededRandom } from '../../src/platform/random.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import { type Crash, History, recoverFrom } from './history.js'

export interface Count {
  crashes: number
  seconds: number
}

export const roundSizes = {
  small: { steps: 24, crashesMax: 3, after: { steps: 8, crashesMax: 1 } },
  large: { steps: 60, crashesMax: 8, after: { steps: 12, crashesMax: 2 } },
} as const

export type RoundSize = keyof typeof roundSizes

export async function round(seed: number, count: Count, size: RoundSize): Promise<void> {
  const disk = new SimulatedDisk({ trackCrashes: true })
  const crashRandom = seededRandom(seed + 0x10000)
  const history = new History(disk, seededRandom(seed), crashRandom, roundSizes[size])
  await history.run()
  for (const [i, crash] of history.crashes.entries()) {
    count.crashes++
    // Follows from the round's seed alone, so that a replay does the same.
    await liveOn(crash, seed * 1000 + i, history.nextNumber, count, size)
  }
}

/** After a crash: a shorter history from the state that was found, and what its crashes leave. */
async function liveOn(
  crash: Crash,
  seed: number,
  firstNumber: number,
  count: Count,
  size: RoundSize,
) {
  const { where } = crash
  const random = seededRandom(seed)
  const { state, disk } = await recoverFrom(crash, random)
  const options = { ...roundSizes[size].after, base: state, firstNumber }
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
