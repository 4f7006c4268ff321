// Aggregates that the store computes and the same computed by DuckDB from rows agree, over points with holes
// in every field, whatever the groups, bins, conditions and ranges are.

import { expect, test } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { ask, openTestStore, testScope } from './run-sql.js'

const start = 1_641_024_000_000_000_000n

function randomLines(seed: number): string {
  const random = seededRandom(seed)
  const lines: string[] = []
  for (let i = 0; i < 400; i++) {
    const host = random.below(4)
    const tags = `m${host === 3 ? '' : `,host=h${host}`},Rack=r${random.below(2)}`
    const fields = [
      ...(random.below(3) > 0 ? [`a=${random.below(100)}`] : []),
      ...(random.below(3) > 0 ? [`b=${random.below(100) - 50}i`] : []),
      ...(random.below(3) > 0 ? [`c="x${random.below(5)}"`] : []),
      ...(random.below(3) > 0 ? [`u=${random.below(100)}u`] : []),
    ]
    if (fields.length === 0) fields.push('only=true')
    lines.push(
      `${tags} ${fields.join(',')} ${start + BigInt(random.below(40_000)) * 1_000_000_000n}`,
    )
  }
  return lines.join('\n')
}

const bins = [
  "date_bin(INTERVAL '1 hour', time)",
  "date_bin(INTERVAL '7 minutes', time, '2022-01-01T00:03:00Z')",
]
const calls =
  'avg(a) AS x, sum(b) AS y, count(c) AS z, min(u) AS n, max(b) AS k, count(only) AS o, avg(b) AS v'
const conditions = [
  'true',
  "time >= '2022-01-01T09:10:00Z' AND time < '2022-01-01T15:00:01Z'",
  "host = 'h1'",
  "host != 'h1' AND \"Rack\" IN ('r0')",
  "host IS NULL AND time > '2022-01-01T09:00:00Z'",
]

test.each([1, 2, 3])('seed %i', async (seed) => {
  const store = await openTestStore(randomLines(seed))
  if (seed > 1) await store.flush()
  const texts = conditions.flatMap((condition) => [
    `SELECT ${calls} FROM m WHERE ${condition}`,
    `SELECT host, "Rack", ${calls} FROM m WHERE ${condition} GROUP BY host, "Rack"`,
    ...bins.map(
      (bin) => `SELECT ${bin} AS t, host, ${calls} FROM m WHERE ${condition} GROUP BY t, host`,
    ),
    `SELECT ${bins[0]} AS t, sum(a) + count(b) AS s FROM m WHERE ${condition} GROUP BY 1 HAVING count(a) > 1`,
  ])
  for (const text of texts) {
    const inEngine = { store, answersDirectly: false }
    const pushed = (await ask(text, testScope(inEngine))).sort()
    const read = (await ask(text, testScope({ ...inEngine, pushesAggregates: false }))).sort()
    expect(pushed, text).toEqual(read)
    const plan = await ask(`EXPLAIN ${text}`, testScope(inEngine))
    expect(plan.join('\n'), text).toContain('windows of')
  }
  await store.close()
})
