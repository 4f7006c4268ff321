// Series of the store as tables with a column for each field, the way `pivot` by time makes them: the store reads the
// fields of a series side by side, so that its rows are the rows of the pivoted table already. Nothing is looked up by
// time and no row is moved. Tables leave in the order of their keys, as `pivot` has them, when all are there.

import type { Batch } from '../../../column/batch.js'
import { compareUtf8, type Series } from '../../../column/series.js'
import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { chunkBytes, constantCells, gatherChunk } from '../../table/cells.js'
import { joinChunks } from '../../table/collect.js'
import { compareKeys } from '../../table/key-order.js'
import { GroupKey, type KeyEntry } from '../../value/key.js'
import { type BatchTexts, cellTypeOfField, wideCells } from './field-piece.js'
import type { MeasurementRead, RequestedField } from './field-series.js'
import { int64Moments } from './int64.js'
import { RunCursor } from './run-cursor.js'
import { reservedNames, tagEntries } from './series-columns.js'
import { measurementReads, type SelectedField, type StorageRead } from './storage-read.js'
import type { StoredTable } from './stored-table.js'

/** `byTime`: rows are in the order of their times; else those with the first field come before those with the next. */
export interface PivotOrder {
  readonly byTime: boolean
}

/** undefined: the store does not read the fields of a series side by side, or a name means two things. */
export async function pivotedTables(
  read: StorageRead,
  fields: readonly SelectedField[],
  context: FluxContext,
  order: PivotOrder,
): Promise<AsyncIterable<readonly StoredTable[]> | undefined> {
  const reads = [...measurementReads(read, fields, context)]
  for (const { measurement, requests } of reads) {
    if (requests.length !== 1) return undefined
    const { bucket } = read
    const { tagKeys } = await context.scope.store.measurementSchema(
      bucket,
      measurement,
      context.signal,
    )
    if (!areNamesApart(requests[0].fields, tagKeys)) return undefined
  }
  return tablesInOrder(read, reads, context, order)
}

/** Tags that no table shows make tables meet; a field named as something else is for `pivot` to refuse. */
function areNamesApart(fields: readonly RequestedField[], tagKeys: readonly string[]): boolean {
  const names = new Set(tagKeys)
  if (tagKeys.some((name) => reservedNames.has(name))) return false
  const own = new Set(fields.map(({ name }) => name))
  if (own.size < fields.length) return false
  return !fields.some(({ name }) => names.has(name) || reservedNames.has(name))
}

async function* tablesInOrder(
  read: StorageRead,
  reads: readonly MeasurementRead[],
  { memory, yielder }: FluxContext,
  order: PivotOrder,
): AsyncGenerator<readonly StoredTable[], void, void> {
  const pivoted: PivotedSeries[] = []
  const shapes = new PivotShapes(read)
  let bytes = 0
  try {
    for (const measurement of reads) {
      const [{ request, fields }] = measurement.requests
      const names = fields.map(({ name }) => name)
      const cursor = new RunCursor(measurement, { ...request, fields: names })
      let current: PivotedSeries | undefined
      let keyId = -1
      try {
        for (await cursor.advance(); cursor.run !== undefined; ) {
          const { run } = cursor
          if (current === undefined || run.keyId !== keyId) {
            current = new PivotedSeries(run.key, fields)
            keyId = run.keyId
            pivoted.push(current)
          }
          const more = current.add(cursor.batch, run.start, run.stop, cursor.texts)
          memory.take(more)
          bytes += more
          yielder.add(run.stop - run.start)
          if (yielder.isDue) await yielder.yield()
          if (cursor.hasNextAtHand) cursor.advanceAtHand()
          else await cursor.advance()
        }
      } finally {
        await cursor.close()
      }
    }
    const tables = pivoted.map((series) => shapes.table(series, order))
    yield tables.sort((a, b) => compareKeys(a.key, b.key))
  } finally {
    memory.release(bytes)
  }
}

/** The rows of one series, as they come. */
class PivotedSeries {
  readonly series: Series
  readonly fields: readonly RequestedField[]
  /** Time first, then every field. */
  readonly chunks: Chunk[] = []
  /** Fields that have a value in some row. */
  readonly isThere: boolean[]

  constructor(series: Series, fields: readonly RequestedField[]) {
    this.series = series
    this.fields = fields
    this.isThere = fields.map(() => false)
  }

