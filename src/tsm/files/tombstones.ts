// What was deleted of a TSM file, from the file beside it.
//
//   version 1: keys as lines of text; all of each is gone
//   version 2: 00 00 15 02, then entries
//   version 3: 00 00 15 03, then gzip of entries
//   version 4: 00 00 15 04, then several gzip members of entries, one after the other
//   entry: length of the key u32 | key | min i64 | max i64, both ends included

import { gunzipSync } from 'node:zlib'
import { timeMax, timeMin } from '../../column/time.js'
import { CorruptionError } from '../../errors.js'
import { ByteCursor } from '../encoding/byte-cursor.js'
import { DamageError } from '../encoding/damage.js'

/** Both ends are included. */
export interface DeletedRange {
  readonly min: bigint
  readonly max: bigint
}

/** By key, each byte of it a character. */
export type Tombstones = ReadonlyMap<string, readonly DeletedRange[]>

/** Of the unpacked entries: a million keys of a hundred bytes and more. */
const entriesBytesMax = 1 << 29

const everything: DeletedRange = { min: timeMin - 2n, max: timeMax + 1n }

/** Throws CorruptionError. */
export function readTombstones(name: string, bytes: Uint8Array): Tombstones {
  const deleted = new Map<string, DeletedRange[]>()
  const add = (key: string, range: DeletedRange) => {
    const ranges = deleted.get(key)
    if (ranges === undefined) deleted.set(key, [range])
    else ranges.push(range)
  }
  try {
    const version = versionOf(bytes)
    if (version === 1) {
      for (const line of binaryText(bytes).split('\n')) if (line !== '') add(line, everything)
      return deleted
    }
    const cursor = new ByteCursor(version === 2 ? bytes.subarray(4) : unpacked(bytes.subarray(4)))
    while (!cursor.isAtEnd) {
      const key = binaryText(cursor.take(cursor.uint32()))
      add(key, { min: cursor.int64(), max: cursor.int64() })
    }
    return deleted
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    throw new CorruptionError(name, 0, `tombstones: ${error.message}`)
  }
}

function versionOf(bytes: Uint8Array): 1 | 2 | 3 | 4 {
  if (bytes.length < 4) return 1
  const first = new ByteCursor(bytes).uint32()
  if (first === 0x1502) return 2
  if (first === 0x1503) return 3
  return first === 0x1504 ? 4 : 1
}

/** Members that follow each other are unpacked as one. */
function unpacked(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: entriesBytesMax })
  } catch (error) {
    throw new DamageError(error instanceof Error ? error.message : String(error))
  }
}

export function binaryText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
