// Carries a restored store on to a later moment: what archived logs hold beyond the backup is written and deleted once
// more, in its order, through the store's own interface. Series and fields are numbers in a log, named where they were
// new; those that the backup knew already are asked from the store, whose numbers they are.
//
// Logs form a chain (see wal/format.ts). Where a link is missing or damaged nothing that follows is brought back, and
// that is told: points of later logs without those of earlier ones would be a state that never was.

import { createHash } from 'node:crypto'
import { KeyTable } from '../../../column/key-table.js'
import { parseSeriesKey } from '../../../column/series.js'
import type { WriteBatch, WriteTable } from '../../../column/write-batch.js'
import { BusyError, UserError } from '../../../errors.js'
import { type Disk, readFile } from '../../../platform/disk.js'
import type { Store } from '../../store.js'
import { walNumber } from '../files/filenames.js'
import type { NewField } from '../index/series-index.js'
import { readWal, type WalContents, type WalStep } from '../wal/reader.js'
import type { RecordTable, WalRecord } from '../wal/record.js'

/** Where the backup's copy of the newest log ends. */
export interface ArchivePosition {
  readonly number: number
  readonly end: number
  /** Of that copy, hexadecimal: the same log must be in the archive. */
  readonly sha256: string
}

export interface BucketNumbering {
  /** Of series that ever were: the number that the next one gets. */
  readonly count: number
  /** Of one that is there. */
  key(series: number): Uint8Array
  /** Those of each measurement in the order in which they were made. */
  readonly fields: readonly NewField[]
  /** Of fields that ever were. */
  readonly fieldCount: number
}

/** The store that is carried on. */
export interface ArchiveTarget extends Pick<Store, 'write' | 'delete' | 'dropBucket'> {
  /** What numbers in logs stand for; undefined: there is no such bucket. */
  numbering(bucket: string): BucketNumbering | undefined
}

export interface ArchiveRequest {
  readonly disk: Disk
  /** Where logs are: the archive, and the folder of logs of the store itself where that is left. */
  readonly folders: readonly string[]
  readonly from: ArchivePosition
  /** The last moment that counts; undefined: everything. */
  readonly until: bigint | undefined
  /** Whether the catalog knows the bucket. */
  knows(bucket: string): boolean
  /** How many more bytes of logs were carried out. */
  onBytes?(count: number): void
}

export interface ArchiveReplay {
  readonly points: number
  /** Points that the store does not take any more, such as expired ones. */
  readonly refused: number
  readonly deletes: number
  /** When the last of it was written; undefined: nothing was. */
  readonly at: bigint | undefined
  /** Buckets that were made after the backup. */
  readonly unknown: ReadonlySet<string>
  /** Why it ended too early, in words. */
  readonly gap: string | undefined
}

class Gap extends Error {}

export async function replayArchive(
  target: ArchiveTarget,
  request: ArchiveRequest,
): Promise<ArchiveReplay> {
  const replay = new Replay(target, request)
  let gap: string | undefined
  try {
    for await (const steps of logsFrom(request)) if (!(await replay.run(steps))) break
  } catch (error) {
    if (!(error instanceof Gap)) throw error
    gap = error.message
  }
  const { points, refused, deletes, at, unknown } = replay
  return { points, refused, deletes, at, unknown, gap }
}

/** The steps of each log beyond the position, in the order of the logs. */
async function* logsFrom(request: ArchiveRequest): AsyncGenerator<readonly WalStep[]> {
  const { disk, from } = request
  const logs = await findLogs(request)
  let { number } = from
  let contents = await openFirst(disk, logs.get(number), from)
  yield contents.steps.filter(({ offset }) => offset >= from.end)
  for (;;) {
    request.onBytes?.(contents.end)
    const next = await follower(disk, logs, number, contents)
    if (next === undefined) return
    number = next.number
    contents = next.contents
    yield contents.steps
  }
}

/** Of a log that is in several folders the longer copy counts: it was copied while it grew. */
async function findLogs({ disk, folders }: ArchiveRequest): Promise<Map<number, string>> {
  const found = new Map<number, { path: string; size: number }>()
  for (const folder of folders) {
    for (const name of await disk.list(folder)) {
      const number = walNumber(name)
      if (number === undefined) continue
      const path = `${folder}/${name}`
      const { length: size } = await readFile(disk, path)
      const known = found.get(number)
      if (known === undefined || known.size < size) found.set(number, { path, size })
    }
  }
  return new Map(Array.from(found, ([number, { path }]) => [number, path]))
}

async function openFirst(
  disk: Disk,
  path: string | undefined,
  { number, end, sha256 }: ArchivePosition,
): Promise<WalContents> {
  if (path === undefined) {
    throw new Gap(`the log ${number}, with which the backup ends, is in none of the folders`)
  }
  const bytes = (await readFile(disk, path)).subarray(0, end)
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new UserError('invalid', `${path} is not the log with which the backup ends`)
  }
  return openLog(disk, path)
}

async function openLog(disk: Disk, path: string): Promise<WalContents> {
  const contents = await readWal(disk, path)
  if (contents.damage.length > 0) throw new Gap(`a log is damaged: ${contents.damage[0].message}`)
  return contents
}

