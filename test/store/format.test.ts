// Golden files: a small example of every format, byte by byte, beside what the bytes mean. A change
// of a format shows as a change of its file; MILLRACE_REWRITE=1 writes them anew. Old data is
// another matter: see fixtures.test.ts.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Column } from '../../src/column/column.js'
import { readFile } from '../../src/platform/disk.js'
import { ByteWriter } from '../../src/store/embedded/encoding/byte-writer.js'
import { printManifest } from '../../src/store/embedded/files/manifest.js'
import { IndexLog } from '../../src/store/embedded/index/index-log.js'
import { ParsedSeries } from '../../src/store/embedded/index/parsed-series.js'
import { SeriesIndex } from '../../src/store/embedded/index/series-index.js'
import { SegmentWriter } from '../../src/store/embedded/segment/writer.js'
import { type WalRecord, writeRecord } from '../../src/store/embedded/wal/record.js'
import { WalWriter } from '../../src/store/embedded/wal/writer.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import { dumpIndexLog, dumpSegment, dumpWal } from './format-dump.js'

const folder = fileURLToPath(new URL('../corpus/format', import.meta.url))

function expectGolden(name: string, text: string): void {
  const path = `${folder}/${name}.txt`
  if (process.env.MILLRACE_REWRITE === '1') writeFileSync(path, text)
  expect(text).toBe(readFileSync(path, 'utf8'))
}

function floats(...values: number[]): Float64Array {
  return Float64Array.from(values)
}

function texts(...entries: string[]): Pick<Column & { type: 'string' }, 'dictionary' | 'values'> {
  const parts = entries.map((entry) => Buffer.from(entry))
  const offsets = new Uint32Array(entries.length + 1)
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i] + part.length
  })
  return {
    values: Uint32Array.from(entries.keys()),
    dictionary: { offsets, bytes: Buffer.concat(parts), count: entries.length },
  }
}

const validity = undefined

test('WAL', async () => {
  const disk = new SimulatedDisk()
  await disk.makeDir('data/wal')
  const writer = await WalWriter.create(disk, 'data', 7, { before: 5, beforeEnd: 300, manifest: 4 })
  const shard = { start: 0n, stop: 604800000000000n }
  const first: WalRecord = {
    bucket: '00000000000000b1',
    firstSeries: 0,
    seriesKeys: [Buffer.from('cpu,host=a'), Buffer.from('cpu,host=b')],
    firstField: 0,
    fields: [
      { measurementId: 0, name: 'load', type: 'float', beginsAnew: false },
      { measurementId: 0, name: 'n', type: 'integer', beginsAnew: false },
      { measurementId: 0, name: 'wide', type: 'unsigned', beginsAnew: false },
      { measurementId: 0, name: 'on', type: 'boolean', beginsAnew: false },
      { measurementId: 0, name: 'state', type: 'string', beginsAnew: false },
    ],
    tables: [
      {
        shard,
        table: {
          measurementId: 0,
          rowCount: 2,
          series: Uint32Array.of(0, 1),
          offsets: floats(1e9, 61e9),
          fields: [
            { fieldId: 0, column: { type: 'float', values: floats(0.5, -0), validity } },
            { fieldId: 1, column: { type: 'integer', values: floats(-300, 300), validity } },
            {
              fieldId: 2,
              column: { type: 'unsigned', values: BigUint64Array.of(1n, 2n ** 64n - 1n), validity },
            },
            {
              fieldId: 3,
              column: {
                type: 'boolean',
                values: Uint8Array.of(1, 0),
                validity: Uint8Array.of(1, 0),
              },
            },
            { fieldId: 4, column: { type: 'string', ...texts('ok', 'warn'), validity } },
          ],
        },
      },
    ],
  }
  const second: WalRecord = {
    ...first,
    firstSeries: 2,
    seriesKeys: [],
    firstField: 5,
    fields: [],
    tables: [
      {
        shard,
        table: {
          measurementId: 0,
          rowCount: 3,
          series: Uint32Array.of(1, 1, 1),
          offsets: floats(5e9, 5e9 + 100, 5e9 + 200),
          fields: [
            { fieldId: 1, column: { type: 'integer', values: floats(7, 70000, 700000), validity } },
          ],
        },
      },
    ],
  }
  const records = [first, second].map((record) => {
    const bytes = new ByteWriter()
    writeRecord(bytes, record)
    return bytes.written()
  })
  await writer.append(records)
  await writer.append([records[1]])
  await writer.close()
  expectGolden('wal', dumpWal(await readFile(disk, 'data/wal/0000000007.wal')))
})

