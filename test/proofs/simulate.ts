// The simulation of crashes for as long as one likes, with seeds that nobody has tried: `npm run simulate -- --minutes
// N [--seed N]`. A seed that fails is named, and replays with MILLRACE_SEED=n in `test/crash/simulation.test.ts`.

import { round } from '../crash/rounds.js'

export interface SimulateOptions {
  readonly minutes: number
  /** Of the first round. */
  readonly seed: number
  readonly tell?: (text: string) => void
}

export interface SimulateReport {
  readonly rounds: number
  readonly crashes: number
  /** Of what had crashed before. */
  readonly seconds: number
  readonly wrong: readonly string[]
}

export async function simulate(options: SimulateOptions): Promise<SimulateReport> {
  const endAt = Date.now() + options.minutes * 60_000
  const count = { crashes: 0, seconds: 0 }
  const wrong: string[] = []
  let rounds = 0
  for (; Date.now() < endAt && wrong.length < 5; rounds++) {
    const seed = options.seed + rounds
    try {
      await round(seed, count)
    } catch (error) {
      wrong.push(`MILLRACE_SEED=${seed}: ${(error as Error).message}`)
    }
    if (rounds % 50 === 49) options.tell?.(`${rounds + 1} rounds, ${count.crashes} crashes`)
  }
  return { rounds, ...count, wrong }
}
