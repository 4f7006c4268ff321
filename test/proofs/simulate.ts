// The simulation of crashes for as long as one likes, with seeds that nobody has tried: `npm run simulate -- --minutes
// N [--seed N]`, the store alone and, for a third of the time, the whole service, with a folder of a released version
// and one that a backup is restored into for each round of it. A seed that fails is named: it
// replays with MILLRACE_CRASH_SIZE=large MILLRACE_SEED=n in `test/crash/simulation.test.ts`, and that of a service, as
// far as its requests meet in the same order again, in `test/crash/service-simulation.test.ts`, those of folders in
// `test/crash/openings.test.ts`.

import { round } from '../crash/rounds.js'
import { BackedUp, openingRound, restoreRound } from './service-openings.js'
import { type ServiceCount, serviceRound } from './service-rounds.js'

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
  readonly serviceRounds: number
  readonly service: ServiceCount
  readonly wrong: readonly string[]
}

export async function simulate(options: SimulateOptions): Promise<SimulateReport> {
  const endAt = Date.now() + options.minutes * 60_000
  const count = { crashes: 0, seconds: 0 }
  const wrong: string[] = []
  const service = { crashes: 0, changes: 0, torn: {} }
  const backedUp = await BackedUp.make()
  const ofService = async (seed: number) => {
    await serviceRound(seed, service)
    await openingRound(seed)
    await restoreRound(seed, backedUp)
  }
  let rounds = 0
  let serviceRounds = 0
  let storeMs = 0
  let serviceMs = 0
  while (Date.now() < endAt && wrong.length < 5) {
    const isService = serviceMs * 2 < storeMs
    const seed = options.seed + (isService ? serviceRounds++ : rounds++)
    const startedAt = Date.now()
    try {
      await (isService ? ofService(seed) : round(seed, count, 'large'))
    } catch (error) {
      const where = isService ? 'service, ' : ''
      const size = isService ? '' : 'MILLRACE_CRASH_SIZE=large '
      wrong.push(`${where}${size}MILLRACE_SEED=${seed}: ${(error as Error).message}`)
    }
    if (isService) serviceMs += Date.now() - startedAt
    else storeMs += Date.now() - startedAt
    if ((rounds + serviceRounds) % 50 === 0) {
      const both = `${count.crashes} and ${service.crashes} crashes`
      options.tell?.(`${rounds} rounds, ${serviceRounds} of the service, ${both}`)
    }
  }
  return { rounds, ...count, serviceRounds, service, wrong }
}
