// What a log says beside its records where it will be archived (see format.ts): when a frame was written, and what was
// deleted between two writes. A start after a crash passes it by: deletes are in the manifest.

import type { TagPredicate } from '../../../column/predicate.js'
import type { DeleteRequest } from '../../store.js'
import { ByteReader } from '../encoding/byte-reader.js'
import { ByteWriter } from '../encoding/byte-writer.js'

/** In the place of a record's length. */
export const noteMark = 0xffffffff

const kindTime = 1
const kindDelete = 2
const kindDrop = 3

export type WalNote =
  | { readonly kind: 'time'; readonly at: bigint }
  | { readonly kind: 'delete'; readonly request: DeleteRequest }
  | { readonly kind: 'drop'; readonly bucket: string }

export function printNote(note: WalNote): Uint8Array {
  const body = new ByteWriter(64)
  if (note.kind === 'time') {
    body.u8(kindTime)
    body.i64(note.at)
  } else if (note.kind === 'drop') {
    body.u8(kindDrop)
    body.text(note.bucket)
  } else {
    const { bucket, range, measurement, predicate } = note.request
    body.u8(kindDelete)
    body.text(bucket)
    body.i64(range.start)
    body.i64(range.stop)
    body.text(JSON.stringify({ measurement, predicate }))
  }
  const writer = new ByteWriter(body.length + 16)
  writer.u32(noteMark)
  writer.blob(body.written())
  return writer.written()
}

/** The reader stands behind the mark. Undefined: a kind that a later version writes. */
export function readNote(reader: ByteReader, file: string): WalNote | undefined {
  const offset = reader.offset
  const body = new ByteReader(reader.blob(), file, reader.fileOffset + offset)
  const kind = body.u8()
  if (kind === kindTime) return { kind: 'time', at: body.i64() }
  if (kind === kindDrop) return { kind: 'drop', bucket: body.text() }
  if (kind !== kindDelete) return undefined
  const bucket = body.text()
  const range = { start: body.i64(), stop: body.i64() }
  const { measurement, predicate } = parsed(body)
  const request = {
    bucket,
    range,
    ...(measurement === undefined ? {} : { measurement }),
    ...(predicate === undefined ? {} : { predicate }),
  }
  return { kind: 'delete', request }
}

/** A checksum has been over it: what is no JSON is a mistake of the writer. */
function parsed(body: ByteReader): { measurement?: string; predicate?: TagPredicate } {
  const text = body.text()
  try {
    return JSON.parse(text)
  } catch {
    return body.fail('a delete is no JSON')
  }
}
