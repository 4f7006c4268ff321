// Looks whether a file of frames is still what was written, a megabyte at a time: a log of a million series need not be
// in memory for that. Only what is known to be synced is looked at, so that whatever is wrong there is damage.

import { crc32 } from 'node:zlib'
import { CorruptionError } from '../../../errors.js'
import type { DiskFile } from '../../../platform/disk.js'
import { damageOf } from './damage.js'
import { fileHeaderBytes, frameHeaderBytes } from './frames.js'

const pieceBytes = 1 << 20

/** A piece that was read; with an error: what was found in it. */
export interface VerifiedBytes {
  readonly byteLength: number
  readonly error: CorruptionError | undefined
}

/** All frames up to `end`. Behind a damaged header nobody knows where the next begins. */
export function* verifyFrames(file: DiskFile, end: number): Generator<VerifiedBytes, void, void> {
  const piece = new Uint8Array(pieceBytes)
  const view = new DataView(piece.buffer)
  let number = 0
  for (let offset = fileHeaderBytes; offset < end; number++) {
    const failure = read(file, piece.subarray(0, frameHeaderBytes), offset)
    const isGood =
      view.getUint32(8, true) === number &&
      crc32(piece.subarray(0, 12)) === view.getUint32(12, true)
    if (failure !== undefined || !isGood) {
      const reason = 'wrong checksum of a frame header'
      const error = failure ?? new CorruptionError(file.path, offset, reason)
      return yield { byteLength: frameHeaderBytes, error }
    }
    const byteLength = view.getUint32(0, true)
    const crc = view.getUint32(4, true)
    yield* verifyPayload(file, piece, offset, byteLength, crc)
    offset += frameHeaderBytes + ((byteLength + 3) & ~3)
  }
}

function* verifyPayload(
  file: DiskFile,
  piece: Uint8Array,
  frameOffset: number,
  byteLength: number,
  expected: number,
): Generator<VerifiedBytes, void, void> {
  let crc = 0
  for (let at = 0; at < byteLength; at += pieceBytes) {
    const bytes = piece.subarray(0, Math.min(pieceBytes, byteLength - at))
    const error = read(file, bytes, frameOffset + frameHeaderBytes + at)
    yield { byteLength: bytes.length, error }
    if (error !== undefined) return
    crc = crc32(bytes, crc)
  }
  if (crc === expected) return
  const error = new CorruptionError(file.path, frameOffset, 'wrong checksum of a frame')
  yield { byteLength: 0, error }
}

function read(file: DiskFile, into: Uint8Array, offset: number): CorruptionError | undefined {
  try {
    if (file.readSync(into, offset) === into.length) return undefined
  } catch (error) {
    return damageOf(error, file.path)
  }
  return new CorruptionError(file.path, offset, 'the log is cut off')
}
