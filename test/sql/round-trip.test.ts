// Every value of the store comes back as it was written, through an engine: types, values that are missing, texts of
// all lengths, moments far apart, in more rows than a vector of DuckDB has. Streamed and kept alike.

import { expect, test } from 'vitest'
import { type Random, seededRandom } from '../../src/platform/random.js'
import { ask, openTestStore, testScope } from './run-sql.js'

const words = [
  '',
  'a',
  'twelve bytes',
  'thirteen byte',
  'ünïcode ✓ 漢字',
  'long '.repeat(40),
  'x'.repeat(3000),
]
const integers = [0n, -1n, 2n ** 53n + 1n, -(2n ** 63n) + 1n, 2n ** 63n - 1n, 4_294_967_296n]
const floats = [0, -0.5, 1e300, 5e-324, 123456789.125]

interface Row {
  readonly line: string
  readonly cells: readonly string[]
}

/** Its cells in the order of the columns' names. */
function randomRow(random: Random, row: number): Row {
  const pick = <T>(values: readonly T[]): T | undefined =>
    random.below(4) === 0 ? undefined : random.pick(values)
  const b = pick([true, false])
  const f = pick(floats)
  const i = pick(integers)
  const u = pick([0n, 2n ** 64n - 1n, 2n ** 53n - 1n])
  const note = pick(words)
  const host = pick(['h1', 'a host with a long name', 'h2'])
  const place = row % 3000 < 2500 ? 'here' : undefined
  const fields = [
    `n=${row}i`,
    ...(b === undefined ? [] : [`b=${b}`]),
    ...(f === undefined ? [] : [`f=${f}`]),
    ...(i === undefined ? [] : [`i=${i}i`]),
    ...(note === undefined ? [] : [`note="${note}"`]),
    ...(u === undefined ? [] : [`u=${u}u`]),
  ]
  const tags = [
    ...(host === undefined ? [] : [`,host=${host.replaceAll(' ', '\\ ')}`]),
    ...(place === undefined ? [] : [`,place=${place}`]),
  ]
  // Further apart than a float tells exactly.
  const time =
    BigInt(row % 20) * 400_000_000_000_000_000n - 4_000_000_000_000_000_000n + BigInt(row)
  return {
    line: `t${tags.join('')} ${fields.join(',')} ${time}`,
    cells: [b, f, host, i, row, note, place, u].map((value) =>
      value === undefined ? 'null' : String(value),
    ),
  }
}

test.each([1, 2, 3])('seed %i', async (seed) => {
  const random = seededRandom(seed)
  const rows = Array.from({ length: [1, 700, 2049][seed - 1] }, (_, row) => randomRow(random, row))
  const store = await openTestStore(rows.map(({ line }) => line).join('\n'))
  if (seed === 2) await store.flush()
  const names = ['b', 'f', 'host', 'i', 'n', 'note', 'place', 'u']
  const known = await ask(
    "SELECT column_name FROM information_schema.columns WHERE table_name = 't'",
    testScope({ store }),
  )
  const list = names.map((name) => (known.includes(name) ? name : `NULL AS ${name}`)).join(', ')
  for (const options of [
    {},
    { streamsTables: false },
    { streamsTables: false, listsTags: false },
  ]) {
    const text = `SELECT ${list} FROM t ORDER BY n`
    const [, ...found] = await ask(text, testScope({ store, ...options }))
    expect(found).toEqual(rows.map(({ cells }) => cells.join(' | ')))
    const times = `SELECT count(*) AS n, count(DISTINCT time) AS d, min(time) AS a FROM t`
    const [, counts] = await ask(times, testScope({ store, ...options }))
    expect(counts).toMatch(new RegExp(`^${rows.length} \\| ${rows.length} \\| `))
  }
  await store.close()
})
