// What is asked in a rehearsal: the questions that dashboards ask, about a few series of one
// measurement and a stretch of its time that is short enough to be read at once.

import { allTime, type TimeRange } from '../column/time.js'
import { quoteIdentifier, quoteString } from '../influxql/syntax/quoting.js'
import type { BucketId, Store } from '../store/store.js'

/** Rows that a question is about: of dashboards that show an hour, and of those that show a day. */
const rowsOfHour = 400
const rowsOfDay = 5000
/** Measurements with more series are only asked about some of them. */
const seriesMaxWhole = 2000
/** Those with more are not asked about: to list the values of a tag with a million takes 230 MB. */
const seriesMax = 200_000
const valuesMax = 8
const fieldsMax = 5
/** With fewer there is nothing to be gained. */
const rowCountMin = 1000

export interface Subject {
  readonly bucket: BucketId
  readonly measurement: string
  readonly rowCount: number
  readonly seriesCount: number
  /** Names of fields with numbers. */
  readonly fields: readonly string[]
  readonly tag: { readonly key: string; readonly values: readonly string[] } | undefined
  readonly hour: TimeRange
  readonly day: TimeRange
}

/** The largest measurement of a bucket; undefined: there is none worth the while. */
export async function subjectOf(store: Store, bucket: BucketId): Promise<Subject | undefined> {
  let largest: Subject | undefined
  for (const measurement of await namesOf(store, { bucket, kind: 'measurements' })) {
    const extent = await store.schema({ bucket, kind: 'extent', measurement, range: allTime })
    if (extent.kind !== 'extent' || extent.range === undefined) continue
    const { range, rowCountMax: rowCount } = extent
    if (rowCount < Math.max(rowCountMin, largest?.rowCount ?? 0)) continue
    const cardinality = await store.schema({ bucket, kind: 'cardinality', measurement })
    const seriesCount = cardinality.kind === 'cardinality' ? Math.max(1, cardinality.count) : 1
    if (seriesCount > seriesMax) continue
    const fields = await numberFields(store, bucket, measurement)
    if (fields.length === 0) continue
    const tag = await finestTag(store, bucket, measurement)
    // What one question is about: a series, or those that share a value.
    const rowsOfOne = rowCount / (tag?.values.length ?? 1)
    const hour = stretch(range, rowsOfHour / rowsOfOne)
    const day = stretch(range, rowsOfDay / rowsOfOne)
    largest = { bucket, measurement, rowCount, seriesCount, fields, tag, hour, day }
  }
  return largest
}

async function namesOf(
  store: Store,
  request: Parameters<Store['schema']>[0],
): Promise<readonly string[]> {
  const answer = await store.schema(request)
  return answer.kind === 'names' ? answer.names : []
}

async function numberFields(store: Store, bucket: BucketId, measurement: string) {
  const answer = await store.schema({ bucket, kind: 'fields', measurement })
  const fields = answer.kind === 'fields' ? answer.fields : []
  const numbers = fields.filter(({ type }) => type === 'float' || type === 'integer')
  return numbers.slice(0, fieldsMax).map(({ name }) => name)
}

/** The one with the most values: it chooses the fewest series. */
async function finestTag(store: Store, bucket: BucketId, measurement: string) {
  let finest: { key: string; values: readonly string[] } | undefined
  for (const key of await namesOf(store, { bucket, kind: 'tag-keys', measurement })) {
    const values = await namesOf(store, { bucket, kind: 'tag-values', measurement, tag: key })
    if (values.length > (finest?.values.length ?? 0)) finest = { key, values }
  }
  return finest
}

/** In the middle, where no series begins or ends. */
function stretch({ start, stop }: TimeRange, share: number): TimeRange {
  const length = BigInt(Math.ceil(Number(stop - start) * Math.min(1, share)))
  const from = start + (stop - start - length) / 2n
  return { start: from, stop: from + length }
}

/**
 * Questions about everything are left out where there is too much of it. Those of another round are about a moment
 * later, as dashboards move on: what was kept for a text does not answer them.
 */
export function rehearsalQueries(subject: Subject, round: number): readonly (readonly string[])[] {
  const { measurement, fields, tag, seriesCount } = subject
  const hour = later(subject.hour, round)
  const day = later(subject.day, round)
  const from = `from ${quoteIdentifier(measurement)}`
  const names = fields.map(quoteIdentifier)
  const [name] = names
  const each = (call: string) => names.map((field) => `${call}(${field})`).join(', ')
  const tests = tag === undefined ? [] : tag.values.slice(0, valuesMax).map(equalTo(tag.key))
  const chosen = tests.length === 0 ? [''] : tests.map((test) => `${test} and `)
  const some = tests.length === 0 ? '' : `(${tests.join(' or ')}) and `
  const ofEach = (ask: (one: string, i: number) => string) => chosen.map(ask)
  const kinds = [
    ofEach(
      (one, i) =>
        `select max(${name}) ${from} where ${one}${within(hour, i)} group by ${windows(hour, 60)}`,
    ),
    ofEach(
      (one, i) =>
        `select mean(${name}) ${from} where ${one}${within(day, i)} group by ${windows(day, 720)}`,
    ),
    [`select ${each('max')} ${from} where ${some}${within(hour, 2)} group by ${windows(hour, 60)}`],
    ofEach(
      (one, i) =>
        `select ${each('mean')} ${from} where ${one}${within(day, i)} group by ${windows(day, 12)}`,
    ),
    ofEach((one, i) => `select * ${from} where ${name} > 0 and ${one}${within(hour, i)}`),
    ofEach((one, i) => `select last(${name}) ${from} where ${one}${within(hour, i)}`),
    ofEach(
      (one, i) => `select ${names.join(', ')} ${from} where ${one}${within(hour, i)} limit 100`,
    ),
  ]
  if (tag === undefined || seriesCount > seriesMaxWhole) return kinds
  const key = quoteIdentifier(tag.key)
  return [
    ...kinds,
    [`select mean(${name}) ${from} where ${within(hour, 0)} group by ${windows(hour, 12)}, ${key}`],
    [`select last(${name}) ${from} group by ${key}`],
    [`show tag values ${from} with key = ${key}`],
  ]
}

function later({ start, stop }: TimeRange, milliseconds: number): TimeRange {
  const ns = BigInt(milliseconds) * 1_000_000n
  return { start: start + ns, stop: stop + ns }
}

/** As programs, dashboards and people write moments. */
const notations: readonly ((ns: bigint) => string)[] = [
  (ns) => `${ns}`,
  (ns) => `${ns / 1_000_000n}ms`,
  (ns) => `'${new Date(Number(ns / 1_000_000n)).toISOString()}'`,
]

function within({ start, stop }: TimeRange, i: number): string {
  const moment = notations[i % notations.length]
  return `time >= ${moment(start)} and time < ${moment(stop)}`
}

function windows({ start, stop }: TimeRange, count: number): string {
  return `time(${(stop - start) / BigInt(count) + 1n}ns)`
}

function equalTo(key: string): (value: string) => string {
  return (value) => `${quoteIdentifier(key)} = ${quoteString(value)}`
}
