// Files as the shell has them: plain, gzipped or zstd, by their names, or standard input as `-`. Tells how many bytes
// of the file itself were read, for progress.

import { createReadStream, statSync } from 'node:fs'
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { UserError } from '../errors.js'

export interface LineInput {
  readonly name: string
  /** 0: unknown. */
  readonly size: number
  chunks(onBytes: (bytes: number) => void): AsyncIterable<Uint8Array>
}

/** Throws UserError where it cannot be read here. */
export function openInput(name: string): LineInput {
  if (name === '-') return { name: 'standard input', size: 0, chunks: () => process.stdin }
  const stats = statSync(name, { throwIfNoEntry: false })
  if (stats === undefined) throw new UserError('invalid', `there is no file "${name}"`)
  if (stats.isDirectory()) throw new UserError('invalid', `"${name}" is a folder`)
  const makeUnpacker = unpackerFor(name)
  return {
    name,
    size: stats.size,
    chunks(onBytes) {
      const file = createReadStream(name, { highWaterMark: 1 << 20 })
      file.on('data', (chunk) => onBytes(chunk.length))
      const unpacker = makeUnpacker?.()
      if (unpacker === undefined) return file
      file.on('error', (error) => unpacker.destroy(error))
      return file.pipe(unpacker)
    },
  }
}

/** Zstd is a part of Node from 22.15 on. */
function unpackerFor(name: string): (() => Transform) | undefined {
  if (name.endsWith('.gz')) return () => zlib.createGunzip()
  if (!name.endsWith('.zst')) return undefined
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform }
  if (createZstdDecompress !== undefined) return createZstdDecompress
  throw new UserError(
    'invalid',
    `"${name}": zstd needs Node 22.15 or later; this is ${process.version}`,
  )
}
