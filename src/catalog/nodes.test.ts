// A process among others that share a catalog: what keeps its lease alive. The catalog is a simple one of this file;
// test/cluster/ has the real one.

import { expect, it } from 'vitest'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import type { NodeSign, SharedDatabase } from './base/connection.js'
import { Nodes } from './nodes.js'

it('goes on to renew its lease though one answer of the catalog never came', async () => {
  const told: number[] = []
  const tellSeen = async ({ seenChange }: NodeSign) => {
    told.push(seenChange)
    return true
  }
  let answerLate: (change: number) => void = () => undefined
  const answers = [
    new Promise<number>((resolve) => {
      answerLate = resolve
    }),
    Promise.resolve(7),
  ]
  const nodes = new Nodes({
    shared: { tellSeen } as unknown as SharedDatabase,
    nodeId: 'one',
    programVersion: '',
    clock: systemClock,
    random: systemRandom,
    refresh: () => answers.shift() ?? Promise.reject(new Error('asked too often')),
    refreshMsMax: 1,
  })
  await nodes.heard()
  expect([nodes.isCurrent, told]).toEqual([false, []])
  await nodes.heard()
  expect([nodes.isCurrent, told]).toEqual([true, [7]])
  // What comes too late says nothing new.
  answerLate(3)
  await new Promise(setImmediate)
  expect(told).toEqual([7, 7])
})
