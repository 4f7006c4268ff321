// The classes by which ioBroker's adapter talks to InfluxDB, unmodified: what they do when the adapter starts, writes
// states, is asked for their history, and cleans up. The adapter's host, which they do not need, is not installed.

import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { install } from '../api/harness.js'

const require = createRequire(import.meta.url)
const { default: Database1 } = require('iobroker.influxdb/build/lib/DatabaseInfluxDB1x.js')
const { default: Database2 } = require('iobroker.influxdb/build/lib/DatabaseInfluxDB2x.js')

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const start = Date.UTC(2023, 10, 14)
const state = (value: unknown, i: number) => {
  return { value, time: start + i * 60_000, q: 0, ack: true, from: 'system.adapter.hm.0' }
}

function optionsOf(url: string) {
  const { hostname: host, port } = new URL(url)
  return { log: silent, host, port, protocol: 'http', database: 'iobroker', requestTimeout: 30_000 }
}

test('a server of version 1', async () => {
  const { url, token } = await install()
  const database = new Database1(optionsOf(url), { username: 'u', password: token })
  expect(await database.ping(1000)).toEqual([{ online: true }])
  expect(await database.getDatabaseNames()).not.toContain('iobroker')
  await database.createDatabase('iobroker')
  expect(await database.getDatabaseNames()).toContain('iobroker')
  await database.applyRetentionPolicyToDB('iobroker', 31_536_000_0)
  expect(await database.getRetentionPolicyForDB('iobroker')).toEqual({
    name: 'autogen',
    time: 315_360_000,
  })
  await database.writePoint('hm.0.temperature', state(20.5, 0))
  await database.writePoints('hm.0.temperature', [state(21, 1), state(21.5, 2)])
  await database.writeSeries({ 'hm.0.window': [state(true, 0)], 'hm.0.text': [state('open', 0)] })
  const from = 'FROM "hm.0.temperature"'
  const rows = await database.query(
    `SELECT value, ack, q, "from" ${from} ORDER BY time DESC LIMIT 1`,
  )
  expect(rows[0]).toMatchObject({ value: 21.5, ack: true, q: 0, from: 'system.adapter.hm.0' })
  expect(rows[0].time.getTime()).toBe(start + 120_000)
  const windows = `SELECT mean(value) AS val ${from}
    WHERE time >= '2023-11-14T00:00:00Z' AND time < '2023-11-14T00:04:00Z' GROUP BY time(2m) fill(none)`
  // Its answers are arrays with more than their rows.
  expect([...(await database.query(windows))]).toMatchObject([{ val: 20.75 }, { val: 21.5 }])
  // A state whose type has changed, which the adapter finds by the words of the error.
  await expect(database.writePoint('hm.0.temperature', state('warm', 3))).rejects.toThrow(
    /field type conflict/,
  )
  await database.query(`DELETE ${from} WHERE time < '2023-11-14T00:02:00Z'`)
  const [counted] = await database.query(`SELECT count(value) AS n ${from}`)
  expect(counted).toMatchObject({ n: 1 })
  await database.dropDatabase('iobroker')
  expect(await database.getDatabaseNames()).not.toContain('iobroker')
})

test.each([false, true])('a server of version 2, states with tags: %s', async (useTags) => {
  const { url, token } = await install()
  const database = new Database2(optionsOf(url), { token, path: '', organization: 'o', useTags })
  expect(await database.ping()).toEqual([{ online: true }])
  expect(await database.getDatabaseNames()).toContain('b')
  await database.createDatabase('iobroker')
  expect(await database.getDatabaseNames()).toContain('iobroker')
  await database.applyRetentionPolicyToDB('iobroker', 315_360_000)
  expect(await database.getRetentionPolicyForDB('iobroker')).toEqual({
    name: 'iobroker',
    time: 315_360_000,
  })
  expect(await database.getMetaDataStorageType()).toBe('none')
  await database.writePoint('hm.0.temperature', state(20.5, 0))
  await database.writePoints('hm.0.temperature', [state(21, 1), state(21.5, 2)])
  await database.writeSeries({ 'hm.0.window': [state(true, 0)], 'hm.0.text': [state('open', 0)] })
  const from = `from(bucket: "iobroker") |> range(start: ${new Date(start).toISOString()})`
  const values = `${from} |> filter(fn: (r) => r._measurement == "hm.0.temperature" and r._field == "value")`
  const rows = await database.query(`${values} |> group() |> sort(columns: ["_time"], desc: true)`)
  expect(rows.map((row: { _value: number }) => row._value)).toEqual([21.5, 21, 20.5])
  expect(rows[0].time).toBe('2023-11-14T00:02:00Z')
  const pivot = `${from} |> filter(fn: (r) => r._measurement == "hm.0.temperature")
    |> pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value") |> group() |> limit(n: 1)`
  const [first] = await database.query(pivot)
  expect(first).toMatchObject({ value: 20.5, from: 'system.adapter.hm.0' })
  expect(first.ack).toBe(useTags ? 'true' : true)
  expect(await database.queries([values, `${from} |> count()`])).toHaveLength(2)
  await expect(database.writePoint('hm.0.temperature', state('warm', 3))).rejects.toThrow()
  const stop = start + 90_000
  await database.deleteData(start, stop, 'o', 'iobroker', '_measurement="hm.0.temperature"')
  expect(await database.query(values)).toHaveLength(1)
  await database.dropDatabase('iobroker')
  expect(await database.getDatabaseNames()).not.toContain('iobroker')
})

test('in which way states were stored is told', async () => {
  for (const useTags of [false, true]) {
    const { url, token } = await install()
    const database = new Database2(optionsOf(url), { token, organization: 'o', useTags })
    await database.getDatabaseNames()
    await database.createDatabase('iobroker')
    await database.writePoint('now', { ...state(1, 0), time: Date.now() })
    expect(await database.getMetaDataStorageType()).toBe(useTags ? 'tags' : 'fields')
  }
})
