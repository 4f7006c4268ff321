// What a migration has done, one JSON line each, in a file that is only added to: starting again goes on from there. A
// line that was not finished when the process ended is left out, and its unit is done again: writing the same points
// twice changes nothing.

import type { Disk, DiskFile } from '../../platform/disk.js'
import { DayStatistics } from '../statistics/day-statistics.js'

export interface DoneUnit {
  readonly fingerprint: string | undefined
  readonly statistics: DayStatistics
}

/** Raised with the meaning of the lines. */
const version = 1

export class Journal {
  readonly units = new Map<string, DoneUnit>()
  /** Databases of the target that this migration has made; resources by their kind and old id, with the new id. */
  readonly made = new Map<string, string>()
  /** Up to when deletes of the source were done in the target, by database and policy. */
  readonly removed = new Map<string, bigint>()
  /** What the lines are about: a journal of another migration must not be taken for this one's. */
  subject: string | undefined
  readonly #file: DiskFile
  #size: number
  /** Of the lines, the one that is written last. */
  #last: Promise<void> = Promise.resolve()

  private constructor(file: DiskFile, size: number) {
    this.#file = file
    this.#size = size
  }

  /** `path`'s folder must exist. */
  static async open(disk: Disk, path: string): Promise<Journal> {
    const isNew = !(await disk.exists(path))
    const file = await disk.open(path, isNew ? 'create' : 'write')
    const bytes = new Uint8Array(file.size())
    file.readSync(bytes, 0)
    const whole = Buffer.from(bytes).subarray(0, bytes.lastIndexOf(10) + 1)
    const journal = new Journal(file, whole.length)
    for (const line of whole.toString('utf8').split('\n')) journal.#take(line)
    return journal
  }

  #take(line: string): void {
    if (line === '') return
    const entry = JSON.parse(line)
    if (entry.version !== undefined && entry.version !== version) {
      throw new Error(`the journal ${this.#file.path} was written by another version of Millrace`)
    }
    if (entry.subject !== undefined) this.subject = entry.subject
    if (entry.made !== undefined) this.made.set(entry.made, entry.id ?? '')
    if (entry.removed !== undefined) this.removed.set(entry.removed, BigInt(entry.at))
    if (entry.unit === undefined) return
    const statistics = DayStatistics.from(entry.statistics)
    this.units.set(entry.unit, { fingerprint: entry.fingerprint, statistics })
  }

  async begin(subject: string): Promise<void> {
    this.subject = subject
    await this.#append({ version, subject })
  }

  async madeDatabase(database: string): Promise<void> {
    await this.madeResource(database, '')
  }

  async madeResource(key: string, id: string): Promise<void> {
    this.made.set(key, id)
    await this.#append({ made: key, id })
  }

  async doneRemoving(policy: string, at: bigint): Promise<void> {
    this.removed.set(policy, at)
    await this.#append({ removed: policy, at: String(at) })
  }

  async done(unit: string, fingerprint: string | undefined, statistics: DayStatistics) {
    this.units.set(unit, { fingerprint, statistics })
    await this.#append({ unit, fingerprint, statistics })
  }

  /** One line after the other, whoever writes them. */
  #append(entry: unknown): Promise<void> {
    const written = this.#last.then(async () => {
      const bytes = Buffer.from(`${JSON.stringify(entry)}\n`)
      await this.#file.write([bytes], this.#size)
      this.#size += bytes.length
      await this.#file.sync()
    })
    this.#last = written.catch(() => {})
    return written
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
