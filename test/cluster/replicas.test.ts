// Two shards of two replicas each, and what becomes of writes and reads when some of them fail: nothing that was
// acknowledged is lost or missing, and what cannot be done is refused.

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { allTime } from '../../src/column/time.js'
import { UnavailableError } from '../../src/errors.js'
import { startServer } from '../../src/index.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { systemClock } from '../../src/platform/clock.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import type { ClickhouseStore } from '../../src/store/clickhouse/clickhouse-store.js'
import { checkStore, makeTables, openClickhouse } from '../../src/store/clickhouse/open.js'
import { adminToken, send } from '../api/client.js'
import {
  type ClickhouseCluster,
  clusterMissing,
  type Replica,
  startCluster,
} from '../store/clickhouse-cluster.js'
import { newRegistry } from '../store/clickhouse-servers.js'

const bucket = '00000000000000aa'
let cluster: ClickhouseCluster
let address: string
let registry: Awaited<ReturnType<typeof newRegistry>>
const stores: ClickhouseStore[] = []
const logged: string[] = []

const log = (level: string, message: string, fields: object = {}) => {
  logged.push(`${level} ${message} ${JSON.stringify(fields)}`)
}

async function open(writeQuorum = 0, at = address): Promise<ClickhouseStore> {
  const parts = { registry: registry.registry, clock: systemClock, log, writeQuorum }
  const store = await openClickhouse({ address: at, ...parts })
  stores.push(store)
  return store
}

function write(store: ClickhouseStore, lines: string) {
  const { batch } = new LineProtocolParser().parse(Buffer.from(lines), { precision: 'ns', now: 0n })
  return store.write(bucket, batch)
}

/** Of 40 series, twenty on each shard or about so. */
const round = (value: number) =>
  Array.from({ length: 40 }, (_, i) => `cpu,host=h${i} v=${value} ${value}`).join('\n')

async function sum(store: ClickhouseStore): Promise<unknown[]> {
  const signal = new AbortController().signal
  const window = {
    aggregates: ['count', 'sum', 'max'].map((fn) => ({ field: 'v', function: fn as 'sum' })),
    groupBy: [],
  }
  const stream = store.read({ bucket, measurement: 'cpu', range: allTime, window }, signal)
  const answers: unknown[] = []
  for await (const { columns } of stream) {
    answers.push(...columns.map(({ values }) => Number(values[0])))
  }
  return answers
}

const missingReplica = {
  name: 'replicas',
  status: 'fail',
  message: 'shard 1 of the store: 1 of 2 replicas have all points',
}

async function until(holds: () => boolean | Promise<boolean>, secondsMax = 60): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > secondsMax * 10) throw new Error('it did not come to that')
    await pause(100)
  }
}

