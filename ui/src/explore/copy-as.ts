// The same question for other programs. The token
// stands for itself as `$TOKEN`.

import { boundText, type Question, replaceOutsideQuotes } from '../query/language.js'
import { relativeText } from '../query/relative-text.js'

export interface Copied {
  readonly name: string
  readonly text: string
}

export function copiesOf(question: Question, org: string, bucket: string): readonly Copied[] {
  const url = document.baseURI.replace(/\/$/, '')
  return [
    { name: 'curl', text: curl(question, url, org, bucket) },
    { name: 'JavaScript', text: javascript(question, url, org, bucket) },
    { name: 'Python', text: python(question, url, org, bucket) },
    { name: 'Grafana', text: grafana(question) },
    { name: 'Telegraf', text: telegraf(question, url, org, bucket) },
    { name: 'Plain text', text: plain(question) },
  ]
}

/** With the range written out: elsewhere nobody sends `v` along. */
function plain(question: Question): string {
  if (question.language !== 'flux') return boundText(question)
  const { moments, windowSeconds, text } = question
  const iso = (ms: number) => new Date(ms).toISOString()
  const range = `timeRangeStart: ${iso(moments.from)}, timeRangeStop: ${iso(moments.to)}`
  const values = `{${range}, windowPeriod: ${windowSeconds}s}`
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => /^\s*import\s/.test(line))
  lines.splice(last + 1, 0, `v = ${values}`)
  return lines.join('\n')
}

function target({ language }: Question, url: string, org: string) {
  if (language === 'flux') return { path: `${url}/api/v2/query?org=${encodeURIComponent(org)}` }
  return { path: `${url}/api/v3/query_${language}` }
}

function bodyOf(question: Question, bucket: string): object {
  if (question.language === 'flux') return { query: plain(question) }
  return { db: bucket, q: plain(question), format: 'csv' }
}

function curl(question: Question, url: string, org: string, bucket: string): string {
  const body = JSON.stringify(bodyOf(question, bucket)).replaceAll("'", "'\\''")
  return [
    `curl -X POST '${target(question, url, org).path}' \\`,
    '  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\',
    `  --data-raw '${body}'`,
  ].join('\n')
}

function javascript(question: Question, url: string, org: string, bucket: string): string {
  return [
    `const response = await fetch(${JSON.stringify(target(question, url, org).path)}, {`,
    "  method: 'POST',",
    "  headers: { authorization: 'Bearer ' + process.env.TOKEN, 'content-type': 'application/json' },",
    `  body: JSON.stringify(${JSON.stringify(bodyOf(question, bucket), undefined, 2).replaceAll('\n', '\n  ')}),`,
    '})',
    'console.log(await response.text())',
  ].join('\n')
}

function python(question: Question, url: string, org: string, bucket: string): string {
  return [
    'import os, requests',
    `response = requests.post(${JSON.stringify(target(question, url, org).path)},`,
    '    headers={"Authorization": f"Bearer {os.environ[\'TOKEN\']}"},',
    `    json=${JSON.stringify(bodyOf(question, bucket))})`,
    'print(response.text)',
  ].join('\n')
}

/**
 * A panel, to be pasted as JSON into a dashboard with a data source for InfluxDB of the same language. Range and window
 * are Grafana's own.
 */
function grafana(question: Question): string {
  const { language, text } = question
  const target = {
    flux: { query: text },
    influxql: {
      query: replaceOutsideQuotes(text, { window: '$__interval' }),
      rawQuery: true,
      resultFormat: 'time_series',
    },
    sql: {
      rawSql: replaceOutsideQuotes(text, {
        from: '$__timeFrom',
        to: '$__timeTo',
        window: '$__interval',
      }),
      rawQuery: true,
      format: 'time_series',
    },
  }[language]
  const panel = {
    type: 'timeseries',
    title: 'From Millrace',
    datasource: { type: 'influxdb' },
    gridPos: { h: 9, w: 12, x: 0, y: 0 },
    targets: [{ refId: 'A', ...target }],
  }
  return JSON.stringify(panel, undefined, 2)
}

/** An input of an agent that asks over and over: its rows become points of `millrace`. */
function telegraf(question: Question, url: string, org: string, bucket: string): string {
  const isFlux = question.language === 'flux'
  const asked = { ...question, text: relativeText(question) }
  const { text: q } = asked
  const body = isFlux ? { query: q } : { db: bucket, q, format: 'csv' }
  const [column, format] = isFlux
    ? ['_time', '2006-01-02T15:04:05.999999999Z07:00']
    : ['time', '2006-01-02T15:04:05.999999999']
  return [
    '[[inputs.http]]',
    `  urls = [${JSON.stringify(target(question, url, org).path)}]`,
    '  method = "POST"',
    '  headers = {"Authorization" = "Bearer $TOKEN", "Content-Type" = "application/json"}',
    // A basic text of TOML has the escapes of JSON.
    `  body = ${JSON.stringify(JSON.stringify(body))}`,
    '  name_override = "millrace"',
    '  data_format = "csv"',
    '  csv_header_row_count = 1',
    `  csv_timestamp_column = "${column}"`,
    `  csv_timestamp_format = "${format}"`,
  ].join('\n')
}
