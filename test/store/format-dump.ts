// The engine's files as annotated bytes: WAL, index log and segment. The drawings are in
// wal/format.ts, index-log.ts, segment/format.ts and segment/directory.ts.

import { fieldTypes } from '../../src/column/column.js'
import { dumpColumn, dumpIntegers, dumpTimes } from './block-dump.js'
import { ByteDump } from './byte-dump.js'

function dumpFrames(bytes: Uint8Array, payload: (dump: ByteDump, end: number) => void): string {
  const dump = new ByteDump(bytes)
  dump.within('file header', () => {
    dump.magic()
    dump.u32('version')
    dump.u32('zero')
  })
  for (let number = 0; !dump.done; number++) {
    dump.within(`frame ${number}`, () => {
      const length = dump.u32('payload length')
      dump.crc('the payload')
      dump.u32('number')
      dump.crc('the 12 bytes before')
      payload(dump, dump.at + length)
      dump.align4()
    })
  }
  return `${dump.lines.join('\n')}\n`
}

function dumpNewFields(dump: ByteDump): void {
  const fields = dump.varint('new fields')
  for (let i = 0; i < fields; i++) {
    dump.varint('measurement')
    dump.text('field')
    dump.raw(1, `type ${fieldTypes[dump.bytes[dump.at]]}`)
  }
}

function dumpKept(dump: ByteDump): void {
  const series = dump.varint('series')
  for (let i = 0; i < series; i++) {
    dump.varint('number less that before')
    dump.text('key')
  }
}

function dumpNames(dump: ByteDump): void {
  dump.varint('next series')
  dump.varint('next measurement')
  dump.varint('next field')
  const measurements = dump.varint('measurements')
  for (let i = 0; i < measurements; i++) {
    dump.varint('number')
    dump.text('name')
    const fields = dump.varint('fields')
    for (let f = 0; f < fields; f++) {
      dump.text('field')
      dump.raw(1, `type ${fieldTypes[dump.bytes[dump.at]]}`)
    }
  }
}

export function dumpIndexLog(bytes: Uint8Array): string {
  return dumpFrames(bytes, (dump) => {
    const kind = dump.bytes[dump.at]
    dump.raw(1, `kind ${['added', 'kept', 'names'][kind]}`)
    if (kind === 1) return dumpKept(dump)
    if (kind === 2) return dumpNames(dump)
    const series = dump.varint('new series')
    for (let i = 0; i < series; i++) dump.text('key')
    dumpNewFields(dump)
  })
}

export function dumpWal(bytes: Uint8Array): string {
  let isFirst = true
  return dumpFrames(bytes, (dump, end) => {
    if (isFirst) {
      isFirst = false
      dump.varint('number of the log before')
      dump.varint('where that one ended')
      dump.varint('number of the manifest')
      return
    }
    while (dump.at < end) {
      dump.within('record', () => {
        dump.u32('length')
        dumpRecord(dump)
      })
    }
  })
}

function dumpRecord(dump: ByteDump): void {
  dump.raw(8, 'bucket')
  dump.varint('first new series')
  const series = dump.varint('new series')
  for (let i = 0; i < series; i++) dump.text('key')
  dump.varint('first new field')
  dumpNewFields(dump)
  const tables = dump.varint('tables')
  for (let i = 0; i < tables; i++) dump.within(`table ${i}`, () => dumpTable(dump))
}

function dumpTable(dump: ByteDump): void {
  dump.i64('shard start')
  dump.i64('shard stop')
  dump.varint('measurement')
  const rows = dump.varint('rows')
  dumpNumbers(dump, rows, 'series')
  dumpNumbers(dump, rows, 'offsets')
  const fields = dump.varint('fields')
  for (let i = 0; i < fields; i++) dump.within('field', () => dumpField(dump, rows))
}

function dumpField(dump: ByteDump, rows: number): void {
  dump.varint('field')
  const type = fieldTypes[dump.bytes[dump.at]]
  dump.raw(1, `type ${type}`)
  if (dump.u8('flags') === 1) dump.raw(rows, 'validity')
  if (type === 'boolean') dump.raw(rows, 'values')
  else if (type === 'string') {
    const entries = dump.varint('entries')
    dump.raw(dumpNumbers(dump, entries + 1, 'ends of entries'), 'texts')
    dumpNumbers(dump, rows, 'codes')
  } else dumpNumbers(dump, rows, 'values')
}

