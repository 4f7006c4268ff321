// How fast an answer becomes bytes: rows of a moment, ten tags and ten integer fields, as `select *` over many hosts
// gives them, and rows of floats; beside them JSON.stringify of the same rows as JavaScript arrays, made beforehand.
// Seconds are those of CPU time. The check string counts rows and bytes and compares both texts.

import { streamOf } from '../src/platform/pull-stream.js'
import { dictionaryOf } from '../src/query/column-builder.js'
import type { ResultBatch, ResultColumn, ResultPiece } from '../src/query/language.js'
import type { ResultFormat } from '../src/result/format.js'
import { encodeResults } from '../src/result/results.js'
import { type Figures, startTime } from './cpu-data.js'

const batchRows = 4096
const hosts = 100

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const rowCount = size === 'small' ? 10_000 : 216_000
  const rounds = size === 'small' ? 1 : 5
  const json = { encoding: 'json', isPretty: false, chunkRows: undefined, time: 'ns' } as const
  const wide = [...makeBatches(rowCount, wideColumns)]
  const floats = [...makeBatches(rowCount, floatColumns)]
  const ours = await fastest(rounds, () => encode(wide, json))
  const peer = await fastest(rounds, peerOf(wide))
  const texts = await fastest(rounds, () => encode(wide, { ...json, time: undefined }))
  const csv = await fastest(rounds, () => encode(wide, { ...json, encoding: 'csv' }))
  const decimals = await fastest(rounds, () => encode(floats, json))
  const isSame = (await encode(wide, json)).equals(await peerOf(wide)())
  const perSecond = (seconds: number) => rowCount / seconds
  return {
    name: 'result',
    figures: {
      jsonRowsPerSecond: perSecond(ours.seconds),
      jsonMegabytesPerSecond: ours.bytes / ours.seconds / 1e6,
      stringifyRowsPerSecond: perSecond(peer.seconds),
      rfc3339RowsPerSecond: perSecond(texts.seconds),
      csvRowsPerSecond: perSecond(csv.seconds),
      floatRowsPerSecond: perSecond(decimals.seconds),
    },
    check: `${rowCount} rows, ${ours.bytes} bytes, ${isSame ? 'as' : 'unlike'} JSON.stringify`,
  }
}

async function fastest(
  rounds: number,
  work: () => Promise<Buffer>,
): Promise<{ seconds: number; bytes: number }> {
  let seconds = Number.POSITIVE_INFINITY
  let bytes = 0
  for (let i = 0; i < rounds; i++) {
    const start = process.cpuUsage()
    bytes = (await work()).length
    const { user, system } = process.cpuUsage(start)
    seconds = Math.min(seconds, (user + system) / 1e6)
  }
  return { seconds, bytes }
}

async function encode(batches: readonly ResultBatch[], format: ResultFormat): Promise<Buffer> {
  const parts: Buffer[] = []
  // Copied, as a socket does it.
  for await (const part of encodeResults(streamOf(pieces(batches)), format))
    parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

async function* pieces(batches: readonly ResultBatch[]): AsyncGenerator<ResultPiece> {
  yield { kind: 'start', result: 0, messages: [] }
  yield* batches
}

/** The rows are made beforehand: what is compared is the printing alone. */
function peerOf(batches: readonly ResultBatch[]): () => Promise<Buffer> {
  const values = batches.flatMap((batch) =>
    Array.from({ length: batch.rowCount }, (_, row) =>
      batch.columns.map((column) => cellOf(column, row)),
    ),
  )
  const { name, columnNames } = batches[0]
  const series = [{ name, columns: columnNames, values }]
  return async () => {
    const text = JSON.stringify({ results: [{ statement_id: 0, series }] })
    // Nanoseconds are no safe integers; they are spelt as texts and lose their quotes.
    return Buffer.from(`${text.replace(/"ns(\d+)"/g, '$1')}\n`)
  }
}

function cellOf(column: ResultColumn, row: number): unknown {
  if (column.type === 'time') return `ns${column.times.base + BigInt(column.times.offsets[row])}`
  if (column.type === 'list') return column.lists[row]
  if (column.type !== 'string') return column.values[row]
  const { offsets, bytes } = column.dictionary
  const entry = column.values[row]
  return Buffer.from(bytes.subarray(offsets[entry], offsets[entry + 1])).toString()
}

function* makeBatches(
  rowCount: number,
  make: (first: number, count: number) => [string, ResultColumn][],
): Generator<ResultBatch> {
  for (let first = 0; first < rowCount; first += batchRows) {
    const count = Math.min(batchRows, rowCount - first)
    const offsets = Float64Array.from({ length: count }, (_, i) => (first + i) * 1e9)
    const times = { base: startTime, offsets }
    const columns: [string, ResultColumn][] = [
      ['time', { type: 'time', times, validity: undefined }],
      ...make(first, count),
    ]
    yield {
      kind: 'batch',
      result: 0,
      name: 'cpu',
      tags: [],
      columnNames: columns.map(([name]) => name),
      columns: columns.map(([, column]) => column),
      rowCount: count,
    }
  }
}

const tags = [
  'arch',
  'datacenter',
  'hostname',
  'os',
  'rack',
  'region',
  'service',
  'stage',
  'team',
  'zone',
]

function wideColumns(first: number, count: number): [string, ResultColumn][] {
  const fields = Array.from({ length: 10 }, (_, field): [string, ResultColumn] => {
    const values = Float64Array.from({ length: count }, (_, i) => ((first + i) * (field + 3)) % 101)
    return [`usage_${field}`, { type: 'integer', values, validity: undefined }]
  })
  const texts = tags.map((tag): [string, ResultColumn] => {
    const dictionary = dictionaryOf(Array.from({ length: hosts }, (_, i) => `${tag}-${i}`))
    const values = Uint32Array.from({ length: count }, (_, i) => (first + i) % hosts)
    return [tag, { type: 'string', values, dictionary, validity: undefined }]
  })
  return [...fields, ...texts]
}

function floatColumns(first: number, count: number): [string, ResultColumn][] {
  return Array.from({ length: 10 }, (_, field): [string, ResultColumn] => {
    const values = Float64Array.from({ length: count }, (_, i) => Math.sqrt(first + i + field))
    return [`mean_${field}`, { type: 'float', values, validity: undefined }]
  })
}
