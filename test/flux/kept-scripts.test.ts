// A script that is asked again is compiled once: two runs of it at the same time, and runs after each
// other, know nothing of each other, and a failure comes again with the same words.

import { expect, it } from 'vitest'
import { fluxError, runRows } from './run-flux.js'

const script = `import "array"
option now = () => 2020-01-01T00:00:00Z
add = (n) => (r) => ({r with sum: r.a + n, at: now()})
array.from(rows: [{a: 1}, {a: 2}]) |> map(fn: add(n: 10)) |> filter(fn: (r) => r.sum > 11)`

it('gives the same again, and to several at once', async () => {
  const expected = [{ a: 2n, sum: 12n, at: 1_577_836_800_000_000_000n }]
  expect(await runRows(script)).toEqual(expected)
  const answers = await Promise.all(Array.from({ length: 8 }, () => runRows(script)))
  for (const answer of answers) expect(answer).toEqual(expected)
})

it('has the moment of each run', async () => {
  const text = 'import "array"\narray.from(rows: [{at: now()}])'
  for (const now of ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z']) {
    expect(await runRows(text, { now })).toEqual([{ at: BigInt(Date.parse(now)) * 1_000_000n }])
  }
})

it('fails again in the same words', async () => {
  const first = await fluxError('x = 1 + "a"')
  expect(first).toContain('expected int but found string')
  expect(await fluxError('x = 1 + "a"')).toBe(first)
  const running = 'import "array"\narray.from(rows: [{a: 1}]) |> map(fn: (r) => ({x: [r.a][5]}))'
  expect(await fluxError(running)).toBe(await fluxError(running))
})
