// The builder's model in three languages: the service gives the same answer to each, for names and values that have to
// be quoted and for every function. Also what stands in the place of range and window, and that quotes are left alone.

import { expect, it } from 'vitest'
import { seededRandom } from '../../src/platform/random.js'
import { AnnotatedCsv } from '../../ui/src/query/annotated-csv.js'
import { JsonLines, V1Results } from '../../ui/src/query/json-results.js'
import {
  boundText,
  type Language,
  type Question,
  replaceOutsideQuotes,
} from '../../ui/src/query/language.js'
import { aggregates, type Model } from '../../ui/src/query/model.js'
import { printModel } from '../../ui/src/query/print.js'
import type { Table } from '../../ui/src/query/result.js'
import { seriesOf } from '../../ui/src/query/series.js'
import { install, send } from '../api/harness.js'

const minute = 60_000
const from = Date.parse('2026-01-01T00:00:00Z')
const hosts = ['a', "it's", 'say "hi"', 'back\\slash', '${x}', 'ä — ☂']

function lines(): string {
  const spelt = (text: string) => text.replace(/[ ,=]/g, '\\$&')
  const rows: string[] = []
  for (let i = 0; i < 30; i++) {
    for (const [j, host] of hosts.entries()) {
      const values = `load=${(i * 7 + j * 3) % 11},"fi\\ eld=${i + j}`
      rows.push(
        `m\\ "x,host=${spelt(host)},dc=${j % 2 === 0 ? 'x' : 'y'} ${values} ${from + i * 20_000}`,
      )
    }
  }
  return rows.join('\n')
}

it('prints one question in three languages', async () => {
  const { url, token, orgID } = await installed()
  const random = seededRandom(7)
  const ask = (language: Language, model: Model) => answerOf(url, token, orgID, language, model)
  for (const aggregate of aggregates) {
    const model: Model = {
      bucket: 'ui',
      measurement: 'm "x',
      fields: random.below(2) === 0 ? ['load'] : ['load', '"fi eld'],
      filters: random.below(2) === 0 ? [] : [{ tag: 'host', values: hosts.slice(random.below(4)) }],
      aggregate,
      groups:
        aggregate === 'none' ? ['host', 'dc'] : random.below(2) === 0 ? ['host'] : ['dc', 'host'],
    }
    const answers = [
      await ask('influxql', model),
      await ask('flux', model),
      await ask('sql', model),
    ]
    expect(answers[0].length, aggregate).toBeGreaterThan(1)
    expect(answers[1], aggregate).toEqual(answers[0])
    expect(answers[2], aggregate).toEqual(answers[0])
  }
})

async function installed() {
  const { url, token } = await install()
  const orgs = await send(`${url}/api/v2/orgs`, { token })
  const orgID = orgs.json.orgs[0].id as string
  const made = await send(`${url}/api/v2/buckets`, {
    method: 'POST',
    token,
    body: JSON.stringify({ orgID, name: 'ui', retentionRules: [] }),
  })
  const written = await send(
    `${url}/api/v2/write?orgID=${orgID}&bucket=${made.json.id}&precision=ms`,
    {
      method: 'POST',
      token,
      body: lines(),
    },
  )
  expect(written.text).toBe('')
  return { url, token, orgID }
}

function questionOf(language: Language, model: Model): Question {
  const moments = { from, to: from + 10 * minute }
  return {
    language,
    text: printModel(model, language),
    orgId: '',
    bucketId: 'ui',
    moments,
    windowSeconds: 60,
  }
}

/** Each series by its label, with times and values, sorted: the languages have orders of their own. */
async function answerOf(
  url: string,
  token: string,
  orgID: string,
  language: Language,
  model: Model,
) {
  const question = questionOf(language, model)
  const tables = await tablesOf(url, token, orgID, question)
  const { series } = seriesOf(tables)
  return series
    .map(({ field, tags, times, values }) => ({
      field,
      tags,
      times: [...times],
      values: [...values],
    }))
    .filter(({ values }) => values.length > 0)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

async function tablesOf(
  url: string,
  token: string,
  orgID: string,
  question: Question,
): Promise<readonly Table[]> {
  const post = async (path: string, body: object, accept: string) => {
    const headers = { 'content-type': 'application/json', accept }
    const answer = await send(`${url}${path}`, {
      method: 'POST',
      token,
      headers,
      body: JSON.stringify(body),
    })
    expect(answer.status, answer.text).toBe(200)
    return answer.text
  }
  const query = boundText(question)
  if (question.language === 'influxql') {
    const body = { type: 'influxql', bucket: 'ui', query }
    const reader = new V1Results()
    reader.add(await post(`/api/v2/query?orgID=${orgID}`, body, 'application/json'))
    expect(reader.failure).toBeUndefined()
    return reader.finish(false)
  }
  if (question.language === 'sql') {
    const reader = new JsonLines()
    reader.add(
      await post('/api/v3/query_sql', { db: 'ui', q: query, format: 'jsonl' }, 'application/jsonl'),
    )
    return reader.finish()
  }
  const moments = 'timeRangeStart: 2026-01-01T00:00:00Z, timeRangeStop: 2026-01-01T00:10:00Z'
  const range = `option v = {${moments}, windowPeriod: 60s}\n`
  const dialect = { annotations: ['group', 'datatype', 'default'] }
  const reader = new AnnotatedCsv()
  reader.add(
    await post(`/api/v2/query?orgID=${orgID}`, { query: range + query, dialect }, 'text/csv'),
  )
  return reader.finish()
}

it('puts values in their places, and never within quotes or comments', () => {
  const text = `SELECT '$window', "$window", $window -- $window\n FROM x /* $window */ WHERE '' = $other`
  expect(replaceOutsideQuotes(text, { window: '1m' })).toBe(
    `SELECT '$window', "$window", 1m -- $window\n FROM x /* $window */ WHERE '' = $other`,
  )
  const question: Question = {
    ...questionOf('sql', {
      bucket: '',
      measurement: '',
      fields: [],
      filters: [],
      aggregate: 'none',
      groups: [],
    }),
    text: 'SELECT $host, $from, $window',
    variables: { host: "it's" },
  }
  expect(boundText(question)).toBe(
    "SELECT 'it''s', TIMESTAMP '2026-01-01T00:00:00.000Z', INTERVAL '60 seconds'",
  )
})

function keyOf({ field, tags }: { field: string; tags: Readonly<Record<string, string>> }): string {
  return JSON.stringify([field, Object.entries(tags).sort()])
}
