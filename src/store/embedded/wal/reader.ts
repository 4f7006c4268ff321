// Reads a WAL file back after a start: the records of its good frames, in order, and what was wrong
// with the rest. It judges nothing: recovery does.

import { CorruptionError } from '../../../errors.js'
import { type Disk, readFile } from '../../../platform/disk.js'
import { ByteReader } from '../encoding/byte-reader.js'
import { checkFileHeader, fileHeaderBytes, scanFrames } from '../files/frames.js'
import { walMagic, walVersion } from './format.js'
import { readRecord, type WalRecord } from './record.js'

export interface WalContents {
  readonly records: readonly WalRecord[]
  /** Synced frames that are no longer what was written. */
  readonly damage: readonly CorruptionError[]
  /** Where an unfinished write was cut off, or undefined. */
  readonly tornAt: number | undefined
}

export async function readWal(disk: Disk, path: string): Promise<WalContents> {
  const bytes = await readFile(disk, path)
  if (bytes.length < fileHeaderBytes || (bytes.length === fileHeaderBytes && isZero(bytes))) {
    // A crash came before the header was synced: nothing was acknowledged from this file.
    return { records: [], damage: [], tornAt: bytes.length === 0 ? undefined : 0 }
  }
  const damage: CorruptionError[] = []
  try {
    checkFileHeader(new ByteReader(bytes, path), walMagic, walVersion)
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    damage.push(error)
  }
  const scan = scanFrames(bytes, path, fileHeaderBytes)
  for (const { offset, reason } of scan.damage)
    damage.push(new CorruptionError(path, offset, reason))
  const records: WalRecord[] = []
  for (const payload of scan.payloads) {
    while (payload.remaining > 0) {
      const byteLength = payload.u32()
      const offset = payload.fileOffset + payload.offset
      records.push(readRecord(new ByteReader(payload.raw(byteLength), path, offset)))
    }
  }
  return { records, damage, tornAt: scan.torn ? scan.end : undefined }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}
