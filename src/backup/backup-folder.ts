// A folder with backups in it, any number of them:
//
//   segments/<mark>                 files that never change, kept once for all backups
//   20261116T170501.123Z/           a backup: backup.json (its record), and what is only its own
//   incomplete-…/                   one that was broken off: the next one takes what it brought, and removes it
//
// A backup has its name when everything in it is on the disk, the record last. Nothing else in the folder is looked at.

import { UserError } from '../errors.js'
import { type Disk, readFile, writeFileAtomically } from '../platform/disk.js'
import {
  type BackedUpFile,
  type BackupRecord,
  parseRecord,
  recordName,
} from '../service/backup/backup-record.js'
import { makeFolder, syncTree } from './copy-file.js'

export interface StoredBackup {
  readonly name: string
  readonly record: BackupRecord
}

const backupPattern = /^\d{8}T\d{6}\.\d{3}Z$/
const incompletePrefix = 'incomplete-'

export class BackupFolder {
  readonly disk: Disk
  readonly path: string

  constructor(disk: Disk, path: string) {
    this.disk = disk
    this.path = path
  }

  /** Oldest first. Throws where a record is damaged. */
  async list(): Promise<StoredBackup[]> {
    const found: StoredBackup[] = []
    for (const name of await this.disk.list(this.path)) {
      if (backupPattern.test(name)) found.push({ name, record: await this.#record(name) })
    }
    return found
  }

  async #record(name: string): Promise<BackupRecord> {
    const path = `${this.path}/${name}/${recordName}`
    if (!(await this.disk.exists(path))) {
      throw new UserError('invalid', `the backup ${name} has no ${recordName}`)
    }
    return parseRecord(await readFile(this.disk, path))
  }

  async incomplete(): Promise<string[]> {
    return (await this.disk.list(this.path)).filter((name) => name.startsWith(incompletePrefix))
  }

  /** By its name, or the newest. Throws UserError where there is none. */
  async find(name: string | undefined): Promise<StoredBackup> {
    const all = await this.list()
    const found = name === undefined ? all.at(-1) : all.find((one) => one.name === name)
    if (found !== undefined) return found
    const what = name === undefined ? 'no whole backup' : `no backup "${name}"`
    throw new UserError('not found', `there is ${what} in ${this.path}`)
  }

  segmentPath(mark: string): string {
    return `${this.path}/segments/${mark}`
  }

  /** Where a file of a backup lies. */
  pathOf(name: string, { name: file, mark }: BackedUpFile): string {
    return mark === undefined ? `${this.path}/${name}/${file}` : this.segmentPath(mark)
  }

  /** Marks of the files that are kept for all backups. */
  async marks(): Promise<Set<string>> {
    return new Set((await this.disk.list(`${this.path}/segments`)).filter(isMark))
  }

  async begin(id: string): Promise<string> {
    for (const name of await this.incomplete()) await this.disk.removeDir(`${this.path}/${name}`)
    const name = `${incompletePrefix}${id}`
    await makeFolder(this.disk, this.path)
    await this.disk.makeDir(`${this.path}/segments`)
    await this.disk.makeDir(`${this.path}/${name}`)
    return name
  }

  /** The backup is whole once this has returned. */
  async finish(unfinished: string, record: BackupRecord): Promise<string> {
    const { disk, path } = this
    const name = record.at.replace(/[-:]/g, '')
    if (!backupPattern.test(name)) throw new UserError('invalid', `"${record.at}" is no moment`)
    const bytes = Buffer.from(`${JSON.stringify(record, undefined, 2)}\n`)
    // The record comes last, on the disk too: without these a power cut may leave it alone.
    const own = record.files.flatMap((file) => (file.mark === undefined ? [file.name] : []))
    await syncTree(disk, `${path}/${unfinished}`, own)
    await writeFileAtomically(disk, `${path}/${unfinished}`, recordName, bytes)
    await disk.syncDir(`${path}/segments`)
    await disk.rename(`${path}/${unfinished}`, `${path}/${name}`)
    await disk.syncDir(path)
    return name
  }

  /** Removes all but the newest so many, and what none of these needs. Answers with the names that went. */
  async prune(keep: number): Promise<string[]> {
    const all = await this.list()
    const gone = all.slice(0, Math.max(0, all.length - keep)).map(({ name }) => name)
    for (const name of gone) await this.disk.removeDir(`${this.path}/${name}`)
    const needed = new Set(
      all.slice(gone.length).flatMap(({ record }) => record.files.map(({ mark }) => mark)),
    )
    for (const mark of await this.marks()) {
      if (!needed.has(mark)) await this.disk.remove(this.segmentPath(mark))
    }
    return gone
  }
}

/** What is being written has another ending. */
export function isMark(name: string): boolean {
  return /^[\w-]+$/.test(name)
}
