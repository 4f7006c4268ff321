// Files as they lie somewhere, packed or not: what their first bytes say, not their names. zstd needs a Node that has
// it.

import { Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { UserError } from '../errors.js'
import { unpackedFrames } from './zstd-frames.js'

/** The same bytes unpacked. */
export async function* unpacked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array(0)
  let isEnd = false
  while (head.length < 4 && !isEnd) {
    const { value, done } = await iterator.next()
    if (done) isEnd = true
    else head = Buffer.concat([head, value])
  }
  const all = continued(head, iterator, isEnd)
  try {
    if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzipped(all)
    else if (isZstd(head)) yield* unpackedFrames(all, zstdUnpacker())
    else yield* all
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!/^(Z_|ZSTD|ERR_Z)/.test(code)) throw error
    throw new UserError('invalid', `the file cannot be unpacked: ${(error as Error).message}`)
  }
}

async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacker = zlib.createGunzip({ chunkSize: 1 << 18 })
  const source = Readable.from(chunks)
  source.on('error', (error) => unpacker.destroy(error))
  try {
    yield* source.pipe(unpacker)
  } finally {
    source.destroy()
  }
}

async function* continued(
  head: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
  isEnd: boolean,
): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  if (isEnd) return
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      yield next.value
  } finally {
    await iterator.return?.()
  }
}

/** Parallel packers begin with a frame that is to be skipped. */
function isZstd([a, b, c, d]: Uint8Array): boolean {
  const isFrame = a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd
  return isFrame || ((a & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18)
}

function zstdUnpacker(): () => Transform {
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform }
  if (createZstdDecompress !== undefined) return createZstdDecompress
  throw new UserError('invalid', `zstd needs Node 22.15 or later; this is ${process.version}`)
}