/** Answers the last number, where it is narrowed. */
function dumpNumbers(dump: ByteDump, count: number, meaning: string): number {
  const width = dump.u8(`${meaning}: width`)
  if (width >= 8) {
    dump.raw(count * 8, `${count} ${width === 8 ? 'float64' : 'int64'}`)
    return Number.NaN
  }
  const base = dump.f64('base')
  if (width === 0) return base
  const bytes = dump.raw(count * width, `${count} differences of ${width} bytes`)
  return base + Buffer.from(bytes).readUIntLE((count - 1) * width, width)
}

interface DumpedGroup {
  readonly offset: number
  readonly rows: number
  readonly series: number
  readonly hasSeriesBlock: boolean
  /** Fields that have a block. */
  readonly columns: readonly string[]
}

export function dumpSegment(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const directoryAt = Number(view.getBigInt64(bytes.length - 32, true))
  const directory = new ByteDump(bytes, directoryAt)
  const groups: DumpedGroup[] = []
  directory.within('directory', () => dumpDirectory(directory, groups))
  const footer = new ByteDump(bytes, directory.at)
  footer.within('footer', () => dumpFooter(footer))
  const dump = new ByteDump(bytes)
  dump.within('header', () => {
    dump.magic()
    dump.u32('version')
    dump.u32('number of the manifest')
  })
  for (const [i, group] of groups.entries()) {
    dump.within(`row group ${i}`, () => dumpGroup(dump, group))
  }
  return `${[...dump.lines, ...directory.lines, ...footer.lines].join('\n')}\n`
}

function dumpGroup(dump: ByteDump, group: DumpedGroup): void {
  if (dump.at !== group.offset) throw new Error(`group at ${group.offset}, not at ${dump.at}`)
  if (group.hasSeriesBlock) {
    dumpIntegers(dump, group.series, 'series numbers')
    dumpIntegers(dump, group.series, 'rows per series')
  }
  dumpTimes(dump, group.rows, group.series)
  for (const name of group.columns) {
    dump.align4()
    dump.within(`column ${name}`, () => dumpColumn(dump, group.rows))
  }
  dump.align4()
}

function dumpDirectory(dump: ByteDump, groups: DumpedGroup[]): void {
  dump.i64('base time')
  const measurements = dump.varint('measurements')
  for (let m = 0; m < measurements; m++) {
    dump.text('measurement')
    const count = dump.varint('fields')
    const fields = Array.from({ length: count }, () => {
      const name = dump.text('field')
      dump.raw(1, `type ${fieldTypes[dump.bytes[dump.at]]}`)
      return name
    })
    const groupCount = dump.varint('groups')
    for (let g = 0; g < groupCount; g++) {
      dump.within(`group ${groups.length}`, () => groups.push(dumpGroupEntry(dump, fields)))
    }
  }
}

function dumpGroupEntry(dump: ByteDump, fields: readonly string[]): DumpedGroup {
  const offset = dump.varint('offset')
  const rows = dump.varint('rows')
  const series = dump.varint('series')
  dump.varint('first series')
  dump.varint('last series')
  dump.varint('first time offset')
  dump.varint('last time offset, from the first')
  if (series > 1) dumpBlockEntry(dump, 'series block')
  dumpBlockEntry(dump, 'time block')
  const columns = fields.filter((name) => {
    if (dumpBlockEntry(dump, `column ${name}`) === 0) return false
    dump.varint('values')
    const statistics = dump.u8('statistics')
    if (statistics >= 1) {
      dump.f64('min')
      dump.f64('max')
    }
    if (statistics >= 2) dump.f64('sum')
    return true
  })
  return { offset, rows, series, hasSeriesBlock: series > 1, columns }
}

function dumpBlockEntry(dump: ByteDump, meaning: string): number {
  const length = dump.varint(`${meaning}, length`)
  if (length > 0) dump.crc(`the ${meaning}`)
  return length
}

function dumpFooter(dump: ByteDump): void {
  dump.i64('directory offset')
  dump.u32('directory length')
  dump.crc('the directory')
  dump.u32('version')
  dump.u32('number of the manifest')
  dump.magic()
}
