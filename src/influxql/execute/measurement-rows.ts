// The rows of a measurement, group by group and each group in time order. The store hands out series by
// series, so rows of a group of many series must be brought together: a slice of time at a time, so
// that memory stays bounded however much there is. What memory holds is read once and kept by group; what
// is larger is read group by group, in slices whose width follows what came before.

import type { BatchField, Run } from '../../column/batch.js'
import type { Predicate } from '../../column/predicate.js'
import type { Tag } from '../../column/series.js'
import { nsPerDay, type TimeRange } from '../../column/time.js'
import { firstRowsRange } from '../../query/first-rows.js'
import { RowMemory } from '../../query/row-memory.js'
import type { ReadRequest } from '../../store/store.js'
import { pushCondition } from '../plan/predicate.js'
import type { ResolvedMeasurement } from '../plan/resolved.js'
import type { PlannedReference } from '../plan/select-plan.js'
import { columnType } from '../plan/types.js'
import type { Expression } from '../syntax/ast.js'
import { walkExpression } from '../syntax/walk.js'
import { canCast, castColumn } from './cast.js'
import type { ExecuteContext } from './context.js'
import { copyBatch } from './copied-batch.js'
import { evaluateMarks } from './evaluate.js'
import { GroupBuffer } from './group-buffer.js'
import type { ColumnOrigin, OrderedRows } from './ordered-rows.js'
import { pickRows } from './row-picks.js'
import {
  compareGroups,
  type GroupKey,
  type GroupRows,
  groupTags,
  type RowBlock,
  tagsText,
} from './rows.js'
import {
  checkSeriesLimit,
  limitedGroups,
  type SeriesLimits,
  seriesGroups,
} from './series-groups.js'
import { Yielder } from './yielder.js'

export interface RowsRequest extends SeriesLimits {
  readonly references: readonly PlannedReference[]
  readonly condition?: Expression | undefined
  /** Both ends belong to it. */
  readonly range: { readonly min: bigint; readonly max: bigint }
  /** Tags to group by, sorted. */
  readonly dimensions: readonly string[]
  readonly ascending: boolean
  /** Rows without a value in any of the fields are left out; otherwise whoever asks sees to that. */
  readonly isRaw: boolean
  /** Whoever asks is done with a block when it asks for the next: the arrays may then be used again. */
  readonly reusesBlocks: boolean
  /** No more rows of a group are of use. 0: all are. */
  readonly limitPerGroup: number
  /** Of each series no other row is of use. */
  readonly seriesEnd: SeriesEnd | undefined
}

/** The newest or the oldest row of a series that has a value of a field. */
export interface SeriesEnd {
  readonly field: string
  readonly isNewest: boolean
}

/** Of more fields than this places are looked up: to search for each takes time in the square of their number. */
const wideFrom = 32

/** What is kept of one read at most, in bytes of columns: about 400,000 rows of 20 columns. */
const bytesInMemoryMax = 64 * 2 ** 20
/** Below this another slice costs as much as the rows that it saves. */
const firstRowsMin = 4096
/** Where one in so many rows of a slice is wanted, it is found out first where they are. */
const narrowShare = 4
/** What a batch or a group costs beside its rows, told in rows. */
const groupRows = 64
/** Offsets in a slice stay exact far beyond this. */
const sliceNsMax = 50n * nsPerDay

export async function* measurementRows(
  source: ResolvedMeasurement,
  request: RowsRequest,
  context: ExecuteContext,
): AsyncGenerator<GroupRows, void, void> {
  const reader = new MeasurementReader(source, request, context)
  if (reader.readsNothing) return
  if (context.meter.limits.seriesMax > 0) await reader.checkSeries()
  const extent = await reader.extent()
  if (extent === undefined) return
  const isLimited = request.slimit > 0 || request.soffset > 0
  const groups = isLimited ? await reader.limitedGroups() : undefined
  const { range, rowCountMax } = extent
  const isGathered = reader.isGathered(rowCountMax, groups !== undefined)
  const gathered = isGathered ? await reader.gather(range, groups) : undefined
  if (gathered !== undefined) {
    for (const group of gathered) yield group
    return
  }
  // Each group by itself, in slices of a bounded number of rows.
  for (const key of groups ?? (await reader.allGroups())) {
    yield { key, blocks: reader.groupBlocks(key, range, rowCountMax) }
  }
}

