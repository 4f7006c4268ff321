// The blocks of a segment as annotated bytes: integer, float, XOR, string and column blocks with
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

function dumpSequence(dump: ByteDump, count: number): void {
  const blocks = rowsOfMiniBlocks(count)
  const widths = blocks.map(() => dump.u8('width'))
  dump.align4()
  blocks.forEach((rows, i) => {
    const width = widths[i]
    if (width === 0) return
    if (width <= 32) dump.raw(packedBytes(rows, width), `${rows} values of ${width} bits`)
    else {
      dump.raw(packedBytes(rows, 32), `${rows} low words`)
      dump.raw(packedBytes(rows, width - 32), `${rows} high parts of ${width - 32} bits`)
    }
  })
}

function dumpXor(dump: ByteDump, count: number): void {
  const planes = rowsOfMiniBlocks(count).flatMap(() =>
    ['high', 'low'].map((name) => {
      const shift = dump.u8(`${name} shift`)
      return { name, shift, width: dump.u8(`${name} width`) }
    }),
  )
  for (const { name, width } of planes) {
    if (width > 0) dump.raw(width * 16, `${miniBlockRows} ${name} words of ${width} bits`)
  }
}

const integerSchemes = ['', 'constant', 'offset', 'delta', 'stepped', 'bits']

export function dumpIntegers(dump: ByteDump, count: number, meaning: string): void {
  dump.align4()
  const scheme = integerSchemes[dump.bytes[dump.at]]
  dump.within(`${meaning}: integer block, ${scheme}, of ${count}`, () => {
    dump.u32('scheme')
    dump.f64('base')
    if (scheme === 'constant') return
    if (scheme === 'bits') return dumpXor(dump, count)
    if (scheme === 'stepped') {
      dump.f64('step')
      dump.f64('scale')
    }
    dumpSequence(dump, count)
  })
}

function dumpFloats(dump: ByteDump, count: number): void {
  dump.align4()
  const decimal = dump.bytes[dump.at] === 1
  dump.within(`values: float block, ${decimal ? 'decimal' : 'xor'}`, () => {
    dump.u8('scheme')
    dump.u8('exponent')
    dump.raw(2, 'zero')
    if (decimal) dumpIntegers(dump, count, 'scaled')
    else dumpXor(dump, count)
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
  if ((flags & 1) !== 0) {
    count = dump.u32('values present')
    dumpIntegers(dump, rowCount, 'validity')
  }
  if (type === 'float') dumpFloats(dump, count)
  else if (type === 'string') dumpStrings(dump, count)
  else if ((flags & 2) !== 0) dump.within('values: XOR block', () => dumpXor(dump, count))
  else dumpIntegers(dump, count, 'values')
}
