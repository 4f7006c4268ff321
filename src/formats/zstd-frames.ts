// A file packed with zstd is one frame after the other: packers with several threads, and files that were put together,
// have many. Node's unpacker stops behind the first one without a word, and up to version 22 at a cut too. So frames
// are found here, by the lengths of their blocks, and each gets an unpacker of its own.
//
//   frame      28 B5 2F FD | descriptor u8 | window u8, dictionary, size as that says | blocks | checksum u32 or none
//   block      u24: 1 bit last, 2 bits type (1: one byte repeated), 21 bits size | bytes
//   skippable  5? 2A 4D 18 | size u32 | bytes that mean nothing here

import { Readable, type Transform } from 'node:stream'
import { UserError } from '../errors.js'

const magic = 0xfd2fb528
const skippableMagic = 0x184d2a50

function failure(reason: string): UserError {
  return new UserError('invalid', `the file cannot be unpacked: ${reason}`)
}

export async function* unpackedFrames(
  chunks: AsyncIterable<Uint8Array>,
  makeUnpacker: () => Transform,
): AsyncGenerator<Uint8Array> {
  const input = new FrameInput(chunks)
  try {
    while (await input.hasMore()) {
      const head = await input.take(4)
      const kind = head.readUInt32LE()
      if ((kind & 0xfffffff0) >>> 0 === skippableMagic) {
        for await (const _ of input.pass((await input.take(4)).readUInt32LE()));
      } else if (kind === magic) yield* unpackedFrame(input, head, makeUnpacker())
      else throw failure('something else follows what is packed')
    }
  } finally {
    await input.close()
  }
}

async function* unpackedFrame(
  input: FrameInput,
  head: Uint8Array,
  unpacker: Transform,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(frameBytes(input, head))
  source.on('error', (error) => unpacker.destroy(error))
  try {
    yield* source.pipe(unpacker)
  } finally {
    source.destroy()
  }
}

async function* frameBytes(input: FrameInput, head: Uint8Array): AsyncGenerator<Uint8Array> {
  yield head
  const descriptor = await input.take(1)
  yield descriptor
  const flags = descriptor[0]
  const isSingle = (flags & 0x20) !== 0
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][flags >>> 6]
  yield* input.pass((isSingle ? 0 : 1) + [0, 1, 2, 4][flags & 3] + sizeBytes)
  for (let isLast = false; !isLast; ) {
    const header = await input.take(3)
    const bits = header.readUIntLE(0, 3)
    isLast = (bits & 1) === 1
    const isRepeated = ((bits >>> 1) & 3) === 1
    yield header
    yield* input.pass(isRepeated ? 1 : bits >>> 3)
  }
  if ((flags & 4) !== 0) yield await input.take(4)
}

class FrameInput {
  readonly #iterator: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#iterator = chunks[Symbol.asyncIterator]()
  }

  async hasMore(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#iterator.next()
      if (done) return false
      this.#rest = value
    }
    return true
  }

  /** As they come. Throws where the file ends before. */
  async *pass(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      if (!(await this.hasMore())) throw failure('it ends too early')
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  /** A few bytes. */
  async take(count: number): Promise<Buffer> {
    const parts: Uint8Array[] = []
    for await (const part of this.pass(count)) parts.push(part)
    return Buffer.concat(parts)
  }

  async close(): Promise<void> {
    await this.#iterator.return?.()
  }
}
