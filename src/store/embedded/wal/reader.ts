// Reads a WAL file back after a start: the records of its good frames, in order, and what was wrong
// with the rest. It judges nothing: recovery does.

import { CorruptionError } from '../../../errors.js'
import { type Disk, readFile } from '../../../platform/disk.js'
import { ByteReader } from '../encoding/byte-reader.js'
import { checkFileHeader, fileHeaderBytes, frameHeaderBytes, scanFrames } from '../files/frames.js'
import { type WalStart, walMagic, walVersion, walVersionMin, walVersionNoted } from './format.js'
import { noteMark, readNote, type WalNote } from './note.js'
import { readRecord, type WalRecord } from './record.js'

/** Behind the magic number. */
const versionOffset = 8

/** One change of the store, as an archive carries it out again. */
export interface WalStep {
  /** Of its frame in the file. */
  readonly offset: number
  /** When the frame was written; undefined where it does not say. */
  readonly at: bigint | undefined
  readonly change:
    | { readonly kind: 'write'; readonly record: WalRecord }
    | Exclude<WalNote, { readonly kind: 'time' }>
}

export interface WalContents {
  readonly records: readonly WalRecord[]
  /** The same with deletes among them. */
  readonly steps: readonly WalStep[]
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
    return { records: [], steps: [], damage: [], tornAt, ...nothing }
  }
  const damage: CorruptionError[] = []
  let version = walVersion
  try {
    version = checkFileHeader(new ByteReader(bytes, path), walMagic, walVersionNoted, walVersionMin)
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    damage.push(error)
  }
  const scan = scanFrames(bytes, path, fileHeaderBytes)
  for (const { offset, reason } of scan.damage)
    damage.push(new CorruptionError(path, offset, reason))
  const steps: WalStep[] = []
  const hasStart = version > 1
  let start: WalStart | undefined
  let next: number | undefined
  for (const payload of scan.payloads) {
    if (hasStart && payload.fileOffset === fileHeaderBytes + frameHeaderBytes) {
      start = { before: payload.varint(), beforeEnd: payload.varint(), manifest: payload.varint() }
      continue
    }
    next = readFrame(payload, path, steps) ?? next
  }
  // The header has no checksum: its version is compared with what the frames say.
  if (steps.some(({ at }) => (at !== undefined) !== (version === walVersionNoted))) {
    damage.push(
      new CorruptionError(path, versionOffset, `its frames are not of version ${version}`),
    )
  }
  const records = steps.flatMap(({ change }) => (change.kind === 'write' ? [change.record] : []))
  const tornAt = scan.torn ? scan.end : undefined
  return { records, steps, damage, tornAt, start, hasStart, next, end: scan.end }
}

/** Answers with the number of the next log where the frame names it. */
function readFrame(payload: ByteReader, path: string, steps: WalStep[]): number | undefined {
  const offset = payload.fileOffset - frameHeaderBytes
  let next: number | undefined
  let at: bigint | undefined
  while (payload.remaining > 0) {
    const byteLength = payload.u32()
    if (byteLength === 0) next = payload.varint()
    else if (byteLength === noteMark) {
      const note = readNote(payload, path)
      if (note?.kind === 'time') at = note.at
      else if (note !== undefined) steps.push({ offset, at, change: note })
    } else {
      const start = payload.fileOffset + payload.offset
      const record = readRecord(new ByteReader(payload.raw(byteLength), path, start))
      steps.push({ offset, at, change: { kind: 'write', record } })
    }
  }
  return next
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}
