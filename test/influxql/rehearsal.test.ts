// A rehearsal on a real store: what is asked and that all of it can be answered, that it begins when
// there is nothing else to do, and that it ends when its time is up or the service closes.

import { expect, onTestFinished, test, vi } from 'vitest'
import { influxql } from '../../src/influxql/influxql.js'
import type { InfluxqlScope } from '../../src/influxql/scope.js'
import { systemClock } from '../../src/platform/clock.js'
import { seededRandom } from '../../src/platform/random.js'
import { ActiveQueries } from '../../src/query/active-queries.js'
import { Rehearsal, type RehearsalOptions } from '../../src/tasks/rehearsal.js'
import { rehearsalQueries, subjectOf } from '../../src/tasks/rehearsal-queries.js'
import { EngineWorld } from '../store/engine-states.js'
import { corpusBucket, corpusDatabases } from './corpus-databases.js'

const bucket = corpusBucket('db')
const other = corpusBucket('other')

async function open(): Promise<EngineWorld> {
  const world = await EngineWorld.open()
  onTestFinished(() => world.close())
  return world
}

async function write(world: EngineWorld, to: string, lines: readonly string[]): Promise<void> {
  const parser = world.parser(to)
  const { batch } = parser.parse(Buffer.from(lines.join('\n')), { precision: 's', now: 0n })
  await world.write(to, batch)
}

/** 3,000 rows of ten hosts in two regions, with names that must be quoted. */
async function fill(world: EngineWorld): Promise<void> {
  const lines: string[] = []
  for (let i = 0; i < 3000; i++) {
    const tags = `select=r${i % 2},the\\ host=it's${i % 10}`
    lines.push(`cpu\\ load,${tags} from=${i}.5,count=${i}i,text="t" ${i}`)
  }
  await write(world, bucket, lines)
  await write(
    world,
    other,
    lines.slice(0, 1500).map((line) => line.replace('cpu\\ load', 'few')),
  )
  await world.engine.flush()
}

function optionsFor(world: EngineWorld, more: Partial<RehearsalOptions> = {}) {
  const asked: string[] = []
  const closed = { count: 0 }
  const logged: unknown[][] = []
  const scope = (): InfluxqlScope => ({
    store: world.engine,
    clock: systemClock,
    random: seededRandom(1),
    databases: corpusDatabases,
    limits: {
      timeoutSeconds: 0,
      pointsMax: 0,
      seriesMax: 0,
      bucketsMax: 0,
      concurrentMax: 0,
      memoryBytesMax: 0,
    },
    queries: new ActiveQueries(systemClock),
    database: 'db',
    policy: undefined,
    isReadOnly: true,
    params: new Map(),
    writePoints: () => Promise.reject(new Error('nothing is written')),
  })
  const options: RehearsalOptions = {
    store: world.engine,
    clock: systemClock,
    buckets: async () => [other, bucket],
    openStage: async () => ({
      ask: async (text) => {
        asked.push(text)
        await run(text, scope())
      },
      async close() {
        closed.count++
      },
    }),
    idleShare: () => 1,
    secondsMax: 0.05,
    log: (...entry) => logged.push(entry),
    ...more,
  }
  return { options, asked, closed, logged, scope: scope() }
}

/** Rows of the answer. */
async function run(text: string, scope: InfluxqlScope): Promise<number> {
  let rows = 0
  for await (const piece of influxql.prepare(text, scope).run(new AbortController().signal)) {
    if (piece.kind === 'failure') throw new Error(`${text}: ${piece.error.message}`)
    if (piece.kind === 'batch') rows += piece.rowCount
  }
  return rows
}

test('the largest measurement is asked about, by the tag that chooses the fewest series', async () => {
  const world = await open()
  await fill(world)
  const subject = await subjectOf(world.engine, bucket)
  expect(subject).toMatchObject({
    measurement: 'cpu load',
    seriesCount: 10,
    fields: ['count', 'from'],
    tag: { key: 'the host' },
  })
  const { scope } = optionsFor(world)
  for (const text of rehearsalQueries(subject!, 0).flat()) {
    expect(await run(text, scope), text).toBeGreaterThan(0)
  }
  const ofHour = (round: number) => rehearsalQueries(subject!, round)[0]
  expect(new Set([...ofHour(0), ...ofHour(1)]).size).toBe(2 * ofHour(0).length)
})

test('a measurement without tags is asked about too, one without numbers is not', async () => {
  const world = await open()
  const rows = Array.from({ length: 1500 }, (_, i) => i)
  await write(
    world,
    bucket,
    rows.flatMap((i) => [`m v=${i} ${i}`, `words a="x" ${i}`, `words a="y" ${i + 5000}`]),
  )
  const subject = await subjectOf(world.engine, bucket)
  expect(subject).toMatchObject({ measurement: 'm', tag: undefined })
  expect(
    rehearsalQueries(subject!, 0)
      .flat()
      .every((text) => text.includes('from m where')),
  ).toBe(true)
})

test('it works for its time, on the bucket with the most points, and says so', async () => {
  const world = await open()
  await fill(world)
  const { options, asked, closed, logged } = optionsFor(world)
  expect(await new Rehearsal(options).run()).toBe(true)
  expect(closed.count).toBe(1)
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.every((text) => text.includes('"cpu load"'))).toBe(true)
  expect(logged).toEqual([['info', 'rehearsed', { queries: asked.length }]])
})

test('without data there is nothing to rehearse with', async () => {
  const world = await open()
  await write(world, bucket, ['m v=1 1'])
  const { options, asked } = optionsFor(world)
  expect(await new Rehearsal(options).run()).toBe(false)
  expect(asked).toEqual([])
})

test('it begins after four quiet seconds in a row, once, and ends with the service', async () => {
  const world = await open()
  await fill(world)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const shares = [1, 1, 1, 0.2, 1, 1, 1]
  const { options, asked } = optionsFor(world, {
    idleShare: () => shares.shift() ?? 1,
    secondsMax: 3600,
  })
  const rehearsal = new Rehearsal(options)
  rehearsal.start()
  vi.advanceTimersByTime(7000)
  expect(asked).toEqual([])
  vi.advanceTimersByTime(1000)
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0))
  await rehearsal.stop()
  const { length } = asked
  vi.advanceTimersByTime(60_000)
  expect(asked.length).toBe(length)
})

test('0 seconds turn it off', async () => {
  const world = await open()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { options } = optionsFor(world, { secondsMax: 0 })
  new Rehearsal(options).start()
  expect(vi.getTimerCount()).toBe(0)
})
