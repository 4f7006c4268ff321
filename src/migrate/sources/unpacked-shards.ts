// Shards that come as tar archives: TSM files are read from any place, so each archive is unpacked into a folder of its
// own, which goes when the shard is closed. Folders in the archive's names are left out, and so is what is neither a
// TSM file nor a tombstone.

import { Readable } from 'node:stream'
import { CorruptionError, UserError } from '../../errors.js'
import type { Disk } from '../../platform/disk.js'
import { gunzipped } from '../../platform/gunzip.js'
import { readTar, type TarFile } from '../../platform/tar.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import { ServerRefusal } from '../connection/v1-client.js'
import { type OpenShard, openShard } from './shard-folder.js'

const chunkBytes = 1 << 20

export class UnpackedShards {
  readonly #disk: Disk
  readonly #folder: string
  #opened = 0
  /** What an earlier start left behind goes once. */
  #cleared: Promise<void> | undefined

  /** `folder`: nobody else's; what lies there goes. */
  constructor(disk: Disk, folder: string) {
    this.#disk = disk
    this.#folder = folder
  }

  /** `name`: of the archive, for what is said about damage. */
  async open(
    name: string,
    archive: AsyncGenerator<Uint8Array>,
    onDamage: DamageHandler,
    onBytes: (bytes: number) => void,
  ): Promise<OpenShard> {
    const disk = this.#disk
    this.#cleared ??= disk.removeDir(this.#folder)
    await this.#cleared
    const folder = `${this.#folder}/${++this.#opened}`
    try {
      await unpack(disk, name, archive, folder)
      const shard = await openShard(disk, folder, undefined, onDamage, onBytes)
      const close = async () => {
        await shard.close()
        await disk.removeDir(folder)
      }
      return { ...shard, close }
    } catch (error) {
      await disk.removeDir(folder)
      throw error
    }
  }

  close(): Promise<void> {
    return this.#disk.removeDir(this.#folder)
  }
}

async function unpack(
  disk: Disk,
  name: string,
  archive: AsyncGenerator<Uint8Array>,
  folder: string,
): Promise<void> {
  await disk.makeDir(folder)
  try {
    for await (const file of readTar(archive)) await saveShardFile(disk, folder, file)
  } catch (error) {
    const isGzip = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    const isTar = error instanceof UserError && !(error instanceof ServerRefusal)
    if (isTar || isGzip) throw new CorruptionError(name, 0, (error as Error).message)
    throw error
  } finally {
    // An archive says where it ends: what its bytes come from may not be at its end by then.
    await archive.return(undefined)
  }
}

/** False where it is none of a shard's. */
export async function saveShardFile(disk: Disk, folder: string, file: TarFile): Promise<boolean> {
  const name = file.name.split('/').at(-1) ?? ''
  if (!/^[\w.-]+\.(tsm|tombstone)$/.test(name)) return false
  const to = await disk.open(`${folder}/${name}`, 'create')
  let at = 0
  try {
    for await (const part of file.bytes) {
      await to.write([part], at)
      at += part.length
    }
  } finally {
    await to.close()
  }
  return true
}

/** Of a file, unpacked where its name says that it is packed. */
export async function* archiveBytes(disk: Disk, path: string): AsyncGenerator<Uint8Array> {
  const file = await disk.open(path, 'read')
  try {
    const packed = chunksOf(file)
    yield* path.endsWith('.gz') ? gunzipped(Readable.from(packed)) : packed
  } finally {
    await file.close()
  }
}

function* chunksOf(file: { size(): number; readSync(into: Uint8Array, at: number): number }) {
  for (let at = 0; at < file.size(); at += chunkBytes) {
    const bytes = new Uint8Array(Math.min(chunkBytes, file.size() - at))
    file.readSync(bytes, at)
    yield bytes
  }
}
