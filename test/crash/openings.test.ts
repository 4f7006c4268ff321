// Folders that a service comes to, with power cuts: those of released versions, and those that a backup is restored
// into (`test/proofs/service-openings.ts`). MILLRACE_SEED=n plays one seed of each; `npm run simulate` plays more.

import { mkdirSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { startServer } from '../../src/index.js'
import { temporaryFolder } from '../api/harness.js'
import { BackedUp, openingRound, restoreRound } from '../proofs/service-openings.js'

const { MILLRACE_SEED: seedText } = process.env
const seeds = seedText === undefined ? 8 : 1
const first = Number(seedText ?? 1)
let backedUp: BackedUp

beforeAll(async () => {
  backedUp = await BackedUp.make()
}, 300_000)

async function play(round: (seed: number) => Promise<void>): Promise<void> {
  for (let seed = first; seed < first + seeds; seed++) {
    try {
      await round(seed)
    } catch (error) {
      const { message } = error as Error
      throw new Error(`MILLRACE_SEED=${seed}: ${message}`, { cause: error })
    }
  }
}

it('opens what a released version has left, whenever the power goes', { timeout: 0 }, async () => {
  await play(openingRound)
})

it('has all of a restored backup, or restores it again, whenever the power goes', {
  timeout: 0,
}, async () => {
  await play((seed) => restoreRound(seed, backedUp))
})

it('starts on no folder in which a restore was broken off', async () => {
  const dataDir = temporaryFolder()
  mkdirSync(`${dataDir}/restore-work/store`, { recursive: true })
  await expect(startServer({ dataDir, noTasks: true })).rejects.toThrow('run it again')
})
