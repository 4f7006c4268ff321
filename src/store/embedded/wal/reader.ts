// Reads a WAL file back after a start: the records of its good frames, in order, and what was wrong
// with the rest. It judges nothing: recovery does.

import { CorruptionError } from '../../../errors.js'
import { type Disk, readFile } from '../../../platform/disk.js'
import { ByteReader } from '../encoding/byte-reader.js'
import { checkFileHeader, fileHeaderBytes, frameHeaderBytes, scanFrames } from '../files/frames.js'
import { type WalStart, walMagic, walVersion, walVersionMin } from './format.js'
import { readRecord, type WalRecord } from './record.js'

export interface WalContents {
  readonly records: readonly WalRecord[]
  /** Synced frames that are no longer what was written. */
  readonly damage: readonly CorruptionError[]
  /** Where an unfinished write was cut off, or undefined. */
  readonly tornAt: number | undefined
  /** What its first frame says; undefined where that is damaged, missing, or was not written in its day. */
  readonly start: WalStart | undefined
  /** Whether there must be such a frame, or even the file's own header is missing. */
  readonly hasStart: boolean
  /** Number of the log that followed, as far as it is known. */
  readonly next: number | undefined
  /** Where its good part ends. */
  readonly end: number
}

export async function readWal(disk: Disk, path: string): Promise<WalContents> {
  const bytes = await readFile(disk, path)
  if (bytes.length < fileHeaderBytes || (bytes.length === fileHeaderBytes && isZero(bytes))) {
    // A crash came before the header was synced: nothing was acknowledged from this file.
    const tornAt = bytes.length === 0 ? undefined : 0
    const nothing = { start: undefined, hasStart: true, next: undefined, end: 0 }
    return { records: [], damage: [], tornAt, ...nothing }
  }
  const damage: CorruptionError[] = []
  let version = walVersion
  try {
    version = checkFileHeader(new ByteReader(bytes, path), walMagic, walVersion, walVersionMin)
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    damage.push(error)
  }
  const scan = scanFrames(bytes, path, fileHeaderBytes)
  for (const { offset, reason } of scan.damage)
    damage.push(new CorruptionError(path, offset, reason))
  const records: WalRecord[] = []
  const hasStart = version > 1
  let start: WalStart | undefined
  let next: number | undefined
  for (const payload of scan.payloads) {
    if (hasStart && payload.fileOffset === fileHeaderBytes + frameHeaderBytes) {
      start = { before: payload.varint(), beforeEnd: payload.varint(), manifest: payload.varint() }
      continue
    }
    while (payload.remaining > 0) {
      const byteLength = payload.u32()
      if (byteLength === 0) {
        next = payload.varint()
        continue
      }
      const offset = payload.fileOffset + payload.offset
      records.push(readRecord(new ByteReader(payload.raw(byteLength), path, offset)))
    }
  }
  const tornAt = scan.torn ? scan.end : undefined
  return { records, damage, tornAt, start, hasStart, next, end: scan.end }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}
