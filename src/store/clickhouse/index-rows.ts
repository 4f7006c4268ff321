// Rows of the index: which series a measurement has in a span of time (`series_index`, with the key), and under which
// tags they are found (`tag_index`).

import { parseSeriesKey } from '../../column/series.js'
import { indexTables } from './layout.js'
import { bytesOf, encodeBlock, encodeStrings, type NativeColumn } from './native-format.js'
import type { Measurement } from './registry.js'

export interface IndexRow {
  /** Of the series in the cache. */
  readonly entry: number
  readonly number: bigint
  readonly key: Uint8Array
  readonly span: bigint
}

export interface IndexBlock {
  readonly sql: string
  readonly pieces: readonly Uint8Array[]
}

export function indexBlocks(measurement: Measurement, rows: readonly IndexRow[]): IndexBlock[] {
  if (rows.length === 0) return []
  const keys = encodeStrings(rows.map(({ key }) => key))
  const blocks = [
    blockOf(indexTables.series, measurement, rows, [{ name: 'key', base: 'String', bytes: keys }]),
  ]
  const tagged = rows.flatMap((row) => parseSeriesKey(row.key).tags.map((tag) => ({ ...row, tag })))
  if (tagged.length === 0) return blocks
  const texts = (of: (row: (typeof tagged)[number]) => string) =>
    encodeStrings(tagged.map((row) => Buffer.from(of(row))))
  const tags: NativeColumn[] = [
    { name: 'tag', base: 'String', bytes: texts(({ tag }) => tag.key) },
    { name: 'value', base: 'String', bytes: texts(({ tag }) => tag.value) },
  ]
  blocks.push(blockOf(indexTables.tags, measurement, tagged, tags))
  return blocks
}

function blockOf(
  table: string,
  { number, spanClass, generation }: Measurement,
  rows: readonly IndexRow[],
  more: readonly NativeColumn[],
): IndexBlock {
  const count = rows.length
  const numbers = BigUint64Array.from(rows, ({ number }) => number)
  const spans = BigInt64Array.from(rows, ({ span }) => span)
  const columns: NativeColumn[] = [
    { name: 'm', base: 'UInt32', bytes: bytesOf(new Uint32Array(count).fill(number)) },
    { name: 'span', base: 'Int64', bytes: bytesOf(spans) },
    { name: 'series', base: 'UInt64', bytes: bytesOf(numbers) },
    { name: 'class', base: 'UInt8', bytes: new Uint8Array(count).fill(spanClass) },
    {
      name: 'generation',
      base: 'UInt32',
      bytes: bytesOf(new Uint32Array(count).fill(generation)),
    },
    ...more,
  ]
  const names = columns.map(({ name }) => name).join(', ')
  return {
    sql: `INSERT INTO ${table} (${names}) FORMAT Native`,
    pieces: encodeBlock(columns, count),
  }
}
