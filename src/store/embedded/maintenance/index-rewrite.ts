// Series without rows leave the index: which series have rows is found out from the files, the memtables and what is
// on its way; then the index is written anew without the others, in memory and as a log of its own, and takes the place
// of the old one. Numbers are never given again, so that what still knows an old one (a read, a cache) finds nothing
// under it rather than something else.
//
// Most of it is done beside the writers, in turns. What they write meanwhile is marked (`Bucket.marks`). To replace the
// index, everything is flushed and writers wait for a moment (`Bucket.gate`): no log then names a series that the new
// index does not know. If a series that was left out was written to meanwhile, it is done once more; the last time
// the writers wait for all of it.

import type { CorruptionError } from '../../../errors.js'
import type { StoreLog } from '../../store-log.js'
import type { Bucket } from '../bucket/bucket.js'
import type { Generation } from '../bucket/generation.js'
import { ByteWriter } from '../encoding/byte-writer.js'
import { asDamage } from '../files/damage.js'
import { type NamedFields, writeKept, writeNames } from '../index/index-frames.js'
import { IndexLog } from '../index/index-log.js'
import type { Measurement, NewField, SeriesIndex } from '../index/series-index.js'
import { SeriesMarks } from '../index/series-marks.js'
import type { GroupSeries } from '../segment/block-cache.js'
import type { MeasurementDirectory } from '../segment/directory.js'
import type { SegmentReader } from '../segment/reader.js'
import type { NewIndex, Structure } from '../structure/structure.js'

export interface IndexRewriteParts {
  readonly structure: Structure
  readonly log: StoreLog
  /** Older first. */
  generations(): readonly Generation[]
  /** Series of rows that wait for the log. */
  markQueued(bucket: Bucket, marks: SeriesMarks): void
  /** Runs with all rows in segments, and with nothing on its way into a log. */
  whenFlushed(action: () => Promise<void>): Promise<void>
  /** Between two steps: others may go first. */
  breathe(): Promise<void> | undefined
  damaged(bucket: Bucket, measurement: string, error: CorruptionError): void
  /** The bucket has another index: numbers found out with the old one are of no use. */
  replaced(bucket: Bucket): void
}

/** The index is written anew when so much of it is gone: it costs what all that is left costs. */
const goneShareMin = 1 / 8
const attemptsMax = 3
/** Series between two looks at the clock. */
const stepSeries = 256
const frameBytes = 1 << 20
/** A look at all files takes at most this share of the time. */
const lookShareMax = 1 / 20

export class IndexRewrites {
  readonly #parts: IndexRewriteParts
  #stopped = false
  #running: Promise<void> | undefined
  /** What each bucket had lost when it was last looked at. */
  readonly #seen = new WeakMap<Bucket, number>()
  #nextLook = 0
  forgottenCount = 0

  constructor(parts: IndexRewriteParts) {
    this.#parts = parts
  }

