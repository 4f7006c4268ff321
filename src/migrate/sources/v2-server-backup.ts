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
  return {
    title: `InfluxDB 2.x at ${client.url}`,
    metadata: async () => ({ name: metadataPath, bytes: await keyValueFile(client) }),
    files: async (_, __, { stop }) => ({ fingerprint: fingerprintOf(stop, now()), bytes: 0 }),
    open: async (id, onDamage, onBytes) => {
      const path = `api/v2/backup/shards/${id.split('/').at(-1)}`
      try {
        return await unpacked.open(path, client.bytes(path), onDamage, onBytes)
      } catch (error) {
        // It has expired since it was named.
        if (error instanceof ServerRefusal && error.answerStatus === 404) return noShard
        throw error
      }
    },
    close: () => unpacked.close(),
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
