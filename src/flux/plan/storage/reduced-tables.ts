// `reduce` of series, or of groups of them, while they are read: each series goes on from the accumulator of its group,
// over the columns that the function looks at. No other column is made, and no row is kept. What cannot be worked out
// over columns, or would fail, is left to the functions themselves.

import type { Batch, Run } from '../../../column/batch.js'
import type { Series } from '../../../column/series.js'
import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { constantCells } from '../../table/cells.js'
import { type ColumnReduction, columnReduction, type State } from '../../table/column-reduction.js'
import { recordTable } from '../../table/record-table.js'
import type { Table } from '../../table/table.js'
import type { BatchStream, TableBatch } from '../../table/table-batch.js'
import { GroupKey } from '../../value/key.js'
import type { FluxFunction, FluxRecord } from '../../value/value.js'
import { BatchTexts, fieldPiece } from './field-piece.js'
import type { MeasurementRead } from './field-series.js'
import { type GroupColumns, makesGroup } from './group-columns.js'
import { GroupFinder } from './group-finder.js'
import { measurementTables, momentCells } from './row-tables.js'
import { type SeriesShape, SeriesShapes, timePlace, valuePlace } from './series-columns.js'
import {
  measurementReads,
  type SelectedField,
  type StorageRead,
  selectFields,
} from './storage-read.js'
import type { StoredRows, StoredTable } from './stored-table.js'

export interface ReducedRead {
  readonly read: StorageRead
  /** undefined: each table stays by itself. */
  readonly by: GroupColumns | undefined
  readonly fn: FluxFunction
  readonly identity: FluxRecord
}

/** About what a group takes. */
const groupBytes = 512

export async function* reducedTables(
  reduced: ReducedRead,
  context: FluxContext,
  general: () => BatchStream,
): AsyncGenerator<Table | TableBatch, void, void> {
  const fields = await selectFields(reduced.read, context)
  const groups = new Groups(reduced, context)
  try {
    const tables = (await groups.reduce(fields)) ? groups.tables() : undefined
    if (tables === undefined) {
      groups.release()
      yield* general()
    } else yield* tables
  } finally {
    groups.release()
  }
}

interface Group {
  readonly key: GroupKey
  /** Of its first table; those of the key are the same in all. */
  readonly columns: readonly TableColumn[]
  /** Of that table as well. */
  readonly reduction: ColumnReduction
  readonly state: State
}

/** Where a series goes, and what its rows go through. */
interface Way {
  readonly group: Group
  readonly reduction: ColumnReduction
}

class Groups {
  readonly #reduced: ReducedRead
  readonly #context: FluxContext
  readonly #shapes: SeriesShapes
  readonly #groups = new Map<string, Group>()
  readonly #reductions = new Map<readonly TableColumn[], ColumnReduction | undefined>()
  #bytes = 0

  constructor(reduced: ReducedRead, context: FluxContext) {
    this.#reduced = reduced
    this.#context = context
    this.#shapes = new SeriesShapes(reduced.read.range)
  }

  /** False: the functions must run themselves. */
  async reduce(fields: readonly SelectedField[]): Promise<boolean> {
    for (const measurement of measurementReads(this.#reduced.read, fields, this.#context)) {
      const { requests } = measurement
      const isSole = requests.length === 1 && requests[0].fields.length === 1
      const isReduced = isSole ? this.#reduceRuns(measurement) : this.#reduceTables(measurement)
      if (!(await isReduced)) return false
    }
    return true
  }

  /** Several fields: those of a series come one after the other. */
  async #reduceTables(measurement: MeasurementRead): Promise<boolean> {
    const { signal, yielder } = this.#context
    for await (const together of measurementTables(measurement, this.#shapes)) {
      for (const stored of together) {
        signal.throwIfAborted()
        const way = this.#wayOf(stored)
        if (way === undefined) return false
        for await (const rows of stored.rows) {
          if (!reduceRows(way, rows, stored.columns.length)) return false
          yielder.add(rows.rowCount)
        }
        if (yielder.isDue) await yielder.yield()
      }
    }
    return true
  }

  /** One field: rows are read from the columns of a batch as they are, and each run goes on with its group. */
  async #reduceRuns({ store, signal, points, requests }: MeasurementRead): Promise<boolean> {
    const { yielder } = this.#context
    const [{ request, fields }] = requests
    const [field] = fields
    const ways = new GroupFinder(this.#shapes, this.#reduced.by, (shape) => this.#wayOf(shape))
    for await (const batch of store.read({ ...request, fields: [field.name] }, signal)) {
      points.addPoints(batch.rowCount)
      const rows = new BatchRows(batch, (series) => this.#shapes.shape(series, field))
      for (const run of batch.runs) {
        if (!rows.hasValues(run)) continue
        const way = ways.of(run.key, field)
        if (way === undefined || !rows.reduce(run, way)) return false
        yielder.add(run.stop - run.start)
        if (yielder.isDue) await yielder.yield()
      }
    }
    return true
  }

  /** undefined: two of them have the same key, which is for the function to refuse. */
  tables(): readonly Table[] | undefined {
    const tables = Array.from(this.#groups.values(), ({ key, columns, reduction, state }) =>
      recordTable(key, columns, reduction.recordOf(state)),
    )
    return new Set(tables.map(({ key }) => key.text)).size < tables.length ? undefined : tables
  }

  release(): void {
    this.#context.memory.release(this.#bytes)
    this.#bytes = 0
    this.#groups.clear()
  }

  /** undefined: its rows cannot be reduced by columns, or not together with those of its group. */
  #wayOf({ key: whole, columns }: Pick<StoredTable, 'key' | 'columns'>): Way | undefined {
    const reduction = this.#reductionOf(columns)
    if (reduction === undefined) return undefined
    const group = this.#groupOf(whole, columns, reduction)
    // Values of two types in one table are for `group` to refuse.
    if (group === undefined || !hasSameValues(group.columns, columns)) return undefined
    return { group, reduction }
  }

  #groupOf(
    whole: GroupKey,
    columns: readonly TableColumn[],
    reduction: ColumnReduction,
  ): Group | undefined {
    const { by } = this.#reduced
    const key =
      by === undefined
        ? whole
        : GroupKey.ofSorted(whole.entries.filter(({ name }) => makesGroup(by, name)))
    const known = this.#groups.get(key.text)
    if (known !== undefined) return known
    const state = reduction.stateOf(this.#reduced.identity)
    if (state === undefined) return undefined
    this.#context.memory.take(groupBytes)
    this.#bytes += groupBytes
    const group = { key, columns, reduction, state }
    this.#groups.set(key.text, group)
    return group
  }

  #reductionOf(columns: readonly TableColumn[]): ColumnReduction | undefined {
    if (!this.#reductions.has(columns)) {
      const { fn, identity } = this.#reduced
      this.#reductions.set(columns, columnReduction(fn, identity, columns))
    }
    return this.#reductions.get(columns)
  }
}

