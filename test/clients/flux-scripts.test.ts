// Scripts of the kind that known programs send, through their own way of sending: Grafana's check of a
// data source, the sensors of Home Assistant, and the drives of Scrutiny with its tasks.

import { expect, it } from 'vitest'
import { type Answer, caller, type Installation, install, send } from '../api/harness.js'
import { askJson } from '../api/query-v2-client.js'

const dialect = {
  annotations: ['datatype', 'group', 'default'],
  commentPrefix: '#',
  dateTimeFormat: 'RFC3339',
  delimiter: ',',
  header: true,
}

async function query(place: Installation, script: string): Promise<Answer> {
  const body = { query: script, type: 'flux', dialect }
  const answer = await askJson(place, body, { query: '?org=o', headers: { accept: 'text/csv' } })
  expect(answer.status, answer.text).toBe(200)
  return answer
}

/** Rows as objects, in order. Values have neither commas nor quotes here. */
function rowsOf({ text }: Answer): Record<string, string>[] {
  const rows: Record<string, string>[] = []
  for (const block of text.split('\r\n\r\n')) {
    const lines = block.split('\r\n').filter((line) => line !== '' && !line.startsWith('#'))
    const [names = [], ...values] = lines.map((line) => line.split(','))
    for (const cells of values)
      rows.push(Object.fromEntries(names.map((name, i) => [name, cells[i]])))
  }
  return rows
}

