// An archive of a shard on its way into a bucket: TSM files and tombstones as InfluxDB 2 backs them up, or the line
// protocol of our own backups. TSM files are read from any place, so that they lie in a folder meanwhile.

import type { FieldType } from '../../column/column.js'
import { parseSeriesKey, seriesKey } from '../../column/series.js'
import { allTime } from '../../column/time.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { UserError } from '../../errors.js'
import type { Disk } from '../../platform/disk.js'
import { readTar, type TarFile } from '../../platform/tar.js'
import { readShard } from '../../tsm/shard/shard-reader.js'
import { splitKey } from './shard-fields.js'
import { openShard } from './shard-folder.js'
import { saveShardFile } from './unpacked-shards.js'

export interface ShardTarget {
  /** Whole lines. */
  lines(bytes: Uint8Array): Promise<void>
  batch(batch: WriteBatch): Promise<void>
}

/** Line protocol in one file: as much as a write takes at once. */
const lineBytesMax = 16 << 20

export async function restoreShard(
  disk: Disk,
  workFolder: string,
  archive: AsyncIterable<Uint8Array>,
  target: ShardTarget,
): Promise<void> {
  await disk.makeDir(workFolder)
  let hasTsm = false
  for await (const file of readTar(archive)) {
    const name = file.name.split('/').at(-1) ?? ''
    if (name.endsWith('.lp')) await target.lines(await wholeFile(file))
    else if (await saveShardFile(disk, workFolder, file)) hasTsm = true
  }
  if (hasTsm) await restoreTsm(disk, workFolder, target)
}

async function wholeFile({ name, byteLength, bytes }: TarFile): Promise<Uint8Array> {
  if (byteLength > lineBytesMax) {
    throw new UserError('request too large', `${name} has more than ${lineBytesMax} bytes`)
  }
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part.slice())
  return Buffer.concat(parts)
}

async function restoreTsm(disk: Disk, folder: string, target: ShardTarget): Promise<void> {
  const refuse = (damage: Error) => {
    throw damage
  }
  const shard = await openShard(disk, folder, undefined, refuse)
  try {
    const batches = readShard({
      layers: shard.layers,
      range: allTime,
      onDamage: refuse,
      fieldTarget: (_: string, name: string, type: FieldType) => ({ name, type }),
      seriesTarget: (key) => {
        const { measurement, tags } = splitKey(parseSeriesKey(key))
        if (measurement === '') return undefined
        return { measurement, key: Buffer.from(seriesKey({ measurement, tags })) }
      },
    })
    for (const batch of batches) await target.batch(batch)
  } finally {
    await shard.close()
  }
}
