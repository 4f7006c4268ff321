// Lists of deletes stay short and say the same: whatever comes in whatever order, the same rows are gone as if each
// delete were kept by itself.

import { expect, test } from 'vitest'
import { seededRandom } from '../../../platform/random.js'
import type { Tombstone } from '../files/manifest.js'
import { takesAll, weightOf, withTombstone } from './tombstone-list.js'

const span = { minTime: 0n, maxTime: 99n }

function listOf(...tombstones: readonly Tombstone[]): readonly Tombstone[] {
  return tombstones.reduce<readonly Tombstone[]>((list, t) => withTombstone(list, t, span), [])
}

const host = (value: string) => ({ kind: 'tag', tag: 'host', op: '=', value }) as const

test('spans of the same series that touch become one, across those between them', () => {
  const list = listOf(
    { start: 0n, stop: 10n },
    { start: 20n, stop: 30n },
    { start: 10n, stop: 20n },
  )
  expect(list).toEqual([{ start: 0n, stop: 30n }])
  expect(listOf({ start: 0n, stop: 10n }, { start: 11n, stop: 20n })).toHaveLength(2)
})

test('what is covered is left out, and what lies outside the segment does not count', () => {
  const all: Tombstone = { start: -5n, stop: 500n, measurement: 'm' }
  const list = listOf({ start: 1n, stop: 2n, measurement: 'm', predicate: host('a') }, all)
  expect(list).toEqual([{ start: 0n, stop: 100n, measurement: 'm' }])
  expect(withTombstone(list, { start: 3n, stop: 4n, measurement: 'm' }, span)).toBe(list)
  expect(withTombstone(list, { start: 100n, stop: 200n }, span)).toBe(list)
  expect(withTombstone(list, { start: 3n, stop: 4n, measurement: 'n' }, span)).toHaveLength(2)
})

test('series of the same span become one choice, and each counts', () => {
  const made = ['a', 'b', 'c', 'b'].map((value) => ({
    ...{ start: 0n, stop: 50n },
    predicate: host(value),
  }))
  const list = listOf(...made)
  expect(list).toHaveLength(1)
  expect(weightOf(list)).toBe(3)
  expect(list[0].predicate).toEqual({ kind: 'or', parts: [host('a'), host('b'), host('c')] })
})

test('a segment is gone where everything in it is', () => {
  expect(takesAll(listOf({ start: 0n, stop: 100n }), span, ['m', 'n'])).toBe(true)
  expect(takesAll(listOf({ start: 0n, stop: 99n }), span, ['m'])).toBe(false)
  const ofBoth = listOf(
    { start: 0n, stop: 100n, measurement: 'm' },
    { start: 0n, stop: 100n, measurement: 'n' },
  )
  expect(takesAll(ofBoth, span, ['m', 'n'])).toBe(true)
  expect(takesAll(ofBoth, span, ['m', 'n', 'o'])).toBe(false)
})

test('at random: the same rows are gone', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed)
    const made = Array.from({ length: 1 + random.below(12) }, (): Tombstone => {
      const start = BigInt(random.below(110) - 5)
      const what = random.below(2) === 0 ? {} : { measurement: `m${random.below(2)}` }
      const which = random.below(2) === 0 ? {} : { predicate: host(`h${random.below(3)}`) }
      return { start, stop: start + BigInt(random.below(40)), ...what, ...which }
    })
    const list = listOf(...made)
    expect(list.length).toBeLessThanOrEqual(made.length)
    const wrong = rows.filter(
      ([measurement, value, time]) =>
        list.some((t) => takes(t, measurement, value, time)) !==
        made.some((t) => takes(t, measurement, value, time)),
    )
    expect(wrong, `seed ${seed}`).toEqual([])
  }
})

const rows = ['m0', 'm1'].flatMap((measurement) =>
  ['h0', 'h1', 'h2'].flatMap((value) =>
    Array.from({ length: 100 }, (_, time) => [measurement, value, BigInt(time)] as const),
  ),
)

function takes(t: Tombstone, measurement: string, value: string, time: bigint): boolean {
  if (time < t.start || time >= t.stop) return false
  if (t.measurement !== undefined && t.measurement !== measurement) return false
  const parts = t.predicate?.kind === 'or' ? t.predicate.parts : [t.predicate]
  return parts.some((part) => part === undefined || (part.kind === 'tag' && part.value === value))
}