describe.skipIf(clusterMissing !== undefined)('two shards of two replicas', () => {
  let one: ClickhouseStore
  let other: ClickhouseStore

  beforeAll(async () => {
    cluster = await startCluster()
    address = cluster.newAddress()
    registry = await newRegistry(systemClock)
    await makeTables(requireAddress(address), log)
    one = await open()
    other = await open()
    await until(() => one.weakness().length === 0)
  }, 120_000)

  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await registry?.close()
    await cluster?.stop()
  }, 60_000)

  it('share the series, and answer as one', async () => {
    for (let value = 1; value <= 4; value++) {
      await write(value % 2 === 0 ? one : other, round(value))
      const rows = 40 * value
      expect(await sum(value % 2 === 0 ? other : one)).toEqual([
        rows,
        (rows * (value + 1)) / 2,
        value,
      ])
    }
    const perShard = await Promise.all(
      cluster.replicas.map(async ({ http }) => {
        const [, database] = /\/(test_\w+)\?/.exec(address)!
        const url = `http://127.0.0.1:${http}/?query=SELECT+uniqExact(series)+FROM+${database}.points_f4`
        return Number(await (await fetch(url)).text())
      }),
    )
    expect(perShard[0]).toBe(perShard[1])
    expect(perShard[2]).toBe(perShard[3])
    expect(perShard[0] + perShard[2]).toBe(40)
    expect(Math.min(...perShard)).toBeGreaterThan(5)
    const { lines, isGood } = await checkStore(requireAddress(address), log)
    expect([isGood, lines[0].slice(0, 15)]).toEqual([true, 'shard 1 of 2: h'])
  }, 60_000)

  it('refuse what would put series elsewhere', async () => {
    const ports = cluster.replicas.map(({ http }) => http)
    const host = (port: number) => `127.0.0.1:${port}`
    const some = address.replace(ports.map(host).join(','), ports.slice(0, 2).map(host).join(','))
    await expect(open(0, some)).rejects.toThrow('names 2 servers, and its cluster has 4')
    const single = some.replace(`,${host(ports[1])}`, '').replace(/\?.*/, '')
    await expect(open(0, single)).rejects.toThrow('lie on 2 shards, and the store has 1')
    await expect(open(0, address.replace('=mill', '=others'))).rejects.toThrow('knows no cluster')
    await expect(open(3)).rejects.toThrow('--write-quorum wants 3 replicas')
  }, 60_000)

  it('go on without a replica, say so, and have it catch up', async () => {
    const [first, second] = cluster.replicas
    const served = cluster.newAddress()
    await makeTables(requireAddress(served), log)
    const server = await startServer({ jobs: 'inline', adminToken, store: served })
    onTestFinished(() => server.close())
    const health = async () => (await send(`${server.url}/health`)).json
    await until(async () => (await health()).message === 'ready for queries and writes')
    await first.kill()
    const strict = await open(2)
    await write(one, round(5))
    expect(await sum(other)).toEqual([200, 600, 5])
    await until(() => other.weakness().length === 1)
    expect(other.weakness()).toEqual(['shard 1 of the store: 1 of 2 replicas have all points'])
    await expect(write(strict, round(6))).rejects.toThrow(UnavailableError)
    // Served as ever, so that no balancer sends requests elsewhere.
    await until(async () => /degraded/.test((await health()).message))
    expect(await send(`${server.url}/health`)).toMatchObject({
      status: 200,
      json: { status: 'pass', checks: expect.arrayContaining([missingReplica]) },
    })
    const { text } = await send(`${server.url}/metrics`, { token: adminToken })
    expect(text).toMatch(/^millrace_store_replicas_missing 1$/m)
    await first.start()
    await until(() => one.weakness().length === 0 && other.weakness().length === 0)
    await until(async () => (await health()).message === 'ready for queries and writes')
    // What it missed, from it alone.
    await second.kill()
    expect(await sum(one)).toEqual([200, 600, 5])
    await write(other, round(6))
    await first.kill()
    await expect(write(one, round(7))).rejects.toThrow(UnavailableError)
    await expect(sum(other)).rejects.toThrow(UnavailableError)
    await expect(one.reach()).rejects.toThrow(UnavailableError)
    // The second alone has not got everything: nobody may read from it.
    await second.start()
    await expect(sum(other)).rejects.toThrow(UnavailableError)
    await first.start()
    await until(() => one.weakness().length === 0 && other.weakness().length === 0)
    // The other shard may have taken its part of the write that was refused.
    const [count, , last] = (await sum(one)) as number[]
    expect(count).toBeGreaterThanOrEqual(240)
    expect(last).toBeGreaterThanOrEqual(6)
  }, 120_000)

  it('do not read from a replica with an empty disk, though nobody has written meanwhile', async () => {
    const [first] = cluster.replicas
    const before = await sum(one)
    await first.kill()
    await until(() => one.weakness().length === 1 && other.weakness().length === 1)
    first.wipe()
    await first.start()
    const third = await open()
    await until(async () => {
      for (const store of [one, other, third]) expect(await sum(store)).toEqual(before)
      return [one, other, third].every((store) => store.weakness().length === 0)
    })
    expect(await sum(one)).toEqual(before)
  }, 120_000)

  it('acknowledge nothing that only a replica had whose disk is lost', async () => {
    const own = cluster.replicas.slice(0, 2)
    const [, database] = /\/(test_\w+)\?/.exec(address)!
    const ask = async ({ http }: Replica, sql: string) => {
      const answer = await fetch(`http://127.0.0.1:${http}/`, { method: 'POST', body: sql })
      expect(answer.status, sql).toBe(200)
      return answer.text()
    }
    const eachDoes = (word: string) =>
      Promise.all(own.map((replica) => ask(replica, `SYSTEM ${word} ${database}.points_f4`)))
    const taker = async () => {
      const sql = `SELECT count() FROM ${database}.points_f4 WHERE time = 50`
      const counts = await Promise.all(own.map((replica) => ask(replica, sql)))
      return own.find((_, i) => Number(counts[i]) > 0)
    }
    await eachDoes('STOP FETCHES')
    const writing = write(one, round(50))
    await until(async () => (await taker()) !== undefined)
    const lost = (await taker())!
    await lost.kill()
    lost.wipe()
    await lost.start()
    await eachDoes('START FETCHES')
    await writing
    expect((await sum(other)).at(-1)).toBe(50)
    await until(() => one.weakness().length === 0 && other.weakness().length === 0)
    for (const replica of own)
      expect(
        Number(
          await ask(replica, `SELECT uniqExact(series) FROM ${database}.points_f4 WHERE time = 50`),
        ),
      ).toBeGreaterThan(5)
  }, 120_000)

  it('never undo what was written by an insert that a frozen server finishes later', async () => {
    const [first] = cluster.replicas
    first.freeze()
    const last = round(6).replaceAll('v=6', 'v=100')
    const writing = Promise.all([write(one, last), write(other, last)])
    const thawing = pause(4000).then(() => first.goOn())
    await writing
    await write(one, round(6).replaceAll('v=6', 'v=101'))
    await thawing
    expect((await sum(other)).at(-1)).toBe(101)
    await until(() => one.weakness().length === 0)
    expect((await sum(one)).at(-1)).toBe(101)
  }, 120_000)

  it('refuse writes without the keeper, and read', async () => {
    await cluster.keeper.kill()
    expect((await sum(one)).at(-1)).toBe(101)
    await expect(write(one, round(8))).rejects.toThrow(UnavailableError)
    // Also one that starts now: others have found out that these servers have everything.
    expect((await sum(await open())).at(-1)).toBe(101)
    await cluster.keeper.start()
    await until(async () => {
      return write(one, round(8)).then(
        () => true,
        () => false,
      )
    })
    expect((await sum(other)).at(-1)).toBe(101)
  }, 120_000)
})
