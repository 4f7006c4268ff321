// The blocks of a segment as annotated bytes: time, integer, float, string and column blocks with
// the names of their schemes. The drawings are in the files under store/embedded/encoding.

import { fieldTypes } from '../../src/column/column.js'
import type { ByteDump } from './byte-dump.js'

const miniBlockRows = 128

function rowsOfMiniBlocks(count: number): number[] {
  const rows: number[] = []
  for (let start = 0; start < count; start += miniBlockRows) {
    rows.push(Math.min(miniBlockRows, count - start))
  }
  return rows
}

function packedBytes(rows: number, width: number): number {
  return Math.ceil((rows * width) / 32) * 4
}

/** Numbers of a parts block, one per part. */
function dumpPacked(dump: ByteDump, count: number, bits: number, meaning: string): void {
  if (bits === 64) dump.raw(count * 8, `${meaning}, ${count} float64`)
  else if (bits > 0) dump.raw(packedBytes(count, bits), `${meaning} of ${bits} bits`)
}

function dumpParts(dump: ByteDump, count: number): void {
  const parts = rowsOfMiniBlocks(count)
  dump.f64('base')
  const referenceBits = dump.u8('bits of a reference')
  const stepBits = dump.u8('bits of a step')
  dump.raw(2, 'zero')
  if (stepBits !== 255) dump.f64('base of steps')
  const widths = parts.map(() => dump.u8('width'))
  dump.align4()
  dumpPacked(dump, parts.length, referenceBits, 'references')
  if (stepBits !== 255) dumpPacked(dump, parts.length, stepBits, 'steps')
  parts.forEach((rows, i) => {
    const width = widths[i] & 127
    const what = widths[i] === width ? 'offsets' : 'steps'
    if (width === 0) return
    if (width <= 32) dump.raw(packedBytes(rows, width), `${rows} ${what} of ${width} bits`)
    else {
      dump.raw(packedBytes(rows, 32), `${rows} low words`)
      dump.raw(packedBytes(rows, width - 32), `${rows} high parts of ${width - 32} bits`)
    }
  })
}

function dumpPlanes(dump: ByteDump, count: number): void {
  const parts = rowsOfMiniBlocks(count).map((rows) => {
    const high = dump.u8('high width')
    const low = dump.u8('low width')
    dump.u8('low shift')
    dump.raw(1, 'zero')
    dump.u32('high reference')
    dump.u32('low reference')
    return { rows, high, low }
  })
  for (const { rows, high, low } of parts) {
    if (high > 0) dump.raw(packedBytes(rows, high), `${rows} high words of ${high} bits`)
    if (low > 0) dump.raw(packedBytes(rows, low), `${rows} low words of ${low} bits`)
  }
}

const integerSchemes = ['', 'constant', '', '', '', '', 'parts', 'bits']

export function dumpIntegers(dump: ByteDump, count: number, meaning: string): void {
  dump.align4()
  const scheme = integerSchemes[dump.bytes[dump.at]]
  dump.within(`${meaning}: integer block, ${scheme}, of ${count}`, () => {
    dump.u32('scheme')
    if (scheme === 'parts') return dumpParts(dump, count)
    dump.f64('base')
    if (scheme === 'bits') dumpPlanes(dump, count)
  })
}

export function dumpTimes(dump: ByteDump, rowCount: number, seriesCount: number): void {
  dump.align4()
  dump.within('times: time block', () => {
    dump.u32('scheme')
    dump.f64('step')
    dump.f64('scale')
    dumpIntegers(dump, seriesCount, 'first times')
    dumpIntegers(dump, rowCount, 'from the line')
  })
}

const floatSchemes = ['', 'decimal', '', 'exceptions', 'planes']

function dumpFloats(dump: ByteDump, count: number): void {
  dump.align4()
  const scheme = floatSchemes[dump.bytes[dump.at]]
  dump.within(`values: float block, ${scheme}`, () => {
    dump.u8('scheme')
    dump.u8('exponent')
    const low = dump.u8('exceptions')
    const exceptions = low + 256 * dump.u8('exceptions, high byte')
    if (scheme === 'planes') return dumpPlanes(dump, count)
    if (exceptions > 0) {
      dump.raw(exceptions * 2, 'their rows')
      dump.align4()
      dump.raw(exceptions * 8, 'their values')
    }
    dumpIntegers(dump, count, 'scaled')
  })
}

function dumpPresence(dump: ByteDump, rowCount: number): void {
  dump.within('presence', () => {
    const marks = rowsOfMiniBlocks(rowCount).map(() => dump.u8('0 none, 1 all, 2 some'))
    dump.align4()
    for (const mark of marks) if (mark === 2) dump.raw(16, '128 rows')
  })
}

function dumpStrings(dump: ByteDump, count: number): void {
  dump.align4()
  dump.within('values: string block', () => {
    const distinct = dump.u32('distinct')
    const deflated = dump.u32('flags') === 1
    const stored = dump.u32('stored bytes')
    dump.u32('bytes')
    dumpIntegers(dump, distinct, 'lengths')
    dump.raw(stored, deflated ? 'texts, deflated' : 'texts')
    dumpIntegers(dump, count, 'positions')
  })
}

export function dumpColumn(dump: ByteDump, rowCount: number): void {
  const type = fieldTypes[dump.u8('type')]
  const flags = dump.u8('flags')
  dump.raw(2, 'zero')
  let count = rowCount
  if ((flags & 8) !== 0) {
    count = dump.u32('values present')
    dumpPresence(dump, rowCount)
  }
  if (type === 'float') dumpFloats(dump, count)
  else if (type === 'string') dumpStrings(dump, count)
  else if ((flags & 4) !== 0) dump.within('values: planes block', () => dumpPlanes(dump, count))
  else dumpIntegers(dump, count, 'values')
}
