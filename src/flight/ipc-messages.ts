// An answer that comes as Arrow's IPC stream, printed by the thread that ran it, taken apart into the messages that
// Flight sends one by one. Chunks begin and end anywhere: each message is put together in memory that is used again.

import { assert } from '../errors.js'
import type { BegunAnswer } from '../service/query/query-run.js'
import type { FlightPart } from './answer-stream.js'

/** Before each message: a mark, and the length of its header, which is 0 at the end of the stream. */
const prefixBytes = 8
/** A stream has one schema, and begins with it. */
const schemaType = 1
const slots = { type: 1, bodyBytes: 3 } as const

/** Each part is valid until the next one is asked for. Throws what the answer failed with. */
export async function* ipcParts({ chunks, first }: BegunAnswer): AsyncGenerator<FlightPart> {
  const bytes = new ChunkReader(first, () => chunks.take())
  try {
    for (;;) {
      const headerBytes = viewOf(await bytes.take(prefixBytes)).getUint32(4, true)
      if (headerBytes === 0) return
      const header = Uint8Array.from(await bytes.take(headerBytes))
      const { type, bodyBytes } = readMessage(header)
      const body = await bytes.take(bodyBytes)
      if (type === schemaType) yield { kind: 'schema message', message: header }
      else
        yield {
          kind: 'batch',
          batch: { header, bodyBytes, writeBody: (to, at) => to.set(body, at) },
        }
    }
  } finally {
    await chunks.close()
  }
}

/**
 * Of a Message table of Arrow's format: what its header is, and how long the body behind it is. A number that is not
 * there is 0.
 */
function readMessage(header: Uint8Array): { readonly type: number; readonly bodyBytes: number } {
  const view = viewOf(header)
  const table = view.getUint32(0, true)
  const places = table - view.getInt32(table, true)
  const placesBytes = view.getUint16(places, true)
  const place = (slot: number) => {
    const at = 4 + 2 * slot
    return at < placesBytes ? view.getUint16(places + at, true) : 0
  }
  const [type, bodyBytes] = [place(slots.type), place(slots.bodyBytes)]
  return {
    type: type === 0 ? 0 : view.getUint8(table + type),
    bodyBytes: bodyBytes === 0 ? 0 : Number(view.getBigInt64(table + bodyBytes, true)),
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

class ChunkReader {
  readonly #next: () => Promise<Uint8Array | undefined> | Uint8Array | undefined
  #chunk: Uint8Array
  #at = 0
  #memory = new Uint8Array(0)

  constructor(
    first: Uint8Array | undefined,
    next: () => Promise<Uint8Array | undefined> | Uint8Array | undefined,
  ) {
    this.#chunk = first ?? new Uint8Array(0)
    this.#next = next
  }

  /** The next so many bytes, valid until more are asked for. */
  async take(count: number): Promise<Uint8Array> {
    if (this.#memory.length < count) this.#memory = new Uint8Array(Math.ceil(count * 1.25))
    let filled = 0
    while (filled < count) {
      if (this.#at === this.#chunk.length) await this.#load()
      const part = this.#chunk.subarray(this.#at, this.#at + count - filled)
      this.#memory.set(part, filled)
      filled += part.length
      this.#at += part.length
    }
    return this.#memory.subarray(0, count)
  }

  async #load(): Promise<void> {
    const chunk = await this.#next()
    assert(chunk !== undefined, 'an answer that ends says so')
    this.#chunk = chunk
    this.#at = 0
  }
}