test('index log', async () => {
  const disk = new SimulatedDisk()
  await disk.makeDir('data')
  const index = new SeriesIndex({ shared: false, parsed: new ParsedSeries() })
  const log = IndexLog.empty({ disk, root: 'data', bucket: '00000000000000b1', number: 0 })
  index.intern(Buffer.from('cpu,host=a'))
  index.addField({ measurementId: 0, name: 'load', type: 'float', beginsAnew: false })
  await log.append(index)
  index.intern(Buffer.from('mem\\ free,host=é'))
  index.addField({ measurementId: 1, name: 'bytes', type: 'unsigned', beginsAnew: false })
  index.addField({ measurementId: 0, name: 'state', type: 'string', beginsAnew: false })
  await log.append(index)
  await log.close()
  expectGolden('index-log', dumpIndexLog(await readFile(disk, 'data/00000000000000b1/index.log')))
})

test('manifest', () => {
  const bytes = printManifest({
    number: 4,
    newestWal: 12,
    replaced: [9],
    nextNumber: 12,
    walFloor: 9,
    buckets: [
      {
        id: '00000000000000b1',
        indexFile: 0,
        indexBytes: 96,
        shards: [
          {
            start: -604800000000000n,
            stop: 0n,
            segments: [
              {
                number: 8,
                byteLength: 1024,
                rowCount: 100,
                minTime: -604800000000000n,
                maxTime: -1n,
                tombstones: [
                  {
                    start: -9223372036854775806n,
                    stop: 0n,
                    measurement: 'cpu',
                    predicate: { kind: 'tag', tag: 'host', op: '=', value: 'a' },
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  })
  expectGolden('manifest', Buffer.from(bytes).toString())
})

const rows = Array.from({ length: 12 }, (_, i) => i)
const by = (value: (i: number) => number) => Float64Array.from(rows, value)

/**
 * Every scheme has a column that makes the writer choose it, except deflated texts: what deflate
 * makes of a text is the machine's business. The fixtures hold some.
 */
const exampleColumns: readonly { name: string; column: Column }[] = [
  { name: 'constant', column: { type: 'integer', values: by(() => 7), validity } },
  { name: 'offsets', column: { type: 'integer', values: by((i) => (i * 5) % 12), validity } },
  { name: 'steps', column: { type: 'integer', values: by((i) => i * (1e6 + i)), validity } },
  { name: 'bits', column: { type: 'integer', values: by((i) => i * 2 ** 49), validity } },
  { name: 'decimal', column: { type: 'float', values: by((i) => (i * 7) / 100), validity } },
  { name: 'planes', column: { type: 'float', values: by((i) => 1 / (i + 3)), validity } },
  {
    name: 'wide',
    column: {
      type: 'unsigned',
      values: BigUint64Array.from(rows, (i) => 2n ** 63n + BigInt(i)),
      validity,
    },
  },
  {
    name: 'flag',
    column: { type: 'boolean', values: Uint8Array.from(rows, (i) => i & 1), validity },
  },
  {
    name: 'sparse',
    column: {
      type: 'integer',
      values: by((i) => i),
      validity: Uint8Array.from(rows, (i) => Number(i % 4 === 0)),
    },
  },
  {
    name: 'text',
    column: {
      type: 'string',
      ...texts(...rows.map((i) => (i % 3 === 0 ? 'warn' : 'ok'))),
      validity,
    },
  },
]

test('segment', async () => {
  const disk = new SimulatedDisk()
  const file = await disk.open('example.seg', 'create')
  const writer = new SegmentWriter(file, 0n, 4)
  writer.beginMeasurement(
    'all',
    exampleColumns.map(({ name, column }) => ({ name, type: column.type })),
  )
  const offsets = by((i) => 1e9 + i * 1e10)
  const columns = exampleColumns.map(({ column }) => column)
  await writer.addSeries(4, { rowCount: 12, offsets, columns })
  writer.beginMeasurement('shared', [
    { name: 'v', type: 'float' },
    { name: 'w', type: 'float' },
  ])
  const only = (value: number): (Column | undefined)[] => [
    { type: 'float', values: floats(value), validity },
    undefined,
  ]
  await writer.addSeries(9, { rowCount: 1, offsets: floats(5), columns: only(1.5) })
  await writer.addSeries(2, { rowCount: 1, offsets: floats(6), columns: only(2.5) })
  // Long enough for exceptions: one value in 32 may be none of the decimals.
  const many = Float64Array.from({ length: 40 }, (_, i) => (i === 9 ? -0 : i / 4))
  writer.beginMeasurement('signs', [{ name: 'v', type: 'float' }])
  await writer.addSeries(5, {
    rowCount: 40,
    offsets: Float64Array.from(many.keys()),
    columns: [{ type: 'float', values: many, validity }],
  })
  await writer.finish()
  await file.close()
  const dump = dumpSegment(await readFile(disk, 'example.seg'))
  for (const scheme of ['constant', 'parts', 'bits', 'decimal', 'exceptions', 'planes']) {
    expect(dump).toContain(`, ${scheme}`)
  }
  for (const text of ['12 offsets of', '12 steps of', 'planes block', '128 rows', 'time block']) {
    expect(dump).toContain(text)
  }
  expectGolden('segment', dump)
})