  /** How much memory it takes. */
  add(batch: Batch, start: number, stop: number, texts: BatchTexts): number {
    const { base, offsets } = batch.times
    const rowCount = stop - start
    const times = int64Moments(base, offsets.subarray(start, stop), rowCount)
    const columns: Cells[] = [{ kind: 'values', type: 'time', values: times, validity: undefined }]
    for (let field = 0; field < this.fields.length; field++) {
      const cells = wideCells(batch.columns[field], field, start, stop, texts)
      if (cells !== undefined) this.isThere[field] = true
      columns.push(cells ?? constantCells(cellTypeOfField[this.fields[field].type], null))
    }
    const chunk = { rowCount, columns }
    this.chunks.push(chunk)
    return chunkBytes(chunk)
  }
}

/** The columns and keys of pivoted tables; tables that have the same columns share them. */
class PivotShapes {
  readonly #start: KeyEntry
  readonly #stop: KeyEntry
  readonly #known = new Map<string, readonly TableColumn[]>()

  constructor({ range: { start, stop } }: StorageRead) {
    this.#start = { name: '_start', type: 'time', value: start }
    this.#stop = { name: '_stop', type: 'time', value: stop }
  }

  table({ series, fields, chunks, isThere }: PivotedSeries, order: PivotOrder): StoredTable {
    const names = [...tagEntries(series)].sort((a, b) => compareUtf8(a.name, b.name))
    const places = fields.flatMap((_, field) => (isThere[field] ? [field] : []))
    const columns = this.#columns(names, fields, places)
    const whole = order.byTime ? chunks : [byFirstField(chunks, fields, places)]
    const rows = whole.map((chunk) => ({
      rowCount: chunk.rowCount,
      cells: (place: number) => this.#cells(chunk, names, places, place),
    }))
    return { key: this.#key(names), columns, rows }
  }

  #key(names: readonly KeyEntry[]): GroupKey {
    return GroupKey.of([this.#start, this.#stop, ...names])
  }

  #cells(
    { columns }: Chunk,
    names: readonly KeyEntry[],
    fields: readonly number[],
    place: number,
  ): Cells {
    if (place === 0) return constantCells('time', this.#start.value)
    if (place === 1) return constantCells('time', this.#stop.value)
    if (place === 2) return columns[0]
    const name = names[place - 3]
    if (name !== undefined) return constantCells('string', name.value)
    return columns[1 + fields[place - 3 - names.length]]
  }

  #columns(
    names: readonly KeyEntry[],
    fields: readonly RequestedField[],
    places: readonly number[],
  ): readonly TableColumn[] {
    const own = places.map((field): TableColumn => {
      return { name: fields[field].name, type: cellTypeOfField[fields[field].type] }
    })
    const text = JSON.stringify([names.map(({ name }) => name), own])
    let columns = this.#known.get(text)
    if (columns === undefined) {
      const times = ['_start', '_stop', '_time'].map((name) => ({ name, type: 'time' }) as const)
      columns = [...times, ...names.map(({ name, type }) => ({ name, type })), ...own]
      this.#known.set(text, columns)
    }
    return columns
  }
}

/** Rows with the first field, then rows without it that have the second, and so on; each in the order of time. */
function byFirstField(
  chunks: readonly Chunk[],
  fields: readonly RequestedField[],
  places: readonly number[],
): Chunk {
  const own = fields.map(({ name, type }): TableColumn => ({ name, type: cellTypeOfField[type] }))
  const rows = joinChunks([{ name: '_time', type: 'time' }, ...own], chunks)
  const validities = places.map((field) => validityOf(rows.columns[1 + field]))
  if (validities[0] === undefined) return rows
  const order = new Uint32Array(rows.rowCount)
  const isTaken = new Uint8Array(rows.rowCount)
  let count = 0
  for (const validity of validities) {
    for (let row = 0; row < rows.rowCount; row++) {
      if (isTaken[row] !== 0 || (validity !== undefined && validity[row] === 0)) continue
      isTaken[row] = 1
      order[count++] = row
    }
  }
  return gatherChunk(rows, order)
}

function validityOf(cells: Cells): Uint8Array | undefined {
  return cells.kind === 'constant' ? undefined : cells.validity
}