function hasSameValues(a: readonly TableColumn[], b: readonly TableColumn[]): boolean {
  return a[valuePlace].type === b[valuePlace].type
}

/** False: the functions must run themselves. */
function reduceRows({ group, reduction }: Way, rows: StoredRows, count: number): boolean {
  const isUsed = reduction.use(() => readChunk(rows, reduction, count))
  return isUsed && reduction.run(group.state, 0, rows.rowCount)
}

/** The rows of a batch: all are read at once where each has a value, and only that and the time are looked at. */
class BatchRows {
  readonly #batch: Batch
  readonly #shapeOf: (series: Series) => SeriesShape
  readonly #texts = new BatchTexts()
  readonly #areAllThere: boolean
  /** The last one that has read all of them. */
  #used: ColumnReduction | undefined

  constructor(batch: Batch, shapeOf: (series: Series) => SeriesShape) {
    this.#batch = batch
    this.#shapeOf = shapeOf
    const [{ validity }] = batch.columns
    this.#areAllThere = validity === undefined || !validity.subarray(0, batch.rowCount).includes(0)
  }

  hasValues({ start, stop }: Run): boolean {
    return this.#areAllThere || this.#batch.columns[0].validity!.subarray(start, stop).includes(1)
  }

  /** False: the functions must run themselves. */
  reduce(run: Run, way: Way): boolean {
    const { group, reduction } = way
    if (!this.#areAllThere || !reduction.reads.every(isOwn)) return this.#reduceAlone(run, way)
    if (this.#used !== reduction && !this.#use(reduction)) return false
    this.#used = reduction
    return reduction.run(group.state, run.start, run.stop)
  }

  #use(reduction: ColumnReduction): boolean {
    const batch = this.#batch
    const [column] = batch.columns
    const { rowCount } = batch
    const isPlain = column.values instanceof Float64Array
    const plain = isPlain ? { place: valuePlace, values: column.values } : undefined
    return reduction.use(() => {
      const piece = fieldPiece(batch, 0, 0, rowCount, this.#texts)!
      const cells: Cells[] = []
      cells[timePlace] = momentCells(piece)
      cells[valuePlace] = piece.cells
      return { rowCount, columns: cells }
    }, plain)
  }

  #reduceAlone({ key, start, stop }: Run, way: Way): boolean {
    const piece = fieldPiece(this.#batch, 0, start, stop, this.#texts)!
    const shape = this.#shapeOf(key)
    const rows = shape.rows(piece.count, () => momentCells(piece), piece.cells)
    this.#used = undefined
    return reduceRows(way, rows, shape.columns.length)
  }
}

function isOwn(place: number): boolean {
  return place === valuePlace || place === timePlace
}

const unwanted: Cells = constantCells('float', null)

/** With the columns that are looked at. */
function readChunk(rows: StoredRows, { reads }: ColumnReduction, columnCount: number): Chunk {
  const cells: Cells[] = new Array(columnCount).fill(unwanted)
  for (const place of reads) cells[place] = rows.cells(place)
  return { rowCount: rows.rowCount, columns: cells }
}
