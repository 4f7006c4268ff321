// The runner over a catalog in memory, with a run that only writes down what it is given: what is
// run and when, and that one that fails stops no other.

import { expect, onTestFinished, test } from 'vitest'
import { Catalog } from '../catalog/catalog.js'
import { UserError } from '../errors.js'
import { ManualClock } from '../platform/clock.js'
import { seededRandom } from '../platform/random.js'
import { ContinuousQueryRunner } from './continuous-queries.js'

const hour = 3_600_000_000_000n
const start = 472_222n * hour

async function open() {
  const clock = new ManualClock(start)
  const catalog = await Catalog.open({ path: ':memory:', clock, random: seededRandom(1) })
  onTestFinished(() => catalog.close())
  const org = await catalog.organizations.create({ name: 'o' })
  const ran: string[] = []
  const logged: unknown[] = []
  const runner = new ContinuousQueryRunner({
    catalog,
    clock,
    run: async (_orgId, _database, text) => {
      ran.push(text)
      if (text.includes('broken')) throw new UserError('invalid', 'it is broken')
    },
    log: (_level, _message, fields) => logged.push(fields),
  })
  const make = async (name: string, select: string) => {
    const text = `CREATE CONTINUOUS QUERY ${name} ON d BEGIN ${select} END`
    return catalog.continuousQueries.create(org.id, undefined, { database: 'd', name, text })
  }
  return { clock, catalog, runner, ran, logged, make }
}

test('each interval is run once, with its range in place of what the query says of time', async () => {
  const { clock, runner, ran, make } = await open()
  await make(
    'q',
    "SELECT mean(v) INTO d.p.t FROM d.p.m WHERE h = 'a' AND time > 5 GROUP BY time(1h), h",
  )
  clock.set(start + hour / 2n)
  await runner.runDue()
  expect(ran).toEqual([])
  clock.set(start + hour)
  await runner.runDue()
  await runner.runDue()
  const condition = `(h = 'a') AND time >= ${start} AND time < ${start + hour}`
  expect(ran).toEqual([
    `SELECT mean(v) INTO d.p.t FROM d.p.m WHERE ${condition} GROUP BY time(1h), h`,
  ])
})

test('a query that fails is logged, and the others run', async () => {
  const { clock, runner, ran, logged, make } = await open()
  await make('bad', 'SELECT mean(broken) INTO t FROM m GROUP BY time(1h)')
  await make('good', 'SELECT mean(v) INTO t FROM m GROUP BY time(1h)')
  await runner.runDue()
  clock.advance(hour)
  await runner.runDue()
  expect(ran).toHaveLength(4)
  expect(logged).toContainEqual({ database: 'd', name: 'bad', error: 'it is broken' })
})

test('what is dropped does not run again', async () => {
  const { clock, catalog, runner, ran, make } = await open()
  const { id } = await make('q', 'SELECT mean(v) INTO t FROM m GROUP BY time(1h)')
  await runner.runDue()
  await catalog.continuousQueries.delete(id)
  clock.advance(hour)
  await runner.runDue()
  expect(ran).toHaveLength(1)
})

test('nothing runs after the stop', async () => {
  const { clock, runner, ran, make } = await open()
  await make('q', 'SELECT mean(v) INTO t FROM m GROUP BY time(1h)')
  await runner.stop()
  clock.advance(hour)
  await runner.runDue()
  expect(ran).toEqual([])
})