class MeasurementReader {
  readonly readsNothing: boolean
  readonly #source: ResolvedMeasurement
  readonly #request: RowsRequest
  readonly #context: ExecuteContext
  readonly #yielder: Yielder
  readonly #origins: ColumnOrigin[]
  readonly #predicate: Predicate | undefined
  readonly #residual: Expression | undefined
  /** Undefined also where a condition that the store does not know may leave another row. */
  readonly #seriesEnd: SeriesEnd | undefined
  /** References of the request first, then those that only the residual looks at. */
  readonly #references: readonly PlannedReference[]
  readonly #fieldNames: string[]
  readonly #rowsInMemoryMax: number
  /** About so many rows are wanted of the first slice: few where the answer ends after a few. */
  readonly #firstRows: number
  /** A read without slices was given up because of how many rows came. */
  #isTooMuchAtOnce = false

  constructor(source: ResolvedMeasurement, request: RowsRequest, context: ExecuteContext) {
    this.#source = source
    this.#request = request
    this.#context = context
    this.#yielder = new Yielder(context.signal)
    const { predicate, residual } = pushCondition(request.condition, source)
    this.#seriesEnd = residual === undefined ? request.seriesEnd : undefined
    this.#predicate = withEnd(predicate, this.#seriesEnd)
    this.#residual = residual
    const more = residualReferences(residual)
    this.#references = [...request.references, ...more]
    this.#origins = [
      ...request.references.map((reference) => originOf(reference, source)),
      // A condition sees the empty string where there is no tag.
      ...more.map((reference) => ({ ...originOf(reference, source), isEmptyWhereMissing: true })),
    ]
    const wanted = this.#origins.slice(0, request.references.length)
    this.readsNothing = !wanted.some(({ kind }) => kind === 'field')
    this.#fieldNames = [
      ...new Set(this.#origins.flatMap((each) => (each.kind === 'field' ? [each.name] : []))),
    ]
    this.#rowsInMemoryMax = Math.floor(bytesInMemoryMax / (8 * (this.#origins.length + 2)))
    const limit = request.limitPerGroup
    const wantedRows = limit > 0 ? Math.max(firstRowsMin, limit * 2) : Number.POSITIVE_INFINITY
    this.#firstRows = Math.min(wantedRows, this.#rowsInMemoryMax / 2)
  }

  /**
   * Whether everything is read at once. Where one row of each series is enough it is. Of one group where there is
   * little, and the answer does not end after a few rows of it. Of several it is tried whatever there may be: what is
   * known before is often far more than what comes, and to read thousands of groups one by one takes longer than to
   * have read for nothing what memory holds. Where only some of the groups are wanted, no others are read in vain.
   */
  isGathered(rowCountMax: number, areSomeWanted: boolean): boolean {
    if (this.#seriesEnd !== undefined) return true
    if (this.#request.dimensions.length === 0) return rowCountMax <= this.#firstRows * 2
    return !areSomeWanted || rowCountMax <= this.#rowsInMemoryMax
  }

  async checkSeries(): Promise<void> {
    await checkSeriesLimit(this.#context, this.#source, this.#predicate)
  }

  /** Undefined: there are no points. */
  async extent(): Promise<{ range: TimeRange; rowCountMax: number } | undefined> {
    const { bucket, name } = this.#source
    const { min, max } = this.#request.range
    if (min > max) return undefined
    const range = { start: min, stop: max + 1n }
    const { store, signal } = this.#context
    const found = await store.extent({ bucket, measurement: name, range }, signal)
    if (found.range === undefined) return undefined
    const { start, stop } = found.range
    return {
      range: { start: start > min ? start : min, stop: stop <= max ? stop : max + 1n },
      rowCountMax: found.rowCountMax,
    }
  }

  /** The groups to give out where their number is limited. */
  limitedGroups(): Promise<GroupKey[]> {
    return limitedGroups(this.#context, this.#source, this.#predicate, this.#request)
  }

  async allGroups(): Promise<GroupKey[]> {
    const { dimensions, isRaw } = this.#request
    // Of raw rows nothing is told where there are none, so that nobody has to know whether there is a series at all.
    if (isRaw && dimensions.length === 0) return [this.#keyOf([])]
    return seriesGroups(this.#context, this.#source, this.#predicate, this.#request)
  }

  #keyOf(tags: readonly Tag[]): GroupKey {
    return { name: this.#source.name, tags: groupTags(this.#request.dimensions, tags) }
  }

  /** Everything, read slice by slice; undefined: there is more than memory holds. */
  async gather(
    range: TimeRange,
    groups: readonly GroupKey[] | undefined,
  ): Promise<GroupRows[] | undefined> {
    const wanted = groups && new Set(groups.map(({ tags }) => tagsText(tags)))
    const kept = new Map<string, { key: GroupKey; blocks: RowBlock[] }>()
    let count = 0
    for (const slice of this.#slices(range, sliceNsMax)) {
      const memory = new RowMemory(this.#context.rowMemory)
      const rowsMax = this.#rowsInMemoryMax - count
      const read = await this.#readSlice(slice, this.#predicate, memory, rowsMax)
      if (read === undefined) {
        this.#context.meter.addPoints(-count)
        return undefined
      }
      for (const { key, rows } of read) {
        count += rows.count
        if (this.#yielder.isDue(rows.count + groupRows)) await this.#yielder.yield()
        const block = this.#finish(rows.all())
        if (block.count === 0) continue
        const text = tagsText(key.tags)
        if (wanted !== undefined && !wanted.has(text)) continue
        const group = kept.get(text)
        if (group === undefined) kept.set(text, { key, blocks: [block] })
        else group.blocks.push(block)
      }
      if (!read.some(({ rows }) => rows.sharesMemory)) memory.release()
    }
    const order = this.#request.ascending ? 1 : -1
    return [...kept.values()]
      .sort((a, b) => compareGroups(a.key, b.key) * order)
      .map(({ key, blocks }) => ({ key, blocks: fromArray(blocks) }))
  }

  async *groupBlocks(
    key: GroupKey,
    range: TimeRange,
    rowCountMax: number,
  ): AsyncGenerator<RowBlock, void, void> {
    const { reusesBlocks, ascending } = this.#request
    const predicate = withGroup(this.#predicate, key)
    const span = range.stop - range.start
    let width = this.#isTriedInOneRead(predicate)
      ? smaller(span, sliceNsMax)
      : widthFor(span, this.#firstRows, rowCountMax)
    let at = ascending ? range.start : range.stop
    while (ascending ? at < range.stop : at > range.start) {
      const whole = this.#sliceFrom(at, width, range)
      const slice = this.#isFirst(at, range) ? await this.#narrowed(whole, predicate) : whole
      const memory = new RowMemory(this.#context.rowMemory)
      const rowsMax = this.#isTriedInOneRead(predicate) ? this.#rowsInMemoryMax : undefined
      const read = await this.#readSlice(slice, predicate, memory, rowsMax)
      if (read === undefined) {
        this.#isTooMuchAtOnce = true
        width = widthFor(span, this.#firstRows, rowCountMax)
        continue
      }
      at = ascending ? slice.stop : slice.start
      let count = 0
      for (const { rows } of read) {
        count += rows.count
        for (const block of rows.blocks(reusesBlocks)) yield this.#finish(block)
      }
      if (reusesBlocks) memory.release()
      if (slice === whole) width = nextWidth(width, count, this.#rowsInMemoryMax)
    }
  }

  /**
   * What a condition leaves of the rows is not known, and mostly little: it is read in one go, until that is too much
   * once. Each slice costs the decoding of whole blocks again.
   */
  #isTriedInOneRead(predicate: Predicate | undefined): boolean {
    const isLimited = this.#request.limitPerGroup > 0
    return predicate !== undefined && !isLimited && !this.#isTooMuchAtOnce
  }

  #isFirst(at: bigint, range: TimeRange): boolean {
    return at === (this.#request.ascending ? range.start : range.stop)
  }

  /**
   * Of a slice that holds many more rows than are wanted the part where these are. A condition leaves fewer series or
   * rows: to look twice at those costs more than it saves.
   */
  async #narrowed(slice: TimeRange, predicate: Predicate | undefined): Promise<TimeRange> {
    const { limitPerGroup: wanted, ascending } = this.#request
    const isWorth = wanted > 0 && wanted * narrowShare <= this.#firstRows
    if (!isWorth || predicate !== undefined || this.#residual !== undefined) return slice
    const { store, signal, figures } = this.#context
    figures.reads++
    const read = this.#readRequest(slice, predicate)
    return firstRowsRange(store, { read, wanted, ascending }, signal)
  }

  #sliceFrom(at: bigint, width: bigint, range: TimeRange): TimeRange {
    if (this.#request.ascending) {
      const stop = at + width
      return { start: at, stop: stop < range.stop ? stop : range.stop }
    }
    const start = at - width
    return { start: start > range.start ? start : range.start, stop: at }
  }

  *#slices(range: TimeRange, width: bigint): Generator<TimeRange, void, void> {
    let at = this.#request.ascending ? range.start : range.stop
    while (this.#request.ascending ? at < range.stop : at > range.start) {
      const slice = this.#sliceFrom(at, width, range)
      at = this.#request.ascending ? slice.stop : slice.start
      yield slice
    }
  }

  /** Undefined: there are more rows than `rowsMax`. */
  async #readSlice(
    slice: TimeRange,
    predicate: Predicate | undefined,
    memory: RowMemory,
    rowsMax = Number.POSITIVE_INFINITY,
  ): Promise<{ key: GroupKey; rows: OrderedRows }[] | undefined> {
    const { store, signal, figures, meter } = this.#context
    const buffers = new Map<string, { key: GroupKey; buffer: GroupBuffer }>()
    const bySeries = new Map<number, GroupBuffer>()
    figures.reads++
    let count = 0
    const batches = store.read(this.#readRequest(slice, predicate), signal)
    try {
      for (;;) {
        const taken = batches.take()
        const batch = taken instanceof Promise ? await taken : taken
        if (batch === undefined) break
        if (this.#yielder.isDue(batch.rowCount + groupRows)) await this.#yielder.yield()
        meter.addPoints(batch.rowCount)
        figures.rowsRead += batch.rowCount
        count += batch.rowCount
        if (count > rowsMax) {
          meter.addPoints(-count)
          memory.release()
          return undefined
        }
        const kept = copyBatch(batch, this.#fieldsIn(batch.fields), memory)
        for (const run of batch.runs) {
          let buffer = bySeries.get(run.keyId)
          if (buffer === undefined) {
            buffer = this.#bufferOf(run, buffers, slice.start)
            bySeries.set(run.keyId, buffer)
          }
          buffer.add(kept, run)
        }
      }
    } finally {
      const closed = batches.close()
      if (closed instanceof Promise) await closed
    }
    figures.seriesRead += bySeries.size
    return Array.from(buffers.values(), ({ key, buffer }) => ({ key, rows: buffer.finish(memory) }))
  }

  /** By origin: where its field is in the batch, -1 where it is none or not there. */
  #fieldsIn(fields: readonly BatchField[]): number[] {
    const isWide = fields.length > wideFrom
    const places = isWide ? new Map(fields.map(({ name }, at) => [name, at])) : undefined
    return this.#origins.map((origin) => {
      if (origin.kind !== 'field') return -1
      if (places !== undefined) return places.get(origin.name) ?? -1
      return fields.findIndex(({ name }) => name === origin.name)
    })
  }

  #bufferOf(
    run: Run,
    buffers: Map<string, { key: GroupKey; buffer: GroupBuffer }>,
    base: bigint,
  ): GroupBuffer {
    // To spell out the keys of thousands of series takes longer than to read a few rows of each.
    const key = this.#keyOf(this.#request.dimensions.length === 0 ? [] : run.key.tags)
    const text = tagsText(key.tags)
    const known = buffers.get(text)
    if (known !== undefined) return known.buffer
    const buffer = new GroupBuffer(this.#origins, base, !this.#request.ascending)
    buffers.set(text, { key, buffer })
    return buffer
  }

  #readRequest(slice: TimeRange, predicate: Predicate | undefined): ReadRequest {
    const { limitPerGroup, ascending } = this.#request
    const isCut = limitPerGroup > 0 && this.#residual === undefined
    const end = this.#seriesEnd
    return {
      bucket: this.#source.bucket,
      measurement: this.#source.name,
      range: slice,
      fields: this.#fieldNames,
      predicate,
      descending: end === undefined ? !ascending : end.isNewest,
      limitPerSeries: end !== undefined ? 1 : isCut ? limitPerGroup : undefined,
    }
  }

  /** Casts, the residual condition, and rows that have nothing of what was asked for. */
  #finish(block: RowBlock): RowBlock {
    const columns = block.columns.map((column, c) => {
      const type = columnType(this.#references[c].type)
      if (column === undefined || type === undefined) return column
      return castColumn(column, type, block.count)
    })
    let rows: RowBlock = { ...block, columns }
    if (this.#residual !== undefined) {
      const names = this.#references.map(({ name }) => name)
      const marks = evaluateMarks(this.#residual, {
        column: (name) => columns[names.lastIndexOf(name)],
        rowCount: block.count,
        isStored: true,
      })
      rows = pickRows(rows, marks)
    }
    if (this.#request.isRaw && this.#origins.length > this.#request.references.length) {
      rows = pickRows(rows, this.#marksOfValues(rows))
    }
    return { ...rows, columns: rows.columns.slice(0, this.#request.references.length) }
  }

  #marksOfValues(rows: RowBlock): Uint8Array {
    const marks = new Uint8Array(rows.count)
    for (let c = 0; c < this.#request.references.length; c++) {
      const column = rows.columns[c]
      if (column === undefined || this.#origins[c].kind !== 'field') continue
      if (column.validity === undefined) return marks.fill(1)
      for (let row = 0; row < rows.count; row++) marks[row] |= column.validity[row]
    }
    return marks
  }
}

async function* fromArray(blocks: readonly RowBlock[]): AsyncGenerator<RowBlock, void, void> {
  yield* blocks
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** So wide that about so many rows lie in a slice, if they were spread evenly. */
function widthFor(span: bigint, rows: number, rowCountMax: number): bigint {
  const part = Math.min(1, rows / rowCountMax)
  return smaller(BigInt(Math.ceil(Number(span) * part)) + 1n, sliceNsMax)
}

/** Follows what a slice really held, carefully. */
function nextWidth(width: bigint, rows: number, rowsMax: number): bigint {
  const factor = Math.min(4, Math.max(0.25, rowsMax / 2 / Math.max(1, rows)))
  const next = (width * BigInt(Math.round(factor * 16))) / 16n
  return next < 1n ? 1n : smaller(next, sliceNsMax)
}

function residualReferences(residual: Expression | undefined): PlannedReference[] {
  const found: PlannedReference[] = []
  if (residual === undefined) return found
  walkExpression(residual, (node) => {
    if (node.kind === 'reference') found.push({ name: node.name, type: node.type })
    return true
  })
  return found
}

function originOf(reference: PlannedReference, source: ResolvedMeasurement): ColumnOrigin {
  const { name, type } = reference
  const own = source.fields.get(name)
  if (own !== undefined && type !== 'tag') {
    const isReadable = type === undefined || type === 'field' || canCast(own, columnType(type))
    return isReadable ? { kind: 'field', name, type: own } : { kind: 'nothing' }
  }
  // Who asks for a field does not get a tag, although its values are strings too.
  const isTag = type === 'tag' || type === undefined
  return isTag ? { kind: 'tag', name } : { kind: 'nothing' }
}

function withEnd(
  predicate: Predicate | undefined,
  end: SeriesEnd | undefined,
): Predicate | undefined {
  return end === undefined
    ? predicate
    : allOf([{ kind: 'field-present', field: end.field }], predicate)
}

function withGroup(predicate: Predicate | undefined, key: GroupKey): Predicate | undefined {
  return allOf(
    key.tags.map(({ key: tag, value }) => ({ kind: 'tag', tag, op: '=', value })),
    predicate,
  )
}

/** On one level: only there does the store tell conditions on tags, which its index answers, from those on values. */
function allOf(
  parts: readonly Predicate[],
  predicate: Predicate | undefined,
): Predicate | undefined {
  const own =
    predicate?.kind === 'and' ? predicate.parts : predicate === undefined ? [] : [predicate]
  const all = [...parts, ...own]
  return all.length <= 1 ? all[0] : { kind: 'and', parts: all }
}
