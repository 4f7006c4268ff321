// Files as the shell names them, packed or not, by a path or by an address, or standard input as `-`. Tells how many
// bytes of the file itself were read, for progress.

import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { UserError } from '../errors.js'
import { unpacked } from '../formats/unpacked.js'

export interface LineInput {
  readonly name: string
  /** Absolute; absent: it is no file of this machine. */
  readonly path?: string
  /** 0: unknown. */
  readonly size: number
  /** Unpacked. */
  chunks(onBytes: (bytes: number) => void): AsyncIterable<Uint8Array>
}

/** Throws UserError where it cannot be read. */
export function openInput(name: string): LineInput {
  if (name === '-') {
    return { name: 'standard input', size: 0, chunks: () => unpacked(process.stdin) }
  }
  if (/^https?:\/\//.test(name)) return { name, size: 0, chunks: () => unpacked(fetched(name)) }
  const stats = statSync(name, { throwIfNoEntry: false })
  if (stats === undefined) throw new UserError('invalid', `there is no file "${name}"`)
  if (stats.isDirectory()) throw new UserError('invalid', `"${name}" is a folder`)
  return {
    name,
    path: resolve(name),
    size: stats.size,
    chunks(onBytes) {
      const file = createReadStream(name, { highWaterMark: 1 << 20 })
      file.on('data', (chunk) => onBytes(chunk.length))
      return unpacked(file as AsyncIterable<Uint8Array>)
    },
  }
}

async function* fetched(url: string): AsyncGenerator<Uint8Array> {
  const answer = await fetch(url).catch((error: Error) => {
    const { cause = error } = error as { cause?: Error }
    throw new UserError('invalid', `cannot be fetched: ${cause.message}`)
  })
  if (!answer.ok) throw new UserError('invalid', `the server answered ${answer.status}`)
  yield* answer.body ?? []
}