/** The log behind this one; undefined: it is the last. Throws Gap where one is missing in between. */
async function follower(
  disk: Disk,
  logs: ReadonlyMap<number, string>,
  number: number,
  { next, end }: WalContents,
): Promise<{ number: number; contents: WalContents } | undefined> {
  if (next !== undefined && !logs.has(next)) throw new Gap(`the log ${next} is missing`)
  for (const later of [...logs.keys()].filter((one) => one > number).sort((a, b) => a - b)) {
    const contents = await openLog(disk, logs.get(later) ?? '')
    // One that a crash left without a beginning holds nothing.
    if (contents.start === undefined && contents.end === 0) continue
    if (contents.start?.before !== number) {
      throw new Gap(`a log between ${number} and ${later} is missing`)
    }
    if (contents.start.beforeEnd > end) throw new Gap(`the log ${number} is cut off at ${end}`)
    return { number: later, contents }
  }
  return undefined
}

class Replay {
  readonly #target: ArchiveTarget
  readonly #request: ArchiveRequest
  /** By bucket. */
  readonly #names = new Map<string, ArchivedNames>()
  points = 0
  refused = 0
  deletes = 0
  at: bigint | undefined
  readonly unknown = new Set<string>()

  constructor(target: ArchiveTarget, request: ArchiveRequest) {
    this.#target = target
    this.#request = request
  }

  /** False where the moment has come. */
  async run(steps: readonly WalStep[]): Promise<boolean> {
    const { until } = this.#request
    for (const { at, change } of steps) {
      if (at === undefined) {
        throw new Gap('a log was written before logs were archived: it has no moments')
      }
      if (until !== undefined && at > until) return false
      const bucket = bucketOf(change)
      const names = this.#namesOf(bucket)
      if (change.kind === 'write') names.add(change.record)
      if (this.#request.knows(bucket)) await this.#apply(change, names)
      else this.unknown.add(bucket)
      this.at = at
    }
    return true
  }

  /** Before anything is written: what the store numbers from then on are numbers of its own. */
  #namesOf(bucket: string): ArchivedNames {
    let names = this.#names.get(bucket)
    if (names === undefined) {
      names = new ArchivedNames(this.#target.numbering(bucket))
      this.#names.set(bucket, names)
    }
    return names
  }

  async #apply(change: WalStep['change'], names: ArchivedNames): Promise<void> {
    if (change.kind === 'drop') {
      await this.#target.dropBucket(change.bucket)
      this.deletes++
    } else if (change.kind === 'delete') {
      await this.#target.delete(change.request)
      this.deletes++
    } else if (change.record.tables.length > 0) {
      const batch = names.batch(change.record)
      const { writtenCount } = await this.#write(change.record.bucket, batch)
      this.points += writtenCount
      this.refused += batch.pointCount - writtenCount
    }
  }

  async #write(bucket: string, batch: WriteBatch) {
    for (;;) {
      try {
        return await this.#target.write(bucket, batch)
      } catch (error) {
        if (!(error instanceof BusyError)) throw error
        await new Promise((resolve) => setTimeout(resolve, error.retryAfterSeconds * 1000))
      }
    }
  }
}

function bucketOf(change: WalStep['change']): string {
  if (change.kind === 'write') return change.record.bucket
  return change.kind === 'delete' ? change.request.bucket : change.bucket
}

/** What the numbers in the logs of a bucket stand for. */
class ArchivedNames {
  readonly #known: BucketNumbering | undefined
  readonly #knownCount: number
  readonly #keys = new Map<number, Uint8Array>()
  #fieldCount: number
  /** By measurement; a field's number is its place among them. */
  readonly #fields = new Map<number, NewField[]>()

  constructor(known: BucketNumbering | undefined) {
    this.#known = known
    this.#knownCount = known?.count ?? 0
    this.#fieldCount = known?.fieldCount ?? 0
    for (const field of known?.fields ?? []) this.#addField(field)
  }

  #addField(field: NewField): void {
    const known = this.#fields.get(field.measurementId)
    if (known === undefined) this.#fields.set(field.measurementId, [field])
    else known.push(field)
  }

  add({ firstSeries, seriesKeys, firstField, fields }: WalRecord): void {
    seriesKeys.forEach((key, i) => {
      if (firstSeries + i >= this.#knownCount) this.#keys.set(firstSeries + i, key)
    })
    for (const field of fields.slice(Math.max(0, this.#fieldCount - firstField))) {
      this.#addField(field)
      this.#fieldCount++
    }
  }

  batch({ tables }: WalRecord): WriteBatch {
    const keys = new KeyTable()
    const named = tables.map((table) => this.#table(table, keys))
    return { tables: named, pointCount: named.reduce((sum, { rowCount }) => sum + rowCount, 0) }
  }

  #table({ shard, table }: RecordTable, keys: KeyTable): WriteTable {
    const { rowCount } = table
    const ids = new Map<number, number>()
    const series = new Uint32Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      const number = table.series[row]
      let id = ids.get(number)
      if (id === undefined) {
        id = keys.intern(this.#key(number))
        ids.set(number, id)
      }
      series[row] = id
    }
    const { measurement } = parseSeriesKey(keys.key(series[0]))
    const known = this.#fields.get(table.measurementId) ?? []
    const fields = table.fields.map(({ fieldId, column }) => {
      const name = known[fieldId]?.name
      if (name === undefined) throw new Gap(`a log names the field ${fieldId}, which none has made`)
      return { name, column }
    })
    const times = { base: shard.start, offsets: table.offsets }
    return { measurement, rowCount, series, keys, times, fields, lines: new Uint32Array(rowCount) }
  }

  #key(number: number): Uint8Array {
    const key = number < this.#knownCount ? this.#known?.key(number) : this.#keys.get(number)
    if (key === undefined) throw new Gap(`a log names the series ${number}, which none has made`)
    return key
  }
}
