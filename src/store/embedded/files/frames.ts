// Files that grow by checksummed frames: the WAL and the index log.
//
//   file   8 bytes magic, u32 version, u32 zero, then frames
//   frame  u32  byte length of the payload
//          u32  CRC-32 of the payload
//          u32  number of the frame in its file, from 0
//          u32  CRC-32 of the 12 bytes before
//          payload, zero bytes up to a multiple of 4
//
// A frame is written only after the one before it is synced. So a bad frame with a good one
// anywhere behind it was damaged after it was synced; a bad frame with nothing good behind it is
// what a crash leaves of a write that nobody was told had succeeded. The reader tells the two apart
// by that.

import { crc32 } from 'node:zlib'
import { ByteReader } from '../encoding/byte-reader.js'
import { ByteWriter } from '../encoding/byte-writer.js'

export const fileHeaderBytes = 16
export const frameHeaderBytes = 16

export function fileHeader(magic: bigint, version: number): Uint8Array {
  const writer = new ByteWriter(fileHeaderBytes)
  writer.i64(magic)
  writer.u32(version)
  writer.u32(0)
  return writer.written()
}

/** Checks the header of a file and gives its version; the reader stands behind it then. */
export function checkFileHeader(
  reader: ByteReader,
  magic: bigint,
  version: number,
  versionMin = version,
): number {
  if (reader.i64() !== magic) reader.fail('not a file of this kind')
  const found = reader.u32()
  if (found < versionMin || found > version) reader.fail(`version ${found} is not known here`)
  reader.u32()
  return found
}

/** Header and padding around the parts of a payload; the parts themselves are not copied. */
export function frame(number: number, payload: readonly Uint8Array[]): Uint8Array[] {
  let byteLength = 0
  let crc = 0
  for (const part of payload) {
    byteLength += part.length
    crc = crc32(part, crc)
  }
  const header = new ByteWriter(frameHeaderBytes)
  header.u32(byteLength)
  header.u32(crc)
  header.u32(number)
  header.u32(crc32(header.written()))
  const padding = new Uint8Array(-byteLength & 3)
  return [header.written(), ...payload, padding]
}

export interface Damage {
  readonly offset: number
  readonly reason: string
}

export interface FrameScan {
  /** Payloads of the good frames, in order. */
  readonly payloads: readonly ByteReader[]
  /** Bad frames that have good ones behind them. */
  readonly damage: readonly Damage[]
  /** Where the good part ends: a torn tail begins here. */
  readonly end: number
  readonly torn: boolean
  /** The number of the next frame. */
  readonly nextNumber: number
}

/** Reads all frames from the reader's offset on. */
export function scanFrames(bytes: Uint8Array, file: string, start: number): FrameScan {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const payloads: ByteReader[] = []
  const damage: Damage[] = []
  const suspects: Damage[] = []
  let offset = start
  let end = start
  let number = 0
  while (offset + frameHeaderBytes <= bytes.length) {
    const found = frameAt(bytes, view, offset, number)
    if (found === undefined) {
      if (offset === end) suspects.push({ offset, reason: 'wrong checksum of a frame header' })
      offset += 4
      continue
    }
    if (found.payload === undefined) {
      suspects.push({ offset, reason: 'wrong checksum of a frame' })
      offset = found.next
      continue
    }
    damage.push(...suspects.splice(0))
    payloads.push(new ByteReader(found.payload, file, offset + frameHeaderBytes))
    number = found.number + 1
    offset = found.next
    end = offset
  }
  return { payloads, damage, end, torn: end < bytes.length, nextNumber: number }
}

interface FoundFrame {
  readonly number: number
  readonly next: number
  /** Undefined: the header is good, the payload is not. */
  readonly payload: Uint8Array | undefined
}

function frameAt(
  bytes: Uint8Array,
  view: DataView,
  offset: number,
  expected: number,
): FoundFrame | undefined {
  const number = view.getUint32(offset + 8, true)
  if (number < expected) return undefined
  const header = bytes.subarray(offset, offset + 12)
  if (crc32(header) !== view.getUint32(offset + 12, true)) return undefined
  const byteLength = view.getUint32(offset, true)
  const start = offset + frameHeaderBytes
  const next = start + ((byteLength + 3) & ~3)
  if (start + byteLength > bytes.length) return undefined
  // A copy of its own: aligned, and independent of the file's buffer.
  const payload = bytes.slice(start, start + byteLength)
  const good = crc32(payload) === view.getUint32(offset + 4, true)
  return { number, next, payload: good ? payload : undefined }
}
