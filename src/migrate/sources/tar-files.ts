// Files of a tar archive, gzipped or not, put into a folder as they come: TSM files are read from any place, so they
// must lie somewhere. Folders in the archive's names are left out, and so is what is neither a TSM file nor a
// tombstone.
//
//   header 512 bytes: name (0, 100) | size in octal (124, 12) | type (156) | "ustar" (257) | prefix (345, 155)
//   then the bytes of the file, filled up to a multiple of 512; two headers of zeros are the end

import { Readable } from 'node:stream'
import { CorruptionError } from '../../errors.js'
import type { Disk, DiskFile } from '../../platform/disk.js'
import { gunzipped } from '../../platform/gunzip.js'

const blockBytes = 512
const chunkBytes = 1 << 20

export async function extractShard(disk: Disk, path: string, folder: string): Promise<void> {
  await disk.makeDir(folder)
  const file = await disk.open(path, 'read')
  const extraction = new Extraction(disk, path, folder)
  try {
    const packed = Readable.from(chunksOf(file))
    const isPacked = path.endsWith('.gz')
    const bytes = isPacked ? gunzipped(packed) : packed
    for await (const chunk of bytes) await extraction.push(chunk)
    extraction.end()
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new CorruptionError(path, 0, error.message)
    }
    throw error
  } finally {
    await extraction.close()
    await file.close()
  }
}

function* chunksOf(file: DiskFile): Generator<Uint8Array> {
  for (let at = 0; at < file.size(); at += chunkBytes) {
    const bytes = new Uint8Array(Math.min(chunkBytes, file.size() - at))
    file.readSync(bytes, at)
    yield bytes
  }
}

class Extraction {
  readonly #disk: Disk
  readonly #path: string
  readonly #folder: string
  #rest = Buffer.alloc(0)
  /** Of the file at hand, and of what fills it up. */
  #bytesLeft = 0
  #fillLeft = 0
  #file: DiskFile | undefined
  #position = 0

  constructor(disk: Disk, path: string, folder: string) {
    this.#disk = disk
    this.#path = path
    this.#folder = folder
  }

  async push(chunk: Uint8Array): Promise<void> {
    let bytes = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk])
    for (;;) {
      if (this.#bytesLeft > 0) {
        const part = bytes.subarray(0, this.#bytesLeft)
        await this.#file?.write([part], this.#position)
        this.#position += part.length
        this.#bytesLeft -= part.length
        bytes = bytes.subarray(part.length)
        if (this.#bytesLeft > 0) break
        await this.close()
      }
      const fill = Math.min(this.#fillLeft, bytes.length)
      this.#fillLeft -= fill
      bytes = bytes.subarray(fill)
      if (this.#fillLeft > 0 || bytes.length < blockBytes) break
      await this.#begin(bytes.subarray(0, blockBytes))
      bytes = bytes.subarray(blockBytes)
    }
    this.#rest = Buffer.from(bytes)
  }

  async #begin(header: Buffer): Promise<void> {
    if (header.every((byte) => byte === 0)) return
    const size = Number.parseInt(header.toString('latin1', 124, 136), 8)
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new CorruptionError(this.#path, 0, 'the archive has a file without a size')
    }
    const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '').split('/').at(-1) ?? ''
    const isFile = header[156] === 0x30 || header[156] === 0
    this.#bytesLeft = size
    this.#fillLeft = (blockBytes - (size % blockBytes)) % blockBytes
    this.#position = 0
    if (!isFile || !/^[\w.-]+\.(tsm|tombstone)$/.test(name)) return
    this.#file = await this.#disk.open(`${this.#folder}/${name}`, 'create')
  }

  end(): void {
    if (this.#bytesLeft > 0) throw new CorruptionError(this.#path, 0, 'the archive ends too early')
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }
}
