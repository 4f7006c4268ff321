// Answers as the explorer reads them, as Arrow and as text: the same tables with the same names, tags, columns, kinds
// and cells, for InfluxQL and Flux with groups, times among the group key, absent values and tables that differ. The
// requests are the page's own.

import { beforeEach, expect, it } from 'vitest'
import { AnnotatedCsv } from '../../ui/src/query/annotated-csv.js'
import { ArrowStream } from '../../ui/src/query/arrow-stream.js'
import { type Asked, askedAs, askedAsText } from '../../ui/src/query/asked-forms.js'
import { V1Results } from '../../ui/src/query/json-results.js'
import type { Language, Question } from '../../ui/src/query/language.js'
import { cellText, type Table } from '../../ui/src/query/result.js'
import { install, send } from '../api/harness.js'

const from = Date.parse('2026-01-01T00:00:00Z')
const hosts = ['a', 'it\\ is', 'ä☂', 'b']

function lines(): string {
  const rows: string[] = []
  for (let i = 0; i < 40; i++) {
    for (const [j, host] of hosts.entries()) {
      const place = j === 3 ? '' : `,dc=${j % 2 === 0 ? 'x' : 'y'}`
      const values = `load=${i * j - 2.5},on=${i % 2 === 0}${i % 3 === 0 ? `,word="w${i % 5}",n=${i}i` : ''}`
      rows.push(`m,host=${host}${place} ${values} ${from + i * 20_000}000001`)
    }
  }
  return `${rows.join('\n')}\nother,host=a v=1 ${from}000000`
}

const data = 'from(bucket: "ui") |> range(start: v.timeRangeStart, stop: v.timeRangeStop)'
const only = (condition: string) => `${data} |> filter(fn: (r) => ${condition})`
const texts: readonly (readonly [Language, string])[] = [
  ['influxql', 'SELECT * FROM m WHERE $timeFilter'],
  ['influxql', 'SELECT load, n, word, "on" FROM m WHERE $timeFilter GROUP BY host, dc'],
  [
    'influxql',
    'SELECT mean(load), count(n) FROM m WHERE $timeFilter GROUP BY time($window), host fill(none)',
  ],
  ['influxql', 'SELECT mean(n) FROM m WHERE $timeFilter GROUP BY time(10s), dc'],
  ['influxql', 'SELECT load, host FROM m WHERE $timeFilter GROUP BY host LIMIT 2'],
  ['influxql', 'SELECT last(load) FROM m, other GROUP BY host'],
  ['influxql', 'SELECT load FROM nothing'],
  ['flux', data],
  ['flux', `${only('r._field == "load"')} |> aggregateWindow(every: v.windowPeriod, fn: mean)`],
  ['flux', `${only('r._field == "on" or r._field == "n"')} |> window(every: 5m)`],
  [
    'flux',
    `${only('r._measurement == "m"')}
    |> pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")`,
  ],
  [
    'flux',
    `d = ${only('r._field == "load"')}
    d |> count() |> yield(name: "c")
    d |> last() |> yield(name: "l")`,
  ],
  ['flux', only('r._field == "none"')],
]

let service: { url: string; token: string; orgID: string }

beforeEach(async () => {
  const { url, token, orgID } = await installed()
  service = { url, token, orgID }
})

it.each(texts)('are the same as Arrow and as text: %s %s', async (language, text) => {
  const question: Question = {
    language,
    text,
    orgId: service.orgID,
    bucketId: 'ui',
    moments: { from, to: from + 30 * 60_000 },
    windowSeconds: 60,
  }
  const asked = askedAs(question, false)
  expect(asked.form).toBe(language === 'flux' ? 'flux-arrow' : 'arrow')
  const wanted = await textTables(question)
  const response = await ask(asked)
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(response.status, new TextDecoder().decode(bytes)).toBe(200)
  for (const length of [bytes.length, 113]) {
    const reader = new ArrowStream(language === 'flux')
    for (let at = 0; at < bytes.length; at += length) reader.add(bytes.slice(at, at + length))
    expect(reader.isWhole).toBe(true)
    const tables = reader.finish().filter(({ rowCount }) => rowCount > 0)
    expect(tables.map(spelt)).toEqual(wanted.map(spelt))
  }
})

it('asks for texts where an answer is no table', () => {
  const question = { language: 'influxql' as const, orgId: '', bucketId: 'ui', windowSeconds: 60 }
  const formOf = (text: string) =>
    askedAs({ ...question, text, moments: { from, to: from } }, false).form
  expect(formOf('SHOW MEASUREMENTS')).toBe('v1')
  expect(formOf('SELECT a FROM b; SELECT c FROM d')).toBe('v1')
  expect(formOf('SELECT a INTO c FROM b')).toBe('v1')
  expect(formOf('select a from b;')).toBe('arrow')
})

function spelt({ name, tags, columns, rowCount }: Table) {
  return {
    name,
    tags,
    kinds: columns.map((column) => [column.name, column.kind]),
    rows: Array.from({ length: rowCount }, (_, row) => columns.map((one) => cellText(one, row))),
  }
}

function ask({ path, parameters = {}, headers, body }: Asked) {
  const authorization = `Token ${service.token}`
  const url = new URL(path, `${service.url}/`)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value))
  return fetch(url, { method: 'POST', headers: { ...headers, authorization }, body })
}

async function textTables(question: Question): Promise<readonly Table[]> {
  const response = await ask(askedAsText(question, false))
  const text = await response.text()
  expect(response.status, text).toBe(200)
  const reader = question.language === 'flux' ? new AnnotatedCsv() : new V1Results()
  reader.add(text)
  expect(reader.failure).toBeUndefined()
  return reader.finish(false)
}

async function installed() {
  const { url, token } = await install()
  const orgs = await send(`${url}/api/v2/orgs`, { token })
  const orgID = orgs.json.orgs[0].id as string
  const bucket = JSON.stringify({ orgID, name: 'ui', retentionRules: [] })
  await send(`${url}/api/v2/buckets`, { method: 'POST', token, body: bucket })
  const path = `/api/v2/write?orgID=${orgID}&bucket=ui&precision=ns`
  const written = await send(url + path, { method: 'POST', token, body: lines() })
  expect(written.text).toBe('')
  return { url, token, orgID }
}