  /** One at a time. `everything`: at once, and however little is gone. Rejects where the disk refuses. */
  async run(everything = false): Promise<void> {
    while (everything && this.#running !== undefined) await this.#running.catch(() => undefined)
    if (this.#running !== undefined || (!everything && performance.now() < this.#nextLook)) return
    this.#running = this.#runAll(everything ? 0 : goneShareMin).finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  /** Begins nothing new; what is under way is given up. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running?.catch(() => undefined)
  }

  async #runAll(shareMin: number): Promise<void> {
    const since = performance.now()
    for (const bucket of [...this.#parts.structure.buckets.values()]) {
      const { removals } = bucket
      if (this.#seen.get(bucket) === removals || !isWhole(bucket)) continue
      await this.#lookSafely(bucket, shareMin)
      this.#seen.set(bucket, removals)
    }
    this.#nextLook = performance.now() + (performance.now() - since) / lookShareMax
  }

  /** With a damaged file nobody can tell, as long as the file is there. The files of a dropped bucket go meanwhile. */
  async #lookSafely(bucket: Bucket, shareMin: number): Promise<void> {
    try {
      await this.#look(bucket, shareMin)
    } catch (error) {
      if (!bucket.isDropped && asDamage(error) === undefined) throw error
    }
  }

  async #look(bucket: Bucket, shareMin: number): Promise<void> {
    const marks = new SeriesMarks()
    bucket.marks = marks
    try {
      await this.#mark(bucket, marks)
      const gone = bucket.index.size - marks.size
      if (gone === 0 || gone < bucket.index.size * shareMin) return
      for (let attempt = 1; !(await this.#rewrite(bucket, marks, attempt >= attemptsMax)); ) {
        if (this.#isGivenUp(bucket)) return
        attempt++
      }
    } finally {
      bucket.marks = undefined
    }
    if (this.#isGivenUp(bucket)) return
    const fields = { bucket: bucket.id, series: bucket.index.size }
    this.#parts.log('info', 'series without points have left the index', fields)
  }

  /** The newest first: where every series is met there, the others need not be looked at. */
  async #mark(bucket: Bucket, marks: SeriesMarks): Promise<void> {
    const segments = bucket.shards.flatMap((shard) => shard.segments).reverse()
    for (const segment of segments) segment.acquire()
    try {
      this.#parts.markQueued(bucket, marks)
      for (const generation of this.#parts.generations()) {
        for (const entry of generation.entries()) {
          if (entry.bucket !== bucket) continue
          for (const table of entry.tables.values()) marks.add(table.seriesIds())
        }
      }
      for (const { reader } of segments) {
        for (const name of reader.directory.measurements.keys()) {
          const directory = reader.directory.measurements.get(name)!
          for (let g = 0; g < directory.groupCount; g++) {
            if (marks.size >= bucket.index.size || this.#isGivenUp(bucket)) return
            const { ids, count } = this.#seriesOf(bucket, reader, directory, g)
            marks.add(ids, count)
            await this.#parts.breathe()
          }
        }
      }
    } finally {
      for (const segment of segments) await segment.release()
    }
  }

  #seriesOf(
    bucket: Bucket,
    reader: SegmentReader,
    directory: MeasurementDirectory,
    group: number,
  ): GroupSeries {
    try {
      return reader.readSeries(directory, group)
    } catch (error) {
      const damage = asDamage(error)
      if (damage !== undefined) this.#parts.damaged(bucket, directory.name, damage)
      throw error
    }
  }

  /** False: it has to be done once more, or was given up. */
  async #rewrite(bucket: Bucket, marks: SeriesMarks, isLast: boolean): Promise<boolean> {
    const { structure } = this.#parts
    let open = isLast ? closeGate(bucket) : undefined
    const log = IndexLog.begin(structure.indexPlace(bucket.id, structure.takeNumber()))
    const made = { bucket, index: structure.newIndex(), log }
    let isDone = false
    try {
      const builtEnd = bucket.index.next
      await this.#copy(made, marks, 0, builtEnd)
      await this.#parts.whenFlushed(async () => {
        open ??= closeGate(bucket)
        if (this.#isGivenUp(bucket)) return
        markUndurable(bucket, marks)
        if (await this.#anyLeftOut(bucket.index, made.index, marks, builtEnd)) return
        await this.#copy(made, marks, builtEnd, Number.POSITIVE_INFINITY)
        await log.finish(made.index)
        const { size } = bucket.index
        await structure.edit(() => (this.#isGivenUp(bucket) ? undefined : { newIndex: made }))
        isDone = bucket.index === made.index
        if (!isDone) return
        this.forgottenCount += size - made.index.size
        this.#parts.replaced(bucket)
      })
    } finally {
      open?.()
      // The manifest on the disk may name it; then it is needed, or else swept at the next start.
      if (!isDone && !structure.isUnsure) await log.remove().catch(() => undefined)
    }
    return isDone
  }

  /** Marked series from one number up to another, with their measurements, into the new index and its log. */
  async #copy(
    { bucket, index, log }: NewIndex,
    marks: SeriesMarks,
    first: number,
    end: number,
  ): Promise<void> {
    const old = bucket.index
    const unlogged = old.fieldsFrom(bucket.durableFields)
    const named = new Set(unlogged.map(({ measurementId }) => measurementId))
    const kept: { measurement: Measurement; ids: number[] }[] = []
    for (const measurement of [...old.measurements]) {
      const ids: number[] = []
      for (let at = firstFrom(measurement, first); at < measurement.seriesCount; at++) {
        const id = measurement.seriesIds[at]
        if (id >= end) break
        if (marks.has(id)) ids.push(id)
        if (at % stepSeries === 0) await this.#parts.breathe()
      }
      const isKept = ids.length > 0 || named.has(measurement.id)
      if (isKept || index.measurement(measurement.name) !== undefined) {
        kept.push({ measurement, ids })
      }
    }
    await log.add(
      namesFrame(
        kept.map((each) => each.measurement),
        unlogged,
        old,
        index,
      ),
    )
    for (const { ids } of kept) {
      for (let at = 0; at < ids.length; ) at = await this.#copySeries(old, index, log, ids, at)
    }
  }

  /** A frame of them; where the next one begins. */
  async #copySeries(
    old: SeriesIndex,
    index: SeriesIndex,
    log: IndexLog,
    ids: readonly number[],
    first: number,
  ): Promise<number> {
    let at = first
    for (let bytes = 0; at < ids.length && bytes < frameBytes; at++) {
      const key = old.key(ids[at])
      index.add(ids[at], key)
      bytes += key.length
      if (at % stepSeries === 0) await this.#parts.breathe()
    }
    const payload = new ByteWriter(1 << 16)
    writeKept(payload, old, ids.slice(first, at))
    await log.add(payload.written())
    return at
  }

  async #anyLeftOut(
    old: SeriesIndex,
    index: SeriesIndex,
    marks: SeriesMarks,
    end: number,
  ): Promise<boolean> {
    for (const { seriesIds, seriesCount } of old.measurements) {
      for (let at = 0; at < seriesCount && seriesIds[at] < end; at++) {
        if (marks.has(seriesIds[at]) && !index.keys.has(seriesIds[at])) return true
        if (at % stepSeries === 0) await this.#parts.breathe()
      }
    }
    return false
  }

  #isGivenUp(bucket: Bucket): boolean {
    return this.#stopped || bucket.isDropped || !isWhole(bucket)
  }
}

