// Bytes on their way into a file, and out of one: written, hashed and synced. A file has its name only when it
// is whole, so that whatever has a name can be counted on.

import { createHash, type Hash } from 'node:crypto'
import { dirname } from 'node:path'
import type { Disk } from '../platform/disk.js'

export interface Written {
  readonly byteLength: number
  /** Hexadecimal. */
  readonly sha256: string
}

export async function writeStream(
  disk: Disk,
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Written> {
  const temporary = `${path}.part`
  const file = await disk.open(temporary, 'create')
  const hash = createHash('sha256')
  let byteLength = 0
  try {
    for await (const piece of bytes) {
      hash.update(piece)
      await file.write([piece], byteLength)
      byteLength += piece.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(temporary, path)
  return { byteLength, sha256: hash.digest('hex') }
}

const pieceBytes = 1 << 18

export async function* readStream(disk: Disk, path: string): AsyncGenerator<Uint8Array> {
  const file = await disk.open(path, 'read')
  try {
    const size = file.size()
    for (let at = 0; at < size; at += pieceBytes) {
      const piece = new Uint8Array(Math.min(pieceBytes, size - at))
      file.readSync(piece, at)
      yield piece
    }
  } finally {
    await file.close()
  }
}

export async function hashOf(
  bytes: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void = () => undefined,
): Promise<Written> {
  const hash: Hash = createHash('sha256')
  let byteLength = 0
  for await (const piece of bytes) {
    hash.update(piece)
    byteLength += piece.length
    onBytes(piece.length)
  }
  return { byteLength, sha256: hash.digest('hex') }
}

/** A folder that is new has a name only once its parent is synced. */
export async function makeFolder(disk: Disk, path: string): Promise<void> {
  if (await disk.exists(path)) return
  await disk.makeDir(path)
  await disk.syncDir(dirname(path))
}

/** The names in a folder and in all folders below it are safe when resolved; those of files were synced with them. */
export async function syncTree(disk: Disk, root: string, files: Iterable<string>): Promise<void> {
  const folders = new Set([root])
  for (const file of files) {
    for (let at = dirname(file); at !== '.'; at = dirname(at)) folders.add(`${root}/${at}`)
  }
  for (const folder of folders) await disk.syncDir(folder)
}
