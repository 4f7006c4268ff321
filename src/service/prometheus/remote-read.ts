// Prometheus' remote read: which series and when, as a snappy block with a protobuf message, and the samples the same
// way. Whoever wrote the points, numbers in the field `value` are samples.
//
//   ReadRequest   1: Query, repeated
//   Query         1: from, 2: to (milliseconds, both included)   3: LabelMatcher, repeated
//   LabelMatcher  1: type (0 equal, 1 not, 2 matches, 3 does not)   2: name   3: value
//   ReadResponse  1: QueryResult, repeated, each 1: TimeSeries, repeated; see remote-write.ts

import type { Batch } from '../../column/batch.js'
import type { TagPredicate } from '../../column/predicate.js'
import { compileRegex } from '../../column/regex.js'
import { timeAt } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { collectPages } from '../../store/schema-pages.js'
import type { BucketId, Store } from '../../store/store.js'
import { readMessage, signed, textOf } from '../../tsm/metadata/protobuf-reader.js'
import { bytesField, doubleField, packLiteral, textField, varintField } from './protobuf-writer.js'
import { judged, nameLabel, valueField } from './remote-write.js'

export interface Matcher {
  readonly isNegated: boolean
  readonly isRegex: boolean
  readonly name: string
  readonly value: string
}

export interface SampleQuery {
  readonly startMs: bigint
  readonly endMs: bigint
  readonly matchers: readonly Matcher[]
}

export function parseReadRequest(message: Uint8Array): SampleQuery[] {
  return judged(() => {
    const queries: SampleQuery[] = []
    for (const { number, bytes } of readMessage(message)) {
      if (number === 1) queries.push(queryOf(bytes))
    }
    return queries
  })
}

function queryOf(message: Uint8Array): SampleQuery {
  let [startMs, endMs] = [0n, 0n]
  const matchers: Matcher[] = []
  for (const { number, value, bytes } of readMessage(message)) {
    if (number === 1) startMs = signed(value)
    else if (number === 2) endMs = signed(value)
    else if (number === 3) matchers.push(matcherOf(bytes))
  }
  return { startMs, endMs, matchers }
}

function matcherOf(message: Uint8Array): Matcher {
  let type = 0
  let [name, text] = ['', '']
  for (const { number, value, bytes } of readMessage(message)) {
    if (number === 1) type = Number(value)
    else if (number === 2) name = textOf(bytes)
    else if (number === 3) text = textOf(bytes)
  }
  if (type > 3) throw new UserError('invalid', `matchers of type ${type} are not known here`)
  return { isNegated: type % 2 === 1, isRegex: type > 1, name, value: text }
}

/** Of all queries together. */
export interface SampleLimit {
  left: number
}

/** The answer as it is sent. */
export async function answerQueries(
  store: Store,
  bucket: BucketId,
  queries: readonly SampleQuery[],
  limit: SampleLimit,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const results: Uint8Array[] = []
  for (const query of queries) {
    const series = new Map<string, Uint8Array[]>()
    for (const measurement of await measurementsOf(store, bucket, query, signal)) {
      await readSamples(store, bucket, measurement, query, series, limit, signal)
    }
    const parts = Array.from(series.values(), (pieces) => bytesField(1, Buffer.concat(pieces)))
    results.push(bytesField(1, Buffer.concat(parts)))
  }
  return packLiteral(Buffer.concat(results))
}

async function measurementsOf(
  store: Store,
  bucket: BucketId,
  { matchers }: SampleQuery,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const named = matchers.filter(({ name }) => name === nameLabel)
  const one = named.find(({ isRegex, isNegated }) => !isRegex && !isNegated)
  if (one !== undefined) return [one.value]
  const all = await collectPages(store.names({ kind: 'measurements', bucket }, signal))
  const tests = named.map((matcher) => testOf(matcher))
  return all.filter((name) => tests.every((test) => test(name)))
}

function testOf({ isRegex, isNegated, value }: Matcher): (name: string) => boolean {
  if (!isRegex) return (name) => (name === value) !== isNegated
  const regex = compileRegex(anchored(value))
  return (name) => regex.test(name) !== isNegated
}

/** Prometheus' expressions match the whole value. */
function anchored(pattern: string): string {
  return `^(?:${pattern})$`
}

function predicateOf(matchers: readonly Matcher[]): TagPredicate | undefined {
  const parts = matchers
    .filter(({ name }) => name !== nameLabel)
    .map(({ isRegex, isNegated, name, value }): TagPredicate => {
      if (!isRegex) return { kind: 'tag', tag: name, op: isNegated ? '!=' : '=', value }
      return { kind: 'tag-regex', tag: name, pattern: anchored(value), negated: isNegated }
    })
  return parts.length === 0 ? undefined : { kind: 'and', parts }
}

async function readSamples(
  store: Store,
  bucket: BucketId,
  measurement: string,
  query: SampleQuery,
  series: Map<string, Uint8Array[]>,
  limit: SampleLimit,
  signal: AbortSignal,
): Promise<void> {
  const range = { start: query.startMs * 1_000_000n, stop: (query.endMs + 1n) * 1_000_000n }
  if (range.start >= range.stop) return
  const predicate = predicateOf(query.matchers)
  const request = { bucket, measurement, range, fields: [valueField], predicate }
  for await (const batch of store.read(request, signal)) addSamples(batch, series, limit)
}

function addSamples(batch: Batch, series: Map<string, Uint8Array[]>, limit: SampleLimit): void {
  const [column] = batch.columns
  if (column === undefined || column.type === 'string') return
  limit.left -= batch.rowCount
  if (limit.left < 0) {
    throw new UserError('unprocessable entity', 'the answer has too many samples: ask for less')
  }
  for (const { key, start, stop } of batch.runs) {
    const labels = key.tags.filter(({ key: name }) => name !== nameLabel)
    const id = JSON.stringify([batch.measurement, labels])
    let pieces = series.get(id)
    if (pieces === undefined) {
      pieces = labelsOf(batch.measurement, labels)
      series.set(id, pieces)
    }
    for (let row = start; row < stop; row++) {
      if (column.validity !== undefined && column.validity[row] === 0) continue
      const milliseconds = timeAt(batch.times, row) / 1_000_000n
      const sample = [doubleField(1, Number(column.values[row])), varintField(2, milliseconds)]
      pieces.push(bytesField(2, Buffer.concat(sample)))
    }
  }
}

/** Sorted by name, as Prometheus wants them. */
function labelsOf(
  measurement: string,
  labels: readonly { readonly key: string; readonly value: string }[],
): Uint8Array[] {
  const all = [{ key: nameLabel, value: measurement }, ...labels]
  all.sort((a, b) => (a.key < b.key ? -1 : 1))
  return all.map(({ key, value }) =>
    bytesField(1, Buffer.concat([textField(1, key), textField(2, value)])),
  )
}
