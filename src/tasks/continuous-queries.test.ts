// Continuous queries in the queue of tasks, over a catalog in memory and with a run that only writes down what it is
// given: what is run and when, and that one that fails stops no other.

import { expect, onTestFinished, test } from 'vitest'
import { Catalog } from '../catalog/catalog.js'
import { UserError } from '../errors.js'
import { ManualClock } from '../platform/clock.js'
import { seededRandom } from '../platform/random.js'
import { ContinuousQueryExecutor } from './continuous-queries.js'
import type { TaskExecutor } from './executor.js'
import { TaskRunner } from './task-runner.js'

const second = 1_000_000_000n
const hour = 3600n * second
const start = 472_222n * hour

async function open() {
  const clock = new ManualClock(start)
  const catalog = await Catalog.open({ path: ':memory:', clock, random: seededRandom(1) })
  onTestFinished(() => catalog.close())
  const org = await catalog.organizations.create({ name: 'o' })
  const ran: string[] = []
  const logged: unknown[] = []
  const executor = new ContinuousQueryExecutor({
    run: async (_orgId, _database, text) => {
      ran.push(text)
      if (text.includes('broken')) throw new UserError('invalid', 'it is broken')
      return 7
    },
    log: (_level, _message, fields) => logged.push(fields),
  })
  const none: TaskExecutor = { run: () => Promise.reject(new Error('there is no such task')) }
  const newRunner = () =>
    new TaskRunner({
      catalog,
      clock,
      executors: { task: none, check: none, rule: none, 'continuous-query': executor },
      keep: async () => {},
      concurrentMax: 1,
      timeoutSeconds: 0,
      catchUpMax: 1000,
      isAlone: true,
      log: () => {},
    })
  let runner = newRunner()
  const runDue = async () => {
    await runner.tick()
    await runner.idle()
  }
  const restart = async () => {
    await runner.stop()
    runner = newRunner()
  }
  const make = (name: string, select: string, resample = '') => {
    const text = `CREATE CONTINUOUS QUERY ${name} ON d ${resample} BEGIN ${select} END`
    return catalog.continuousQueries.create(org.id, undefined, { database: 'd', name, text })
  }
  return { clock, catalog, runDue, restart, ran, logged, make }
}

/** The hours that it covers, counted from the start. */
function hours(text: string): string {
  const [from, to] = [/time >= (\d+)/, /time < (\d+)/].map((bound) => bound.exec(text)?.[1] ?? '')
  return `${(BigInt(from) - start) / hour}..${(BigInt(to) - start) / hour}`
}

test('each interval is run once, with its range in place of what the query says of time', async () => {
  const { clock, catalog, runDue, ran, make } = await open()
  clock.set(start + 1n)
  const { id } = await make(
    'q',
    "SELECT mean(v) INTO d.p.t FROM d.p.m WHERE h = 'a' AND time > 5 GROUP BY time(1h), h",
  )
  await runDue()
  clock.set(start + hour / 2n)
  await runDue()
  expect(ran).toEqual([])
  clock.set(start + hour)
  await runDue()
  await runDue()
  const condition = `(h = 'a') AND time >= ${start} AND time < ${start + hour}`
  expect(ran).toEqual([
    `SELECT mean(v) INTO d.p.t FROM d.p.m WHERE ${condition} GROUP BY time(1h), h`,
  ])
  expect(await catalog.tasks.runs.list(id)).toMatchObject([
    { kind: 'continuous-query', status: 'success', taskName: 'd.q', rowsWritten: 7 },
  ])
})

test('what RESAMPLE FOR reaches back to is run when it is made, and at every interval', async () => {
  const { clock, runDue, ran, make } = await open()
  clock.set(start + hour / 3n)
  await make('q', 'SELECT mean(v) INTO t FROM m GROUP BY time(1h)', 'RESAMPLE EVERY 30m FOR 3h')
  for (const minutes of [20n, 21n, 30n, 59n, 60n]) {
    clock.set(start + minutes * 60n * second)
    await runDue()
  }
  // With EVERY shorter than the interval the one under way is covered too.
  expect(ran.map(hours)).toEqual(['-2..0', '-2..1', '-2..1'])
})

test('intervals shorter than a second are run by the second', async () => {
  const { clock, runDue, ran, make } = await open()
  await make('q', 'SELECT mean(v) INTO t FROM m GROUP BY time(100ms)')
  await runDue()
  ran.length = 0
  clock.advance(second)
  await runDue()
  const condition = `time >= ${start} AND time < ${start + second}`
  expect(ran).toEqual([`SELECT mean(v) INTO t FROM m WHERE ${condition} GROUP BY time(100ms)`])
})

test('a query that fails is logged and known to have failed, and the others run', async () => {
  const { clock, catalog, runDue, ran, logged, make } = await open()
  const bad = await make('bad', 'SELECT mean(broken) INTO t FROM m GROUP BY time(1h)')
  await make('good', 'SELECT mean(v) INTO t FROM m GROUP BY time(1h)')
  await runDue()
  clock.advance(hour)
  await runDue()
  expect(ran).toHaveLength(4)
  expect(logged).toContainEqual({ database: 'd', name: 'bad', error: 'it is broken' })
  const { lastRunStatus, lastRunError } = await catalog.tasks.states.of(bad.id)
  expect([lastRunStatus, lastRunError]).toEqual(['failed', 'it is broken'])
})

test('what came while nobody was there is left out, as InfluxDB does', async () => {
  const { clock, runDue, restart, ran, make } = await open()
  await make('q', 'SELECT mean(v) INTO t FROM m GROUP BY time(1h)')
  await runDue()
  await restart()
  clock.set(start + 5n * hour + 60n * second)
  await runDue()
  clock.set(start + 6n * hour)
  await runDue()
  expect(ran.map(hours)).toEqual(['-1..0', '5..6'])
})

test('what is dropped does not run again', async () => {
  const { clock, catalog, runDue, ran, make } = await open()
  const { id } = await make('q', 'SELECT mean(v) INTO t FROM m GROUP BY time(1h)')
  await runDue()
  await catalog.continuousQueries.delete(id)
  expect(await catalog.tasks.runs.list(id)).toEqual([])
  clock.advance(hour)
  await runDue()
  expect(ran).toHaveLength(1)
})
