// A prepared statement runs any number of times, also at the same time: what follows from its text is found once,
// and no run changes what the next one finds, whatever each puts in the place of tables, aggregates and gaps.

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Session } from '../../src/sql/engine/session.js'
import type { SqlScope } from '../../src/sql/plan/scope.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import { openTestStore, rowsOf, sql, testBucket, testScope, writeLines } from './run-sql.js'

let store: Engine

beforeAll(async () => {
  store = await openTestStore()
})

afterAll(() => store.close())

const pushed = 'SELECT room, avg(temp) AS t, max(co) AS co FROM home GROUP BY room ORDER BY room'
const joined = `WITH k AS (SELECT time, temp FROM home WHERE room = 'Kitchen')
  SELECT h.temp, k.temp AS k FROM home h JOIN k USING (time) WHERE h.room <> 'Kitchen' ORDER BY time`
const gaps = `SELECT date_bin_gapfill(INTERVAL '30 minutes', time) AS bin, locf(max(co)) AS co FROM home
  WHERE time >= '2022-01-01T08:00:00Z' AND time < now() - INTERVAL '1 hour' GROUP BY bin ORDER BY bin`

test.each([pushed, joined, gaps, `EXPLAIN ${pushed}`])('%s', async (text) => {
  const parse = vi.spyOn(Session.prototype, 'parse')
  const scopes: SqlScope[] = [true, false].map((pushesAggregates) =>
    testScope({ store, pushesAggregates }),
  )
  const [first, plain] = await Promise.all(
    scopes.map((scope) => rowsOf(sql.prepare(text).run(scope, new AbortController().signal))),
  )
  const prepared = sql.prepare(text)
  const run = (scope: SqlScope) => rowsOf(prepared.run(scope, new AbortController().signal))
  expect(await run(scopes[0])).toEqual(first)
  parse.mockClear()
  expect(await run(scopes[1])).toEqual(plain)
  const answers = await Promise.all([run(scopes[0]), run(scopes[1]), run(scopes[0])])
  expect(answers).toEqual([first, plain, first])
  // Only the grid of bins is made anew.
  expect(parse.mock.calls.filter(([asked]) => !asked.startsWith('WITH mr_inner'))).toEqual([])
  parse.mockRestore()
})

test('columns that have come since are seen', async () => {
  const prepared = sql.prepare('SELECT * FROM grown')
  const run = () => rowsOf(prepared.run(testScope({ store }), new AbortController().signal))
  await writeLines(store, testBucket, 'grown a=1 1641024000000000000')
  expect(await run()).toEqual(['a | time', '1 | 2022-01-01T08:00:00Z'])
  await writeLines(store, testBucket, 'grown b=2 1641024000000000000')
  expect(await run()).toEqual(['a | b | time', '1 | 2 | 2022-01-01T08:00:00Z'])
})
