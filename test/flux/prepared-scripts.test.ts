// A script is compiled once and runs any number of times: runs at the same time and after each other know nothing of
// each other, and a failure comes again with the same words.

import { expect, it } from 'vitest'
import { flux, runPrepared } from './run-flux.js'

it('gives the same again, and to several at the same time', async () => {
  const prepared = flux.prepare(`import "array"
option now = () => 2020-01-01T00:00:00Z
add = (n) => (r) => ({r with sum: r.a + n, at: now()})
array.from(rows: [{a: 1}, {a: 2}]) |> map(fn: add(n: 10)) |> filter(fn: (r) => r.sum > 11)`)
  const first = await runPrepared(prepared)
  const at = 1_577_836_800_000_000_000n
  expect(Object.fromEntries(first[0].tables[0].rows[0])).toEqual({ a: 2n, sum: 12n, at })
  const answers = await Promise.all(Array.from({ length: 8 }, () => runPrepared(prepared)))
  for (const answer of answers) expect(answer).toEqual(first)
})

it('has the moment of each run', async () => {
  const prepared = flux.prepare('import "array"\narray.from(rows: [{at: now()}])')
  for (const now of ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z']) {
    const [{ tables }] = await runPrepared(prepared, { now })
    expect(tables[0].rows[0].get('at')).toBe(BigInt(Date.parse(now)) * 1_000_000n)
  }
})

it('fails again in the same words', async () => {
  const mistyped = () => flux.prepare('x = 1 + "a"')
  expect(mistyped).toThrow('expected int but found string')
  expect(mistyped).toThrow('expected int but found string')
  const prepared = flux.prepare(
    'import "array"\narray.from(rows: [{a: 1}]) |> map(fn: (r) => ({x: [r.a][5]}))',
  )
  for (let run = 0; run < 2; run++) {
    await expect(runPrepared(prepared)).rejects.toThrow('cannot access element 5 of array')
  }
})
