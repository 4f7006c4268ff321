// A backup of the running service as one stream, a tar archive: the files of the store as they are at a moment, a copy
// of the catalog, and at the end the record that makes it whole. The store comes first: every bucket that has points in
// the copy is known to the catalog then. Files that whoever asks has already are named in the record and not sent.

import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { namedBucket } from '../../catalog/storage/named-bucket.js'
import { limits } from '../../config.js'
import { UserError } from '../../errors.js'
import type { DiskFile } from '../../platform/disk.js'
import { NodeDisk } from '../../platform/node-disk.js'
import { tarEnd, tarFill, tarHeader } from '../../platform/tar.js'
import type { FrozenFile, FrozenStore } from '../../store/store.js'
import type { ServiceParts } from '../base/parts.js'
import {
  type BackedUpBucket,
  type BackedUpFile,
  type BackupRecord,
  catalogName,
  partialRecordVersion,
  recordName,
  recordVersion,
  segmentPrefix,
} from './backup-record.js'

const pieceBytes = 1 << 18

type Parts = Pick<ServiceParts, 'catalog' | 'store' | 'clock' | 'random' | 'config'>

export interface BackupRequest {
  /** Marks of files that whoever asks has. */
  readonly have: ReadonlySet<string>
  /** Names or ids of the buckets whose points are wanted; absent: all. */
  readonly buckets?: readonly string[] | undefined
  /** Of this program, for the record. */
  readonly programVersion: string
}

interface CatalogCopy {
  readonly file: DiskFile
  remove(): Promise<void>
}

export class Backups {
  readonly #parts: Parts
  readonly #disk = new NodeDisk()
  #underWay = 0
  #copies = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Holds files until it has ended or is given up: whoever takes it must do one of both. */
  async *stream(request: BackupRequest, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { store } = this.#parts
    if (store.freeze === undefined) {
      throw new UserError('not implemented', 'this kind of store cannot be backed up from here')
    }
    if (this.#underWay >= limits.backupsMax) {
      throw new UserError('too many requests', `${limits.backupsMax} backups are under way already`)
    }
    const wanted = request.buckets && (await this.#wanted(request.buckets))
    this.#underWay++
    let frozen: FrozenStore | undefined
    try {
      frozen = await store.freeze(wanted)
      yield* this.#archive(frozen, request, wanted, signal)
    } finally {
      this.#underWay--
      await frozen?.release()
    }
  }

  async *#archive(
    frozen: FrozenStore,
    { have, programVersion }: BackupRequest,
    wanted: ReadonlySet<string> | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const seconds = Number(frozen.at / 1_000_000_000n)
    const files: BackedUpFile[] = []
    for (const file of frozen.files) {
      const { byteLength, mark } = file
      const name = `store/${file.name}`
      if (mark !== undefined && have.has(mark)) files.push({ name, byteLength, mark })
      else {
        const entry = mark === undefined ? name : `${segmentPrefix}${mark}`
        const sha256 = yield* packed({ ...file, name: entry }, seconds, signal)
        files.push({ name, byteLength, sha256, ...(mark === undefined ? {} : { mark }) })
      }
    }
    const { hasCatalog, buckets } = yield* this.#catalog(files, seconds, signal)
    const isPartial = wanted !== undefined
    const record: BackupRecord = {
      millraceBackup: isPartial ? partialRecordVersion : recordVersion,
      at: new Date(Number(frozen.at / 1_000_000n)).toISOString(),
      programVersion,
      hasCatalog,
      damage: frozen.damage,
      buckets: isPartial ? buckets.filter(({ id }) => wanted.has(id)) : buckets,
      ...(isPartial && { isPartial }),
      files,
    }
    const bytes = Buffer.from(`${JSON.stringify(record, undefined, 2)}\n`)
    yield tarHeader(recordName, bytes.length, seconds)
    yield bytes
    yield tarFill(bytes.length)
    yield tarEnd
  }

  async *#catalog(files: BackedUpFile[], seconds: number, signal: AbortSignal) {
    const copy = await this.#copyCatalog()
    try {
      if (copy !== undefined) {
        const file = fileOf(copy.file, catalogName)
        const sha256 = yield* packed(file, seconds, signal)
        files.push({ name: catalogName, byteLength: file.byteLength, sha256 })
      }
      return { hasCatalog: copy !== undefined, buckets: await this.#buckets() }
    } finally {
      await copy?.remove()
    }
  }

  /** The catalog alone, as a database file; nothing where PostgreSQL has it. */
  async *catalogBytes(): AsyncGenerator<Uint8Array> {
    const copy = await this.#copyCatalog()
    try {
      if (copy !== undefined) yield* fileOf(copy.file, catalogName).read()
    } finally {
      await copy?.remove()
    }
  }

  /** Into a file beside the data: nobody who changes something waits for a slow receiver. */
  async #copyCatalog(): Promise<CatalogCopy | undefined> {
    const { catalog, config, random } = this.#parts
    const name = Buffer.from(random.bytes(8)).toString('hex')
    const folder = config.memory ? `${tmpdir()}/millrace-${name}` : `${config.dataDir}/backup-work`
    const path = `${folder}/${name}.sqlite`
    // What a process that was killed has left behind.
    if (this.#copies === 0) await this.#disk.removeDir(folder)
    this.#copies++
    let file: DiskFile | undefined
    const remove = async () => {
      this.#copies--
      await file?.close()
      await this.#disk.remove(path).catch(() => undefined)
      if (config.memory || this.#copies === 0) await this.#disk.removeDir(folder)
    }
    try {
      await this.#disk.makeDir(folder)
      if (await catalog.copyTo(path)) {
        file = await this.#disk.open(path, 'read')
        return { file, remove }
      }
    } catch (error) {
      await remove()
      throw error
    }
    await remove()
    return undefined
  }

  /** Ids of what is called so, or is. */
  async #wanted(names: readonly string[]): Promise<ReadonlySet<string>> {
    const all = await this.#buckets()
    return new Set(names.map((name) => namedBucket(all, name).id))
  }

  async #buckets(): Promise<BackedUpBucket[]> {
    const { catalog } = this.#parts
    const found: BackedUpBucket[] = []
    const orgs = new Map<string, string>()
    for (const { id, name, orgId, retentionSeconds } of await catalog.buckets.all()) {
      let org = orgs.get(orgId)
      if (org === undefined) {
        org = (await catalog.organizations.findById(orgId))?.name ?? orgId
        orgs.set(orgId, org)
      }
      found.push({ id, name, org, retentionSeconds })
    }
    return found
  }
}

function fileOf(file: DiskFile, name: string): FrozenFile {
  const byteLength = file.size()
  return {
    name,
    byteLength,
    async *read() {
      for (let at = 0; at < byteLength; at += pieceBytes) {
        const piece = new Uint8Array(Math.min(pieceBytes, byteLength - at))
        file.readSync(piece, at)
        yield piece
      }
    },
  }
}

/** Yields a file as tar has it, and returns its SHA-256. */
async function* packed(
  { name, byteLength, read }: FrozenFile,
  seconds: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, string> {
  const hash = createHash('sha256')
  let count = 0
  yield tarHeader(name, byteLength, seconds)
  for await (const piece of read()) {
    signal.throwIfAborted()
    hash.update(piece)
    count += piece.length
    yield piece
  }
  // The header has promised another length: breaking off is the only way to say so.
  if (count !== byteLength) throw new Error(`${name} has ${count} bytes, not ${byteLength}`)
  yield tarFill(byteLength)
  return hash.digest('hex')
}
