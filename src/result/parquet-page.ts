// One column of a row group as a Parquet page: which rows have a value, and the values that there are,
// without gaps. Comes from Arrow's layout, whose bitmap of rows with values is Parquet's of levels too.
// Lists become texts with commas, as they are in CSV.

import { UserError } from '../errors.js'
import type { ArrowVector } from './arrow-batch.js'
import type { ArrowType } from './arrow-schema.js'
import { varintBytes } from './thrift-compact.js'

const comma = 44

export function pageBody(vector: ArrowVector, type: ArrowType): Uint8Array {
  const levels = levelBytes(vector)
  const values = valueBytes(vector, type)
  const page = Buffer.allocUnsafe(4 + levels.length + values.length)
  page.writeUInt32LE(levels.length, 0)
  page.set(levels, 4)
  page.set(values, 4 + levels.length)
  return page
}

/** One run: the same for all rows, or bits as they lie in the bitmap. */
function levelBytes({ rowCount, nullCount, buffers }: ArrowVector): Uint8Array {
  if (nullCount === 0 || nullCount === rowCount) {
    return Buffer.concat([varintBytes(rowCount * 2), Uint8Array.of(nullCount === 0 ? 1 : 0)])
  }
  const groups = Math.ceil(rowCount / 8)
  return Buffer.concat([varintBytes(groups * 2 + 1), buffers[0].subarray(0, groups)])
}

function valueBytes(vector: ArrowVector, type: ArrowType): Uint8Array {
  switch (type.kind) {
    case 'boolean':
      return packedBits(vector)
    case 'float64':
    case 'integer':
    case 'timestamp':
      return packedWords(vector)
    case 'utf8':
      return packedTexts(vector)
    case 'list':
      return joinedTexts(vector)
    default:
      throw new UserError('not implemented', `a column of ${type.kind} cannot be sent as Parquet`)
  }
}

function isSet(bits: Uint8Array, row: number): boolean {
  return (bits[row >> 3] & (1 << (row & 7))) !== 0
}

function packedWords({ rowCount, nullCount, buffers }: ArrowVector): Uint8Array {
  const [bits, values] = buffers
  if (nullCount === 0) return values
  const packed = new Uint32Array((rowCount - nullCount) * 2)
  // By halves: a float that is no number may change its bits when it is copied as one.
  const halves = new Uint32Array(values.buffer, values.byteOffset, rowCount * 2)
  for (let row = 0, at = 0; row < rowCount; row++) {
    if (!isSet(bits, row)) continue
    packed[at++] = halves[row * 2]
    packed[at++] = halves[row * 2 + 1]
  }
  return new Uint8Array(packed.buffer)
}

function packedBits({ rowCount, nullCount, buffers }: ArrowVector): Uint8Array {
  const [bits, values] = buffers
  if (nullCount === 0) return values
  const packed = new Uint8Array(Math.ceil((rowCount - nullCount) / 8))
  for (let row = 0, at = 0; row < rowCount; row++) {
    if (!isSet(bits, row)) continue
    if (isSet(values, row)) packed[at >> 3] |= 1 << (at & 7)
    at++
  }
  return packed
}

function packedTexts(vector: ArrowVector): Uint8Array {
  const { rowCount, nullCount, buffers } = vector
  const [bits, , bytes] = buffers
  const offsets = offsetsOf(vector)
  const packed = Buffer.allocUnsafe((rowCount - nullCount) * 4 + offsets[rowCount] - offsets[0])
  let at = 0
  for (let row = 0; row < rowCount; row++) {
    if (nullCount > 0 && !isSet(bits, row)) continue
    const [start, stop] = [offsets[row], offsets[row + 1]]
    at = packed.writeUInt32LE(stop - start, at)
    packed.set(bytes.subarray(start, stop), at)
    at += stop - start
  }
  return packed.subarray(0, at)
}

function joinedTexts(vector: ArrowVector): Uint8Array {
  const { rowCount, nullCount, buffers, children } = vector
  const [bits] = buffers
  const items = children![0]
  const lists = offsetsOf(vector)
  const offsets = offsetsOf(items)
  const bytes = items.buffers[2]
  // Each item has at most a comma more than its bytes.
  const packed = Buffer.allocUnsafe(4 * rowCount + items.rowCount + offsets[items.rowCount])
  let at = 0
  for (let row = 0; row < rowCount; row++) {
    if (nullCount > 0 && !isSet(bits, row)) continue
    const start = at
    at += 4
    for (let item = lists[row]; item < lists[row + 1]; item++) {
      if (item > lists[row]) packed[at++] = comma
      const text = bytes.subarray(offsets[item], offsets[item + 1])
      packed.set(text, at)
      at += text.length
    }
    packed.writeUInt32LE(at - start - 4, start)
  }
  return packed.subarray(0, at)
}

function offsetsOf({ rowCount, buffers }: ArrowVector): Int32Array {
  return new Int32Array(buffers[1].buffer, buffers[1].byteOffset, rowCount + 1)
}
