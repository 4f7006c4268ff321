// A running InfluxDB 2.x by its interface for backups, as `influx backup` uses it: the key-value file comes as a part
// of one answer, and each shard as an archive. Whoever has no operator's token is not let in; other servers that have
// the interface, such as Millrace, keep something else in the place of the key-value file.

import { CorruptionError, UserError } from '../../errors.js'
import type { Disk } from '../../platform/disk.js'
import { BoltFile } from '../../tsm/metadata/bolt-file.js'
import { ServerRefusal, type V1Client } from '../connection/v1-client.js'
import type { OpenShard } from './shard-folder.js'
import { UnpackedShards } from './unpacked-shards.js'
import type { V2Files } from './v2-source.js'
import { fingerprintOf } from './week-units.js'

const metadataPath = 'api/v2/backup/metadata'
/** Of a server with a hundred thousand dashboards. */
const metadataBytesMax = 1 << 30

const noShard: OpenShard = { layers: [], files: [], close: async () => {} }

/** Undefined where it cannot be read this way. */
export async function v2ServerBackup(
  client: V1Client,
  disk: Disk,
  workFolder: string,
  now: () => bigint,
): Promise<V2Files | undefined> {
  if (!(await isAnswered(client))) return undefined
  const unpacked = new UnpackedShards(disk, workFolder)
  const fetched = new Map<string, FetchedShard>()
  return {
    title: `InfluxDB 2.x at ${client.url}`,
    metadata: async () => ({ name: metadataPath, bytes: await keyValueFile(client) }),
    files: async (_, __, { id, stop }) => {
      const shard = fetched.get(String(id)) ?? { bytes: 0, fingerprint: '', since: undefined }
      const isSame =
        shard.since !== undefined && !(await hasChanged(client, String(id), shard.since))
      if (!isSame) shard.fingerprint = fingerprintOf(stop, now(), shard.since !== undefined)
      fetched.set(String(id), shard)
      return { fingerprint: shard.fingerprint, bytes: shard.bytes }
    },
    open: async (place, onDamage, onBytes) => {
      const id = place.split('/').at(-1) ?? ''
      const path = `api/v2/backup/shards/${id}`
      try {
        const { headers, bytes } = await client.answer(path)
        const shard = fetched.get(id)
        const archive = counted(bytes, (size) => {
          if (shard !== undefined) shard.bytes = size
        })
        const opened = await unpacked.open(path, archive, onDamage, onBytes)
        if (shard !== undefined) shard.since = momentOf(headers)
        return opened
      } catch (error) {
        // It has expired since it was named.
        if (error instanceof ServerRefusal && error.answerStatus === 404) return noShard
        throw error
      }
    },
    unitBytes: (place) => fetched.get(place.split('/').at(-1) ?? '')?.bytes ?? 0,
    receivedBytes: () => client.receivedBytes,
    close: () => unpacked.close(),
  }
}

/** What is known of a shard since it was fetched. */
interface FetchedShard {
  bytes: number
  fingerprint: string
  /** By the server's clock, when it was fetched last; undefined: never, or the server does not tell. */
  since: string | undefined
}

/** The server's own moment: its files are compared with it. */
function momentOf(headers: Headers): string | undefined {
  const date = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(date) ? undefined : new Date(date).toISOString()
}

/** Whether files were written since: an archive with nothing in it begins with a block of zeros, or not at all. */
async function hasChanged(client: V1Client, id: string, since: string): Promise<boolean> {
  const path = `api/v2/backup/shards/${id}?${new URLSearchParams({ since })}`
  try {
    for await (const chunk of client.bytes(path)) {
      if (chunk.length > 0) return chunk[0] !== 0
    }
    return false
  } catch (error) {
    if (error instanceof ServerRefusal && error.answerStatus === 404) return false
    throw error
  }
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onSize: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    onSize(size)
    yield chunk
  }
}

async function isAnswered(client: V1Client): Promise<boolean> {
  try {
    return new BoltFile(metadataPath, await keyValueFile(client)) !== undefined
  } catch (error) {
    if (error instanceof ServerRefusal || error instanceof CorruptionError) return false
    throw error
  }
}

/** The part `kv` of the answer, whose parts have heads and stand between lines with a mark. */
async function keyValueFile(client: V1Client): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of client.bytes(metadataPath)) {
    chunks.push(chunk)
    size += chunk.length
    if (size > metadataBytesMax) throw new UserError('invalid', 'the metadata is too large')
  }
  const answer = Buffer.concat(chunks)
  const mark = /^\s*(--[^\r\n]+)/.exec(answer.toString('latin1', 0, 200))?.[1]
  if (mark === undefined) throw new UserError('invalid', 'the metadata has no parts')
  let at = answer.indexOf(mark)
  while (at >= 0) {
    const headEnd = answer.indexOf('\r\n\r\n', at)
    const next = answer.indexOf(`\r\n${mark}`, at + mark.length)
    if (headEnd < 0 || next < 0) break
    const head = answer.toString('latin1', at, headEnd)
    if (/name="?kv"?/.test(head)) return answer.subarray(headEnd + 4, next)
    at = next + 2
  }
  throw new UserError('invalid', 'the metadata has no part "kv"')
}
