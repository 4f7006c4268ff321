// A place with backups in it, any number of them:
//
//   segments/<mark>                 files that never change, kept once for all backups
//   20261116T170501.123Z/           a backup: backup.json (its record), and what is only its own
//   incomplete-…/                   one that was broken off: the next one takes what it brought, and removes it
//   files-…/                        in S3, where nothing can be renamed: what is one backup's own; its record says so
//
// A backup has its name when everything in it is durable, the record last. Nothing else in the place is looked at.

import { UserError } from '../errors.js'
import {
  type BackedUpFile,
  type BackupRecord,
  parseRecord,
  recordName,
} from '../service/backup/backup-record.js'
import { type BackupPlace, readWhole } from './backup-place.js'

export interface StoredBackup {
  readonly name: string
  readonly record: BackupRecord
}

const backupPattern = /^\d{8}T\d{6}\.\d{3}Z$/
const workPattern = /^(incomplete|files)-/

export class BackupFolder {
  readonly place: BackupPlace

  constructor(place: BackupPlace) {
    this.place = place
  }

  /** Oldest first. Throws where a record is damaged. */
  async list(): Promise<StoredBackup[]> {
    const found: StoredBackup[] = []
    for (const name of await this.place.list('')) {
      if (backupPattern.test(name)) found.push({ name, record: await this.#record(name) })
    }
    return found
  }

  async #record(name: string): Promise<BackupRecord> {
    const path = `${name}/${recordName}`
    if (!(await this.place.exists(path))) {
      throw new UserError('invalid', `the backup ${name} has no ${recordName}`)
    }
    return parseRecord(await readWhole(this.place, path))
  }

  async incomplete(): Promise<string[]> {
    const work = (await this.place.list('')).filter((name) => workPattern.test(name))
    if (work.length === 0) return work
    const used = new Set((await this.list()).map(({ record }) => record.folder))
    return work.filter((name) => !used.has(name))
  }

  /** By its name, or the newest; with the points of that bucket, or of all. Throws UserError where there is none. */
  async find(name: string | undefined, bucket?: string): Promise<StoredBackup> {
    const suits = ({ record }: StoredBackup) =>
      bucket === undefined ? record.isPartial !== true : hasBucket(record, bucket)
    if (name !== undefined) {
      const named = await this.named(name)
      if (suits(named)) return named
      const names = named.record.buckets.map((one) => one.name).join(', ')
      throw new UserError(
        'invalid',
        `the backup ${name} has points of these buckets alone: ${names}`,
      )
    }
    const found = (await this.list()).findLast(suits)
    if (found !== undefined) return found
    throw this.#none(bucket === undefined ? 'no whole backup' : `no backup of bucket "${bucket}"`)
  }

  async named(name: string): Promise<StoredBackup> {
    const found = (await this.list()).find((one) => one.name === name)
    if (found === undefined) throw this.#none(`no backup "${name}"`)
    return found
  }

  #none(what: string): UserError {
    return new UserError('not found', `there is ${what} in ${this.place.title}`)
  }

  segmentPath(mark: string): string {
    return `segments/${mark}`
  }

  /** Where a file of a backup lies. */
  pathOf({ name, record }: StoredBackup, { name: file, mark }: BackedUpFile): string {
    return mark === undefined ? `${record.folder ?? name}/${file}` : this.segmentPath(mark)
  }

  /** The same for messages. */
  titleOf(path: string): string {
    return `${this.place.title}/${path}`
  }

  /** Marks of the files that are kept for all backups. */
  async marks(): Promise<Set<string>> {
    return new Set((await this.place.list('segments')).filter(isMark))
  }

  async begin(id: string): Promise<string> {
    for (const name of await this.incomplete()) await this.place.removeFolder(name)
    return this.place.begin(id)
  }

  /** The backup is whole once this has returned. */
  async finish(unfinished: string, record: BackupRecord): Promise<string> {
    const name = record.at.replace(/[-:]/g, '')
    if (!backupPattern.test(name)) throw new UserError('invalid', `"${record.at}" is no moment`)
    const own = record.files.flatMap((file) => (file.mark === undefined ? [file.name] : []))
    await this.place.publish(unfinished, name, own, (folder) => {
      const told = folder === undefined ? record : { ...record, folder }
      return Buffer.from(`${JSON.stringify(told, undefined, 2)}\n`)
    })
    return name
  }

  /**
   * Removes all but the newest so many of those with the points of the same buckets, and what no backup needs then.
   * Answers with the names that went.
   */
  async prune(keep: number, like: BackupRecord): Promise<string[]> {
    const all = await this.list()
    const alike = all.filter(({ record }) => kindOf(record) === kindOf(like))
    const gone = alike.slice(0, Math.max(0, alike.length - keep)).map(({ name }) => name)
    for (const { name, record } of all) {
      if (!gone.includes(name)) continue
      await this.place.removeFolder(name)
      if (record.folder !== undefined) await this.place.removeFolder(record.folder)
    }
    const kept = all.filter(({ name }) => !gone.includes(name))
    const needed = new Set(kept.flatMap(({ record }) => record.files.map(({ mark }) => mark)))
    for (const mark of await this.marks()) {
      if (!needed.has(mark)) await this.place.remove(this.segmentPath(mark))
    }
    return gone
  }
}

function hasBucket({ buckets }: BackupRecord, nameOrId: string): boolean {
  return buckets.some(({ id, name }) => id === nameOrId || name === nameOrId)
}

/** Equal for backups that stand for each other. */
function kindOf({ isPartial = false, buckets }: BackupRecord): string {
  if (!isPartial) return ''
  return buckets
    .map(({ id }) => id)
    .sort()
    .join()
}

/** What is being written has another ending. */
export function isMark(name: string): boolean {
  return /^[\w-]+$/.test(name)
}