it('lists buckets for Grafana', async () => {
  const place = await install()
  const rows = rowsOf(await query(place, 'buckets()'))
  expect(rows.map(({ name }) => name).sort()).toEqual(['_monitoring', '_tasks', 'b'])
  expect((await query(place, 'buckets()')).text).toMatch(/^#datatype,string,long,/)
})

it('draws a panel of Grafana', async () => {
  const place = await install()
  const start = 1_600_000_000
  const lines = Array.from({ length: 120 }, (_, i) => `cpu,host=a usage=${i} ${start + i}000000000`)
  await place.write(lines.join('\n'))
  // Grafana puts the range and the interval into the script.
  const script = `from(bucket: "b")
  |> range(start: 2020-09-13T12:26:40Z, stop: 2020-09-13T12:28:40Z)
  |> filter(fn: (r) => r["_measurement"] == "cpu")
  |> filter(fn: (r) => r["_field"] == "usage")
  |> aggregateWindow(every: 1m, fn: mean, createEmpty: false)
  |> yield(name: "mean")`
  expect(rowsOf(await query(place, script)).map(({ _time, _value }) => [_time, _value])).toEqual([
    ['2020-09-13T12:27:00Z', '9.5'],
    ['2020-09-13T12:28:00Z', '49.5'],
    ['2020-09-13T12:28:40Z', '99.5'],
  ])
  const tags = `import "influxdata/influxdb/v1"
v1.tagValues(bucket: "b", tag: "host", predicate: (r) => true, start: -100y)`
  expect(rowsOf(await query(place, tags)).map(({ _value }) => _value)).toEqual(['a'])
})

it('shows a sensor of Home Assistant', async () => {
  const place = await install()
  const at = 1_600_000_000
  await place.write(
    [
      `°C,domain=sensor,entity_id=kitchen value=20.5,state="20.5" ${at}000000000`,
      `°C,domain=sensor,entity_id=kitchen value=21.5 ${at + 60}000000000`,
      `°C,domain=sensor,entity_id=hall value=18 ${at + 60}000000000`,
    ].join('\n'),
  )
  const sensor = (fn: string) => `import "regexp"
from(bucket: "b") |> range(start: -100y, stop: now())
  |> filter(fn: (r) => r._field == "value" and r.domain == "sensor" and r.entity_id == "kitchen")
  |> keep(columns: ["_value", "_time"]) |> ${fn} |> limit(n: 1)`
  const shown = async (fn: string) => rowsOf(await query(place, sensor(fn)))[0]._value
  expect(await shown('mean()')).toBe('21')
  expect(await shown('last()')).toBe('21.5')
  expect(await shown('sort(desc: true, columns: ["_time"])')).toBe('21.5')
  expect(rowsOf(await query(place, 'buckets()')).length).toBeGreaterThan(0)
})

it('keeps the drives of Scrutiny', async () => {
  const place = await install()
  const call = caller(place)
  for (const name of ['metrics', 'metrics_weekly', 'metrics_monthly']) {
    const rule = { type: 'expire', everySeconds: 0 }
    const body = { orgID: place.orgId, name, retentionRules: [rule] }
    expect((await call('POST', '/api/v2/buckets', body)).status).toBe(201)
  }
  const day = 86_400
  const now = Math.floor(Date.now() / 1000)
  const lines = Array.from({ length: 21 }, (_, i) => {
    const time = `${now - i * day}000000000`
    const smart = `smart,device_wwn=w${i % 2},device_protocol=ATA`
    return `${smart} temp=${30 + (i % 5)}i,power_on_hours=${1000 - i}i,attr.1.raw="x" ${time}
temp,device_wwn=w${i % 2} temp=${30 + (i % 5)}i ${time}`
  })
  const path = '/api/v2/write?org=o&bucket=metrics'
  const wrote = await send(`${place.url}${path}`, {
    ...place,
    method: 'POST',
    body: lines.join('\n'),
  })
  expect(wrote.status).toBe(204)

  const part = (name: string, bucket: string) => `${name} = from(bucket: ${bucket})
  |> range(start: -10y, stop: now())
  |> filter(fn: (r) => r["_measurement"] == "smart")
  |> filter(fn: (r) => r["_field"] == "temp" or r["_field"] == "power_on_hours")
  |> last()
  |> schema.fieldsAsCols()
  |> group(columns: ["device_wwn"])
`
  const summary = `import "influxdata/influxdb/schema"
base = "metrics"
${part('daily', 'base')}
${part('weekly', 'base + "_weekly"')}
union(tables: [daily, weekly])
  |> sort(columns: ["_time"], desc: false)
  |> group(columns: ["device_wwn"])
  |> last(column: "device_wwn")
  |> yield(name: "last")`
  const drives = rowsOf(await query(place, summary))
  expect(
    drives.map(({ device_wwn, temp, power_on_hours }) => [device_wwn, temp, power_on_hours]),
  ).toEqual([
    ['w0', '30', '1000'],
    ['w1', '31', '999'],
  ])

  const downsample = (source: string, from: string, to: string, every: string, dest: string) => `
sourceBucket = "${source}"
rangeStart = ${from}
rangeEnd = ${to}
aggWindow = ${every}
destBucket = "${dest}"
destOrg = "o"

from(bucket: sourceBucket)
  |> range(start: rangeStart, stop: rangeEnd)
  |> filter(fn: (r) => r["_measurement"] == "smart")
  |> group(columns: ["device_wwn", "_field"])
  |> aggregateWindow(every: aggWindow, fn: last, createEmpty: false)
  |> set(key: "_measurement", value: "smart")
  |> to(bucket: destBucket, org: destOrg)

temps = from(bucket: sourceBucket)
  |> range(start: rangeStart, stop: rangeEnd)
  |> filter(fn: (r) => r["_measurement"] == "temp")
  |> group(columns: ["device_wwn"])
  |> toInt()

temps
  |> aggregateWindow(fn: mean, every: aggWindow, createEmpty: false)
  |> set(key: "_measurement", value: "temp")
  |> set(key: "_field", value: "temp")
  |> to(bucket: destBucket, org: destOrg)
  |> yield(name: "temps")`
  const task = `option task = {name: "tsk-weekly-aggr", cron: "0 1 * * 0"}\n`
  const weekly = downsample('metrics', '-3w', 'now()', '1w', 'metrics_weekly')
  const kept = await call('POST', '/api/v2/tasks', { orgID: place.orgId, flux: task + weekly })
  expect(kept.status).toBe(201)
  await query(place, weekly)
  const stored = await place.lines('metrics_weekly')
  expect(stored.filter((line) => line.startsWith('smart,')).length).toBeGreaterThan(3)
  expect(stored.filter((line) => line.startsWith('temp,')).length).toBeGreaterThan(3)
  await query(place, downsample('metrics', '-2mo', 'now()', '1mo', 'metrics_monthly'))
  expect((await place.lines('metrics_monthly')).length).toBeGreaterThan(1)
})
