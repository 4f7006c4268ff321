// The part of the store contract about changes: which spans of a bucket changed since a moment, from when that is
// known, and that spans never miss a point, however many there are.

import { expect, test } from 'vitest'
import { allTime, nsPerHour, nsPerSecond } from '../../src/column/time.js'
import { type Bench, bucket, other } from './contract-bench.js'

const seconds = (n: number) => BigInt(n) * nsPerSecond

export function testChanges(bench: () => Bench): void {
  const changes = (since: bigint) => bench().store.changes(bucket, since)
  const spans = async (since: bigint) =>
    (await changes(since)).changes.map(({ range }) => `${range.start}-${range.stop}`)

  test('changes are known from when they are first asked for, and told since a moment', async () => {
    const { clock, write } = bench()
    clock.set(seconds(1000))
    await write(`m v=1 ${seconds(5)}`)
    const first = await changes(0n)
    expect(first.changes).toEqual([])
    expect(first.knownSince).toBeGreaterThanOrEqual(seconds(1000))
    clock.set(seconds(1010))
    await write(`m v=1 ${seconds(7)}\nm v=1 ${seconds(7) - 1n}\nn v=1 ${seconds(900)}`)
    await write(`m v=1 ${seconds(50)}`, other)
    expect(await spans(first.until)).toEqual([
      `${seconds(6)}-${seconds(7)}`,
      `${seconds(7)}-${seconds(8)}`,
      `${seconds(900)}-${seconds(901)}`,
    ])
    const { until, changes: told } = await changes(first.until)
    expect(told.every(({ at }) => at >= seconds(1010) && at < until)).toBe(true)
    expect((await changes(until)).changes).toEqual([])
    clock.set(seconds(1005))
    await write(`m v=2 ${seconds(7)}`)
    expect(await spans(until)).toEqual([`${seconds(7)}-${seconds(8)}`])
  })

  test('what is refused is no change; what is deleted is one; a dropped bucket has none', async () => {
    const { clock, store, write } = bench()
    clock.set(seconds(1000))
    const { until } = await changes(0n)
    await store.setBucket(bucket, { retentionNs: nsPerHour })
    clock.set(10n * nsPerHour)
    await write(`m v=1 ${seconds(5)}`)
    expect((await changes(until)).changes).toEqual([])
    const now = 10n * nsPerHour
    await write(`m v=1 ${now}`)
    const { until: later } = await changes(until)
    await store.delete({ bucket, range: { start: now, stop: now + 5n }, measurement: 'm' })
    const { changes: told } = await changes(later)
    expect(told.map(({ range }) => range)).toEqual([{ start: now, stop: now + 5n }])
    // Points that came say nothing of that.
    expect(told.map(({ removed }) => removed?.measurement)).toEqual(['m'])
    await store.dropBucket(bucket)
    const dropped = await changes(0n)
    expect(dropped.changes).toEqual([])
    expect(dropped.knownSince).toBeGreaterThan(later)
  })

  testForgottenChanges(bench)
}

function testForgottenChanges(bench: () => Bench): void {
  const changes = (since: bigint) => bench().store.changes(bucket, since)

  test('after an hour changes are forgotten, which is said', async () => {
    const { clock, write } = bench()
    clock.set(seconds(1000))
    const { knownSince } = await changes(0n)
    await write('m v=1 1')
    clock.set(seconds(1000) + nsPerHour / 2n)
    expect((await changes(0n)).changes).toHaveLength(1)
    expect((await changes(0n)).knownSince).toBe(knownSince)
    clock.set(seconds(1010) + nsPerHour)
    await write(`m v=1 ${seconds(99)}`)
    const later = await changes(0n)
    expect(later.changes).toHaveLength(1)
    expect(later.knownSince).toBeGreaterThan(seconds(1001))
    // Nobody asked for more than an hour: the bucket is not looked after any more.
    clock.set(seconds(1020) + 3n * nsPerHour)
    await write('m v=1 1')
    const anew = await changes(0n)
    expect(anew.changes).toEqual([])
    expect(anew.knownSince).toBeGreaterThanOrEqual(seconds(1020) + 3n * nsPerHour)
  })

  test('spans of many changes grow, and miss none', async () => {
    const { clock, store, write } = bench()
    clock.set(seconds(1000))
    const { until } = await changes(0n)
    const times = Array.from({ length: 40_000 }, (_, i) => BigInt(i) * 7n * nsPerSecond - 1n)
    await write(times.map((time) => `m v=1 ${time}`).join('\n'))
    for (let i = 0; i < 300; i++) {
      await store.delete({ bucket: other, range: { start: BigInt(i), stop: BigInt(i + 1) } })
    }
    const { changes: told } = await changes(until)
    expect(told.length).toBeGreaterThan(1)
    expect(told.length).toBeLessThanOrEqual(16_384)
    let at = 0
    for (const time of times) {
      while (at < told.length - 1 && told[at].range.stop <= time) at++
      expect(told[at].range.start <= time && time < told[at].range.stop).toBe(true)
    }
    await store.delete({ bucket, range: allTime })
    const { changes: all } = await changes(0n)
    expect(all.some(({ range }) => range.start === allTime.start)).toBe(true)
  })
}
