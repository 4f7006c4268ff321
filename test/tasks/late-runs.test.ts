// Points that come late make the boundaries that have passed run again: which ones, how often, after restarts in order
// and after crashes. The store and the catalog are real; the clock is moved.

import { expect, it, onTestFinished } from 'vitest'
import type { TaskInput } from '../../src/catalog/tasks/tasks.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { PlainStore } from '../../src/store/plain/plain-store.js'
import { LateRuns } from '../../src/tasks/late-runs.js'
import { Place } from './runner-place.js'

const start = '2024-01-01T00:00:00Z'
const script = (options: string, to = 'means') => `option task = {name: "t", ${options}}
from(bucket: "raw") |> range(start: -task.every) |> mean() |> to(bucket: "${to}")`

class Late {
  readonly place: Place
  readonly #bucketId: string
  #store: PlainStore
  #late: LateRuns
  #runner

  private constructor(place: Place, bucketId: string) {
    this.place = place
    this.#bucketId = bucketId
    this.#store = new PlainStore(place.clock)
    this.#late = this.#newLate()
    this.#runner = place.runner()
  }

  static async open(options: string, input: TaskInput = { flux: script(options) }): Promise<Late> {
    const place = await Place.open(start)
    const { catalog, orgId, ownerId } = place
    const raw = await catalog.buckets.create({ orgId, name: 'raw', retentionSeconds: 0 })
    await catalog.inTransaction((inside) => inside.tasks.create(orgId, ownerId, input))
    const late = new Late(place, raw.id)
    onTestFinished(() => late.#runner.stop())
    await late.#runner.tick()
    late.#late.start(() => late.#runner.tasks())
    await late.#late.look()
    return late
  }

  #newLate(): LateRuns {
    const { catalog, clock } = this.place
    return new LateRuns({ catalog, clock, store: this.#store, log: () => {} })
  }

  /** At a time of the day, `HH:MM:SS`: what ran since. */
  async at(time: string): Promise<string[]> {
    await this.place.at(this.#runner, `2024-01-01T${time}Z`)
    return this.place.taken().map((one) => one.slice('t 2024-01-01T'.length, -1))
  }

  write(...times: readonly string[]): Promise<void> {
    return this.writeInto(this.#bucketId, ...times)
  }

  async writeInto(bucketId: string, ...times: readonly string[]): Promise<void> {
    const lines = times.map(
      (time) => `m v=1 ${BigInt(Date.parse(`2024-01-01T${time}Z`)) * 1_000_000n}`,
    )
    const { batch } = new LineProtocolParser().parse(Buffer.from(lines.join('\n')), {
      precision: 'ns',
      now: 0n,
    })
    await this.#store.write(bucketId, batch)
    this.place.clock.advance(1n)
  }

  /** Looks, and tells what is run again. */
  async look(): Promise<string[]> {
    await this.#late.look()
    await this.place.settle(this.#runner)
    return this.place.taken().map((one) => one.slice('t 2024-01-01T'.length, -1))
  }

  async restart(isCrash: boolean): Promise<void> {
    await this.#late.stop()
    if (!isCrash) await this.#late.finish()
    await this.#runner.stop()
    // The store that is opened next has the points and knows of no change.
    this.#store = new PlainStore(this.place.clock)
    this.#late = this.#newLate()
    this.#runner = this.place.runner()
    await this.#runner.tick()
    this.#late.start(() => this.#runner.tasks())
  }
}

it('runs the boundaries again whose points came after their run, and only those', async () => {
  const late = await Late.open('every: 1m, late: 1h')
  expect(await late.at('00:01:00')).toEqual(['00:01:00'])
  for (let minute = 2; minute < 10; minute++) await late.at(`00:0${minute}:00`)
  await late.at('00:09:30')
  // In time: its boundary has not come yet.
  await late.write('00:09:29')
  expect(await late.look()).toEqual([])
  await late.write('00:02:30', '00:05:00', '00:05:01')
  expect(await late.look()).toEqual(['00:03:00', '00:06:00'])
  expect(await late.look()).toEqual([])
  await late.write('00:02:59')
  expect(await late.look()).toEqual(['00:03:00'])
  expect(await late.at('00:10:00')).toEqual(['00:10:00'])
  // The point of 00:09:29 came before that run.
  expect(await late.look()).toEqual([])
})

it('goes back as far as the option says, and no further than the task is active', async () => {
  const late = await Late.open('every: 1m, late: 5m')
  for (let minute = 1; minute < 9; minute++) await late.at(`00:0${minute}:00`)
  await late.write('00:00:30', '00:02:30', '00:04:30')
  expect(await late.look()).toEqual(['00:05:00'])
  const whole = await Late.open('every: 1m, late: 1d')
  await whole.at('00:01:00')
  await whole.write('00:00:30')
  expect(await whole.look()).toEqual(['00:01:00'])
})

it('waits for what comes within the offset', async () => {
  const late = await Late.open('every: 1m, offset: 30s, late: 1h')
  await late.at('00:01:10')
  await late.write('00:00:10')
  expect(await late.look()).toEqual([])
  expect(await late.at('00:01:30')).toEqual(['00:01:00'])
  expect(await late.look()).toEqual([])
  await late.write('00:00:20')
  expect(await late.look()).toEqual(['00:01:00'])
})

it('after a stop in order nothing runs again, and what came last does', async () => {
  const late = await Late.open('every: 1m, late: 1h')
  for (let minute = 1; minute < 6; minute++) await late.at(`00:0${minute}:00`)
  await late.write('00:01:30')
  await late.restart(false)
  // The run was made before the stop.
  expect(await late.look()).toEqual(['00:02:00'])
  expect(await late.look()).toEqual([])
  await late.write('00:03:30')
  expect(await late.look()).toEqual(['00:04:00'])
})

it('after a crash everything within the option runs again, once', async () => {
  const late = await Late.open('every: 1m, late: 3m')
  for (let minute = 1; minute < 6; minute++) await late.at(`00:0${minute}:00`)
  await late.look()
  await late.write('00:03:30')
  await late.restart(true)
  expect(await late.look()).toEqual(['00:03:00', '00:04:00', '00:05:00'])
  expect(await late.look()).toEqual([])
})

it.each([
  ['every: 1m, late: 1h', 'raw', 'late needs a target other than what is read'],
  ['every: 1m, late: soon', 'means', 'late option must be a duration'],
  ['every: 1m, late: 1ms', 'means', 'whole seconds'],
])('refuses %s into %s', async (options, to, message) => {
  const { catalog, orgId, ownerId } = await Place.open(start)
  const made = catalog.inTransaction((inside) =>
    inside.tasks.create(orgId, ownerId, { flux: script(options, to) }),
  )
  await expect(made).rejects.toThrow(message)
})

const besideQuery = { name: 'i', every: '1m', late: '1h', database: 'raw' }

it('refuses scripts whose buckets cannot be told', async () => {
  const { catalog, orgId, ownerId } = await Place.open(start)
  const create = (input: object) =>
    catalog.inTransaction((inside) => inside.tasks.create(orgId, ownerId, input))
  const flux = `option task = {name: "t", every: 1m, late: 1h}
b = "raw"
from(bucket: b) |> range(start: -1m) |> to(bucket: "means")`
  await expect(create({ flux })).rejects.toThrow('by literals')
  const sql = { ...besideQuery, language: 'sql', query: 'SELECT 1', targetMeasurement: 'm' }
  await expect(create({ ...sql, targetBucket: 'raw' })).rejects.toThrow('late needs a target')
  const task = await create({ ...sql, targetBucket: 'other' })
  expect(task.body.lateBuckets).toEqual(['raw'])
})

it.each([
  ['SELECT mean(v) INTO x FROM m', 'late needs a target other than what is read, not "raw"'],
  ['SELECT mean(v) INTO raw.autogen.x FROM m', 'late needs a target other than what is read'],
  ['SELECT mean(v) INTO other..x FROM other.autogen.m', 'not "other.autogen" itself'],
  ['SELECT mean(v) INTO gone..x FROM (SELECT v FROM gone..m)', 'not "gone" itself'],
  ['DROP SERIES FROM m', 'late is for tasks that only SELECT'],
  ['SELECT FROM m', 'at line 1, char 8'],
])('refuses InfluxQL: %s', async (query, message) => {
  const { catalog, orgId, ownerId } = await Place.open(start)
  for (const name of ['raw', 'other']) {
    await catalog.buckets.create({ orgId, name, retentionSeconds: 0 })
  }
  const input = { ...besideQuery, language: 'influxql', query }
  const made = catalog.inTransaction((inside) => inside.tasks.create(orgId, ownerId, input))
  await expect(made).rejects.toThrow(message)
})

it('InfluxQL is run again for late points of what its databases lead to', async () => {
  const query = 'SELECT mean(v) INTO means..m FROM m GROUP BY time(1m)'
  const late = await Late.open('', { ...besideQuery, name: 't', language: 'influxql', query })
  for (let minute = 1; minute < 5; minute++) await late.at(`00:0${minute}:00`)
  await late.write('00:01:30')
  expect(await late.look()).toEqual(['00:02:00'])
  const { catalog, orgId } = late.place
  const other = await catalog.buckets.create({ orgId, name: 'elsewhere', retentionSeconds: 0 })
  const mapping = { orgId, database: 'raw', retentionPolicy: 'p', bucketId: other.id }
  await catalog.inTransaction((inside) => inside.dbrps.create({ ...mapping, isDefault: true }))
  await late.look()
  await late.write('00:02:30')
  expect(await late.look()).toEqual([])
  await late.writeInto(other.id, '00:02:30')
  expect(await late.look()).toEqual(['00:03:00'])
  // A target that comes to be what is read: nothing runs for ever.
  const target = { ...mapping, database: 'means' }
  await catalog.inTransaction((inside) => inside.dbrps.create({ ...target, isDefault: true }))
  await late.writeInto(other.id, '00:03:30')
  expect(await late.look()).toEqual([])
})
