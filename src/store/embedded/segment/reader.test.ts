// Bytes that were read and checked serve again while they are at hand, threads take each other's word for a minute, and
// who checks a file looks at the disk all the same.

import { expect, test } from 'vitest'
import type { Column } from '../../../column/column.js'
import type { DiskFile } from '../../../platform/disk.js'
import { MemoryDisk } from '../../../platform/memory-disk.js'
import { ColumnBuffer } from '../encoding/column-block.js'
import { TimeBuffer } from '../encoding/time-buffer.js'
import { checkMinute, SegmentReader } from './reader.js'
import { RowCut } from './row-cut.js'
import { SegmentWriter } from './writer.js'

const rowsPerSeries = 200
const seriesPerGroup = 10

function numberAt(series: number, row: number): number {
  return series * 1000 + ((row * row) % 17)
}

/** Two groups of ten series each. */
async function makeSegment() {
  const disk = new MemoryDisk()
  const written = await disk.open('/a.seg', 'create')
  const writer = new SegmentWriter(written, 0n, 1)
  writer.beginMeasurement('m', [{ name: 'f', type: 'integer' }])
  for (const first of [0, seriesPerGroup]) {
    const ids = Array.from({ length: seriesPerGroup }, (_, i) => first + i)
    const rows = ids.flatMap((series) =>
      Array.from({ length: rowsPerSeries }, (_, row) => ({ series, row })),
    )
    const offsets = Float64Array.from(rows, ({ series, row }) => row * 10 + (series % 3))
    const values = Float64Array.from(rows, ({ series, row }) => numberAt(series, row))
    const columns: Column[] = [{ type: 'integer', values, validity: undefined }]
    const counts = ids.map(() => rowsPerSeries)
    await writer.addGroup(ids, counts, { rowCount: rows.length, offsets, columns })
  }
  await writer.finish()
  const reader = await SegmentReader.open(disk, '/a.seg')
  return { disk, written, reader, directory: reader.directory.measurements.get('m')! }
}

/** How often a file is read while something happens. */
async function readsWhile(file: DiskFile, act: () => void): Promise<number> {
  const { readSync } = file
  let count = 0
  file.readSync = (...args) => {
    count++
    return readSync.apply(file, args)
  }
  try {
    act()
  } finally {
    file.readSync = readSync
  }
  return count
}

test('series that share a group come out of one read', async () => {
  const { reader, directory } = await makeSegment()
  const times = new TimeBuffer(true)
  const buffers = [new ColumnBuffer()]
  const look = (g: number, s: number) => {
    const start = s * rowsPerSeries
    const columns: (Column | undefined)[] = [undefined]
    const cut = new RowCut().setRows(start, start + rowsPerSeries)
    const series = reader.readSeries(directory, g)
    reader.readGroup(directory, g, [0], times, buffers, columns, series, cut)
    const id = g * seriesPerGroup + s
    for (const row of [0, 1, 77, rowsPerSeries - 1]) {
      expect(times.offsets[start + row]).toBe(row * 10 + (id % 3))
      expect(columns[0]?.values[start + row]).toBe(numberAt(id, row))
    }
  }
  const ahead = (g: number) => reader.readAhead(directory, g, [0])
  const all = () => {
    for (const g of [0, 1, 0]) {
      ahead(g)
      for (const s of [7, 2, 3, 9]) look(g, s)
    }
  }
  expect(await readsWhile(reader.file, all)).toBe(3)
})

test('damage on the disk is found where the bytes are at hand', async () => {
  const { written, reader, directory } = await makeSegment()
  const [at, byteLength, crc] = [directory.timeAt[0], directory.timeBytes[0], directory.timeCrcs[0]]
  reader.check(at, byteLength, crc)
  reader.readAhead(directory, 0, [0])
  await written.write([Uint8Array.of(0xff, 0xff, 0xff)], at + 20)
  expect(() => reader.check(at, byteLength, crc)).toThrow('wrong checksum')
  const cut = new RowCut().setRows(0, 10)
  const series = reader.readSeries(directory, 0)
  const times = new TimeBuffer(true)
  const read = () => reader.readGroup(directory, 0, [], times, [], [], series, cut)
  // Not taken for checked the next time either.
  expect(read).toThrow('wrong checksum')
  expect(read).toThrow('wrong checksum')
})

test('what another reader has checked within the minute is taken as it is, and nothing else', async () => {
  const { disk, written, reader, directory } = await makeSegment()
  const minute = checkMinute(90_000_000_000n)
  const readAnew = async (g: number, at: number) => {
    const other = await SegmentReader.openKnown(disk, '/a.seg', 0n, directory, at)
    const columns: (Column | undefined)[] = [undefined]
    const cut = new RowCut().setRows(0, 10)
    const series = other.readSeries(directory, g)
    const times = new TimeBuffer(true)
    other.readGroup(directory, g, [0], times, [new ColumnBuffer()], columns, series, cut)
    return columns[0]?.values.slice(0, 10)
  }
  const good = await readAnew(0, minute)
  // In the last word of a column: parts that are read do not lie there.
  for (const g of [0, 1]) {
    const end = directory.columnAt[g] + directory.columnBytes[g]
    await written.write([Uint8Array.of(0xff, 0xff, 0xff)], end - 3)
  }
  expect(await readAnew(0, minute)).toEqual(good)
  await expect(readAnew(1, minute)).rejects.toThrow('wrong checksum')
  await expect(readAnew(0, minute + 1)).rejects.toThrow('wrong checksum')
  // The thread that answers relies on nobody.
  const cut = new RowCut().setRows(0, 10)
  const ask = () =>
    reader.readGroup(directory, 0, [0], undefined, [new ColumnBuffer()], [], undefined, cut)
  expect(ask).toThrow('wrong checksum')
})

test('minutes have numbers that are never 0', () => {
  expect(checkMinute(0n)).toBe(1)
  expect(checkMinute(59_999_999_999n)).toBe(1)
  expect(checkMinute(60_000_000_000n)).toBe(2)
  expect(checkMinute(60_000_000_000n * 0xffffn)).toBe(1)
})