/** What a lost segment holds nobody knows: none may leave while there is one. */
function isWhole({ shards }: Bucket): boolean {
  return shards.every(({ lost }) => lost.length === 0)
}

function closeGate(bucket: Bucket): () => void {
  let open: () => void = () => undefined
  bucket.gate = new Promise((resolve) => {
    open = resolve
  })
  return () => {
    bucket.gate = undefined
    open()
  }
}

/** Series and fields that no log has named for good stay: the next record may have to name them. */
function markUndurable({ index, durableSeries }: Bucket, marks: SeriesMarks): void {
  for (let id = durableSeries; id < index.next; id++) marks.add([id])
}

/** Numbers of a measurement's series rise with their positions. */
function firstFrom({ seriesIds, seriesCount }: Measurement, first: number): number {
  if (first === 0) return 0
  let at = seriesCount
  while (at > 0 && seriesIds[at - 1] >= first) at--
  return at
}

/** Brings the new index up to the measurements and fields of the old one, and tells the log. */
function namesFrame(
  measurements: readonly Measurement[],
  unlogged: readonly NewField[],
  old: SeriesIndex,
  index: SeriesIndex,
): Uint8Array {
  const named: NamedFields[] = []
  for (const measurement of measurements) {
    const { id, name } = measurement
    const known = index.measurement(name)
    const made = known ?? index.addMeasurement(id, name)
    const fields = measurement.fields.slice(made.fields.length)
    for (const field of fields) index.addOldField(made, field)
    if (known === undefined || fields.length > 0) named.push({ measurement, fields })
  }
  const next = { series: old.next, measurement: old.nextMeasurement, field: old.fieldCount }
  index.goOnFrom(next, unlogged)
  const payload = new ByteWriter(1 << 16)
  writeNames(payload, index, named)
  return payload.written()
}
