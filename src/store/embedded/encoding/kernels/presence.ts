// Which rows of a column have a value: a byte for each part of 128 rows, and bits only for those
// parts where some have one and some have none; and values on their way to and from the rows that have one.
//
//   u8[parts]              0 none, 1 all, 2 some; zero bytes up to a multiple of 4
//   per part with some     u32[4], a bit per row, low bits first

import { align4, at8 } from './bits'
import { badPresence, fault, unexpectedEnd } from './faults'
import { partCount, partRows } from './parts'

const none: i32 = 0
const all: i32 = 1
const some: i32 = 2

const bytesOfBits: usize = 16

/** `validity`: a byte of 1 or 0 a row. Returns the place behind the marks. */
export function encodePresence(validity: usize, rowCount: i32, out: usize): usize {
  const parts = partCount(rowCount)
  let at = align4(out + parts)
  store<u32>(at - 4, 0)
  for (let part = 0; part < parts; part++) {
    const start = part * partRows
    const rows = min(partRows, rowCount - start)
    const from = validity + start
    let present = 0
    for (let i = 0; i < rows; i++) present += load<u8>(from + i)
    const mark = present === 0 ? none : present === rows ? all : some
    store<u8>(out + part, mark)
    if (mark !== some) continue
    store<u64>(at, 0)
    store<u64>(at + 8, 0)
    for (let i = 0; i < rows; i++) {
      const place = at + ((i >>> 5) << 2)
      store<u32>(place, load<u32>(place) | ((<u32>load<u8>(from + i)) << (i & 31)))
    }
    at += bytesOfBits
  }
  return at
}

/** Values before the first part that was decoded, in those decoded, and in all. */
export let presentBefore: i32 = 0
export let presentWithin: i32 = 0
export let presentTotal: i32 = 0

/**
 * validity[row] = 1 or 0, for the parts that hold rows `from` up to `to`. Returns the place behind the marks.
 */
export function decodePresence(
  block: usize,
  end: usize,
  rowCount: i32,
  validity: usize,
  from: i32,
  to: i32,
): usize {
  const parts = partCount(rowCount)
  const first = from >>> 7
  const stop = partCount(to)
  let at = align4(block + parts)
  if (at > end) return fault(unexpectedEnd)
  presentBefore = 0
  presentWithin = 0
  presentTotal = 0
  for (let part = 0; part < parts; part++) {
    const mark = <i32>load<u8>(block + part)
    if (mark > some) return fault(badPresence, mark)
    const start = part * partRows
    const rows = min(partRows, rowCount - start)
    const isWanted = part >= first && part < stop
    let present = mark === all ? rows : 0
    if (mark === some) {
      if (at + bytesOfBits > end) return fault(unexpectedEnd)
      present = <i32>(popcnt(load<u64>(at)) + popcnt(load<u64>(at + 8)))
      if (isWanted) spreadBits(at, validity + start, rows)
      at += bytesOfBits
    } else if (isWanted) memory.fill(validity + start, <u8>mark, rows)
    if (part < first) presentBefore += present
    else if (isWanted) presentWithin += present
    presentTotal += present
  }
  return at
}

/** Eight bits are eight bytes of a product: bit i is brought to the top of byte i, and then to its bottom. */
function spreadBits(bits: usize, validity: usize, rows: i32): void {
  for (let i = 0; i < rows; i += 8) {
    const copies = <u64>load<u8>(bits + (i >>> 3)) * 0x0101010101010101
    const picked = copies & 0x8040201008040201
    const top = (picked + 0x7f7f7f7f7f7f7f7f) | picked
    store<u64>(validity + i, (top >> 7) & 0x0101010101010101)
  }
}

/** Values of 8 bytes of those rows that have one, one behind the other; gives how many. */
export function gather(values: usize, validity: usize, rowCount: i32, out: usize): i32 {
  let to = out
  for (let row = 0; row < rowCount; row++) {
    store<u64>(to, load<u64>(at8(values, row)))
    to += load<u8>(validity + row) << 3
  }
  return <i32>((to - out) >> 3)
}

/**
 * out[row] = the row's value, for rows `from` up to `to`: `dense` has `present` of them, value `before` first. Without
 * asking in each row whether it has one, which a processor guesses wrong for most rows without: those get the next
 * row's, which nobody looks at.
 */
export function place(
  dense: usize,
  before: i32,
  present: i32,
  validity: usize,
  from: i32,
  to: i32,
  out: usize,
): void {
  const last = at8(dense, present - 1)
  let at = at8(dense, before)
  for (let row = from; row < to; row++) {
    store<u64>(at8(out, row), load<u64>(at < last ? at : last))
    at += load<u8>(validity + row) << 3
  }
}
