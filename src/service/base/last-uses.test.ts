// When tokens were last used: told at once, written together, and not lost where
// the catalog is away for a moment.

import { expect, it, onTestFinished } from 'vitest'
import { Catalog } from '../../catalog/catalog.js'
import { ManualClock } from '../../platform/clock.js'
import { seededRandom } from '../../platform/random.js'
import { LastUses } from './last-uses.js'

const second = 1_000_000_000n

it('tells the minute of the last use, before and after it is written', async () => {
  const clock = new ManualClock(1_700_000_030n * second)
  const catalog = await Catalog.open({ path: ':memory:', clock, random: seededRandom(3) })
  onTestFinished(() => catalog.close())
  let used = new Set<string>()
  const takeUsed = () => {
    const taken = used
    used = new Set()
    return taken
  }
  const { tokenUses } = catalog
  let isAway = false
  const kept = Object.create(tokenUses, {
    add: {
      value: (minutes: Map<string, number>) =>
        isAway ? Promise.reject(new Error('away')) : tokenUses.add(minutes),
    },
    of: { value: (ids: string[]) => tokenUses.of(ids) },
  })
  const uses = new LastUses(clock, { takeUsed }, kept)
  const told = async () => Object.fromEntries(await uses.of(['a', 'b', 'c']))
  expect(await told()).toEqual({})
  used.add('a').add('b')
  const first = '2023-11-14T22:13:00.000000000Z'
  expect(await told()).toEqual({ a: first, b: first })
  await uses.save()
  expect(await told()).toEqual({ a: first, b: first })
  clock.advance(120n * second)
  used.add('a')
  isAway = true
  await expect(uses.save()).rejects.toThrow('away')
  const later = '2023-11-14T22:15:00.000000000Z'
  expect(await told()).toEqual({ a: later, b: first })
  isAway = false
  await uses.save()
  const fresh = new LastUses(clock, { takeUsed }, tokenUses)
  expect(Object.fromEntries(await fresh.of(['a', 'b', 'c']))).toEqual({ a: later, b: first })
})
