// An answer as Arrow's IPC stream, as HTTP carries it: messages one behind the other, each with a mark and the length
// of its head in front, and an end that says so: a stream that breaks off has none. Where tables may differ in their
// columns, streams stand one behind the other, each with an end of its own.

import type { ResultPiece } from '../query/language.js'
import { encodeArrow } from './arrow-results.js'
import { encapsulatedSchema } from './arrow-schema.js'
import type { ShapeKind } from './arrow-shape.js'

export const arrowStreamType = 'application/vnd.apache.arrow.stream'

const endOfStream = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)

/** Throws what the answer failed with. Each chunk is valid until the next one is asked for. */
export async function* encodeArrowStream(
  pieces: AsyncIterable<ResultPiece>,
  kind: ShapeKind,
  shapes: 'one' | 'many' = 'one',
): AsyncGenerator<Uint8Array, void, void> {
  let head: Uint8Array | undefined
  let memory = new Uint8Array(0)
  let hasBegun = false
  for await (const part of encodeArrow(pieces, kind, undefined, shapes)) {
    if (part.kind === 'schema') {
      const schema = encapsulatedSchema(part.schema)
      // Not alone: an answer whose first rows fail is still refused as a whole.
      if (head !== undefined) yield head
      head = hasBegun ? Buffer.concat([endOfStream, schema]) : schema
      hasBegun = true
      continue
    }
    const { header, bodyBytes } = part.batch
    const before = head?.length ?? 0
    const length = before + 8 + header.length + bodyBytes
    if (memory.length < length) memory = new Uint8Array(Math.ceil(length * 1.25))
    if (head !== undefined) memory.set(head)
    head = undefined
    const view = new DataView(memory.buffer)
    view.setUint32(before, 0xffffffff, true)
    view.setUint32(before + 4, header.length, true)
    memory.set(header, before + 8)
    part.batch.writeBody(memory, before + 8 + header.length)
    yield memory.subarray(0, length)
  }
  yield head === undefined ? endOfStream : Buffer.concat([head, endOfStream])
}
