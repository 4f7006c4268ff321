// Messages come out as they went in, wherever the chunks that carry them begin and end; an answer that fails or breaks
// off does so here too, and is closed.

import { expect, test } from 'vitest'
import { PullStream } from '../platform/pull-stream.js'
import type { ResultPiece } from '../query/language.js'
import { encodeArrow } from '../result/arrow-results.js'
import { schemaMessage } from '../result/arrow-schema.js'
import { encodeArrowStream } from '../result/arrow-stream.js'
import type { FlightPart } from './answer-stream.js'
import { ipcParts } from './ipc-messages.js'

const rowCounts = [3, 700, 1]

async function* pieces(): AsyncGenerator<ResultPiece> {
  for (const rowCount of rowCounts) {
    yield {
      kind: 'batch',
      result: 0,
      name: 'm',
      tags: [],
      columnNames: ['v'],
      columns: [
        {
          type: 'float',
          values: Float64Array.from({ length: rowCount }, Math.sqrt),
          validity: undefined,
        },
      ],
      rowCount,
    }
  }
}

class Pieces extends PullStream<Uint8Array> {
  readonly #chunks: Uint8Array[]
  readonly #failure: Error | undefined
  isClosed = false

  constructor(bytes: Uint8Array, size: number, failure?: Error) {
    super()
    const count = Math.ceil(bytes.length / size)
    this.#chunks = Array.from({ length: count }, (_, i) => bytes.slice(i * size, (i + 1) * size))
    this.#failure = failure
  }

  take() {
    const chunk = this.#chunks.shift()
    if (chunk === undefined && this.#failure !== undefined) throw this.#failure
    return chunk
  }

  async close(): Promise<void> {
    this.isClosed = true
  }
}

async function streamBytes(): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const chunk of encodeArrowStream(pieces(), 'rows')) parts.push(Buffer.from(chunk))
  return Buffer.concat(parts)
}

/** As it is sent. */
function sent(part: FlightPart): readonly Buffer[] {
  if (part.kind === 'schema') return [Buffer.from(schemaMessage(part.schema))]
  if (part.kind === 'schema message') return [Buffer.from(part.message)]
  const body = Buffer.alloc(part.batch.bodyBytes)
  part.batch.writeBody(body, 0)
  return [Buffer.from(part.batch.header), body]
}

async function all(parts: AsyncIterable<FlightPart>): Promise<(readonly Buffer[])[]> {
  const found: (readonly Buffer[])[] = []
  for await (const part of parts) found.push(sent(part))
  return found
}

test.each([1, 7, 8, 64, 1000, 1 << 20])('chunks of %i bytes', async (size) => {
  const chunks = new Pieces(await streamBytes(), size)
  const found = await all(ipcParts({ chunks, first: chunks.take() }))
  expect(found).toEqual(await all(encodeArrow(pieces(), 'rows')))
  expect(found).toHaveLength(2)
  expect(chunks.isClosed).toBe(true)
})

test('a failure between chunks is that of the answer', async () => {
  const bytes = await streamBytes()
  const chunks = new Pieces(bytes.subarray(0, bytes.length - 20), 100, new Error('no more'))
  await expect(all(ipcParts({ chunks, first: undefined }))).rejects.toThrow('no more')
  expect(chunks.isClosed).toBe(true)
})
