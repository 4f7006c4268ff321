// What the backup interface of InfluxDB 2 calls shards: the points of a bucket in a span of time, as a tar archive of
// line protocol. Whoever carries the archive does not look into it; restoring takes it as it takes InfluxDB's own.
// Files in it are small, since an archive says how long a file is before its bytes.

import { createHash } from 'node:crypto'
import type { Bucket } from '../catalog/storage/buckets.js'
import type { TimeRange } from '../column/time.js'
import { tarEnd, tarFill, tarHeader } from '../platform/tar.js'
import type { Store } from '../store/store.js'
import { exportLines } from './export.js'

const fileBytes = 1 << 20

export interface BackupShard {
  readonly bucket: Bucket
  readonly range: TimeRange
  /** Follows from the bucket and the span, so that it needs no memory: a number that JSON can hold. */
  readonly id: number
}

export async function shardsOf(store: Store, bucket: Bucket): Promise<BackupShard[]> {
  const ranges = await store.shards(bucket.id)
  return ranges.map((range) => {
    const hash = createHash('sha256').update(`${bucket.id} ${range.start}`).digest()
    return { bucket, range, id: hash.readUIntBE(0, 6) + 1 }
  })
}

/** Each file ends with a line. */
export async function* shardArchive(
  store: Store,
  { bucket, range, id }: BackupShard,
  seconds: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let texts: string[] = []
  let length = 0
  let number = 0
  const file = () => {
    const bytes = Buffer.from(texts.join(''))
    const name = `${bucket.id}/autogen/${id}/${String(++number).padStart(9, '0')}.lp`
    texts = []
    length = 0
    return [tarHeader(name, bytes.length, seconds), bytes, tarFill(bytes.length)]
  }
  for await (const text of exportLines(store, { bucket: bucket.id, range }, signal)) {
    texts.push(text)
    length += text.length
    if (length >= fileBytes) yield* file()
  }
  if (length > 0) yield* file()
  yield tarEnd
}
