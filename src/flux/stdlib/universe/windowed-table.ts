// One table on its way into windows. Rows are not copied: a window is a list of parts of the chunks that
// came. What all windows of a table have in common is worked out once, and also for the tables behind it
// that differ in nothing but their bounds: there may be a table for every second of a year.

import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import type { MemoryMeter } from '../../context/memory-meter.js'
import type { Yielder } from '../../context/yielder.js'
import { doBoundsOverlap, intersectBounds, type TimeBounds } from '../../table/bounds.js'
import { chunkBytes, constantCells, sliceCells, sliceChunk } from '../../table/cells.js'
import type { MergedTables } from '../../table/merged-tables.js'
import { columnIndex, type Table } from '../../table/table.js'
import { endOfRun, timesOf, timeWords } from '../../table/time-words.js'
import type { Window, WindowBounds } from '../../table/window.js'
import { FluxError } from '../../value/error.js'
import { GroupKey, type KeyEntry } from '../../value/key.js'
import { quoted } from '../../value/quote.js'

export interface WindowColumns {
  readonly timeColumn: string
  readonly startColumn: string
  readonly stopColumn: string
}

/** About what a window and a part of it take. */
const windowBytes = 256
const partBytes = 64

/** Making a window costs as much as some rows. */
export const windowWork = 8

/** A loop over the nanoseconds of a year would never end; nobody reads so many tables. */
const emptyWindowsMax = 5_000_000

/** The columns and the key of tables that differ in their bounds alone. */
export class WindowShape {
  /** The place of the column that decides. */
  readonly time: number
  readonly columns: readonly TableColumn[]
  /** The columns as the table has them; the bounds may be missing there. */
  readonly inputColumns: readonly TableColumn[]
  /** The key with holes for the bounds. */
  readonly #template: readonly KeyEntry[]
  readonly #startEntry: number
  readonly #stopEntry: number
  readonly #settings: WindowColumns
  readonly #tableColumns: readonly TableColumn[]

  constructor(table: Table, settings: WindowColumns) {
    const { timeColumn, startColumn, stopColumn } = settings
    this.time = columnIndex(table.columns, timeColumn)
    if (this.time < 0) throw new FluxError(`missing time column ${quoted(timeColumn)}`)
    if (table.columns[this.time].type !== 'time') {
      throw new FluxError(`column ${quoted(timeColumn)} is not of type time`)
    }
    this.#settings = settings
    this.#tableColumns = table.columns
    const bounds = [startColumn, stopColumn]
    this.inputColumns = table.columns.map((column) => {
      return bounds.includes(column.name) ? { name: column.name, type: 'time' } : column
    })
    const missing = bounds.filter((name) => columnIndex(table.columns, name) < 0)
    const added = missing.map((name): TableColumn => ({ name, type: 'time' }))
    this.columns = [...this.inputColumns, ...added]
    const rest = table.key.entries.filter(({ name }) => !bounds.includes(name))
    const holes = bounds.map((name) => ({ name, type: 'time', value: null }) as const)
    this.#template = GroupKey.of([...rest, ...holes]).entries
    this.#startEntry = this.#template.findIndex(({ name }) => name === startColumn)
    this.#stopEntry = this.#template.findIndex(({ name }) => name === stopColumn)
  }

  /** The same exactly for tables whose keys differ in nothing but the bounds. */
  get base(): string {
    return GroupKey.ofSorted(this.#template).text
  }

  key({ startNs, stopNs }: TimeBounds): GroupKey {
    const entries = [...this.#template]
    entries[this.#startEntry] = { ...entries[this.#startEntry], value: startNs }
    entries[this.#stopEntry] = { ...entries[this.#stopEntry], value: stopNs }
    return GroupKey.ofSorted(entries)
  }

  /** Whether a table has these columns, and this key but for the bounds. */
  fits({ columns, key }: Table): boolean {
    const own = this.#tableColumns
    if (columns !== own) {
      if (columns.length !== own.length) return false
      for (let i = 0; i < own.length; i++) {
        if (columns[i].name !== own[i].name || columns[i].type !== own[i].type) return false
      }
    }
    let at = 0
    for (const entry of key.entries) {
      if (this.#isBound(entry.name)) continue
      while (at === this.#startEntry || at === this.#stopEntry) at++
      const mine = this.#template[at++]
      if (mine?.name !== entry.name || mine.type !== entry.type || mine.value !== entry.value) {
        return false
      }
    }
    while (at === this.#startEntry || at === this.#stopEntry) at++
    return at === this.#template.length
  }

  /** Rows of the table as rows of the window. */
  shown({ rowCount, columns }: Chunk, from: number, to: number, bounds: TimeBounds): Chunk {
    const cells: Cells[] = []
    for (let i = 0; i < this.columns.length; i++) {
      const { name, type } = this.columns[i]
      if (name === this.#settings.startColumn) cells.push(constantCells(type, bounds.startNs))
      else if (name === this.#settings.stopColumn) cells.push(constantCells(type, bounds.stopNs))
      else cells.push(from === 0 && to === rowCount ? columns[i] : sliceCells(columns[i], from, to))
    }
    return { rowCount: to - from, columns: cells }
  }

  #isBound(name: string): boolean {
    return name === this.#settings.startColumn || name === this.#settings.stopColumn
  }
}

/** Rows `from` up to `to` of a chunk. */
export interface WindowPart {
  readonly chunk: Chunk
  readonly from: number
  readonly to: number
}

export interface OneWindow {
  readonly bounds: TimeBounds
  readonly parts: WindowPart[]
}

/** The windows of one table. */
export class WindowShares {
  readonly #shape: WindowShape
  readonly #window: Window
  readonly #bounds: TimeBounds
  readonly #memory: MemoryMeter
  /** By number; those that lie outside the bounds are one, under null. */
  readonly #windows = new Map<bigint | null, OneWindow>()
  #lastStartNs: bigint | undefined
  #isSorted = true
  #bytes = 0

  constructor(shape: WindowShape, window: Window, bounds: TimeBounds, memory: MemoryMeter) {
    this.#shape = shape
    this.#window = window
    this.#bounds = bounds
    this.#memory = memory
  }

  /** All windows of the range, also those that no row lies in. */
  async addWindows(yielder: Yielder): Promise<void> {
    for (const window of this.#window.overlapping(this.#bounds)) {
      if (this.#windows.size >= emptyWindowsMax) {
        throw new FluxError(`the range has more than ${emptyWindowsMax} windows`)
      }
      this.#place(window)
      yielder.add(windowWork)
      if (yielder.isDue) await yielder.yield()
    }
  }

  /** Runs of rows that lie in the same windows go there together. */
  async read(table: Table, { signal, yielder }: FluxContext): Promise<void> {
    for await (const chunk of table.chunks()) {
      signal.throwIfAborted()
      if (chunk.rowCount === 0) continue
      this.#took(chunkBytes(chunk))
      await this.#deal(chunk, yielder)
    }
  }

  /** In the order of their windows. Releases everything once all are read. */
  *tables(): Generator<Table, void, void> {
    const { columns } = this.#shape
    for (const { bounds, parts } of this.#inOrder()) {
      const show = ({ chunk, from, to }: WindowPart) => this.#shape.shown(chunk, from, to, bounds)
      yield { key: this.#shape.key(bounds), columns, chunks: () => parts.map(show) }
    }
    this.#memory.release(this.#bytes)
  }

  /** The windows themselves, in order. Releases everything once all are read. */
  *windows(): Generator<OneWindow, void, void> {
    yield* this.#inOrder()
    this.#memory.release(this.#bytes)
  }

  moveTo(merged: MergedTables): void {
    for (const { bounds, parts } of this.#inOrder()) {
      const target = merged.table(this.#shape.key(bounds))
      target.declare(this.#shape.columns)
      for (const { chunk, from, to } of parts) {
        target.add(this.#shape.inputColumns, sliceChunk(chunk, from, to))
      }
    }
    this.#memory.release(this.#bytes)
  }

  #inOrder(): Iterable<OneWindow> {
    if (this.#isSorted) return this.#windows.values()
    return [...this.#windows.values()].sort((a, b) =>
      a.bounds.startNs < b.bounds.startNs ? -1 : a.bounds.startNs > b.bounds.startNs ? 1 : 0,
    )
  }

  async #deal(chunk: Chunk, yielder: Yielder): Promise<void> {
    const { rowCount } = chunk
    const cells = chunk.columns[this.#shape.time]
    const isConstant = cells.kind === 'constant'
    const times = timesOf(cells, isConstant ? 1 : rowCount)
    const words = timeWords(times)
    for (let row = 0; row < rowCount; ) {
      const { windows, fromNs, toNs } = this.#window.windowsAt(times[row])
      const end = isConstant ? rowCount : endOfRun(words, row, rowCount, fromNs, toNs)
      // A row is in its own windows whatever rounding at the ends of time says.
      const to = Math.max(end, row + 1)
      for (const window of windows) {
        this.#place(window).parts.push({ chunk, from: row, to })
        this.#took(partBytes)
        yielder.add(windowWork)
        if (yielder.isDue) await yielder.yield()
      }
      row = to
    }
  }

  #place(window: WindowBounds): OneWindow {
    const isInside = doBoundsOverlap(this.#bounds, window)
    const number = isInside ? window.index : null
    let place = this.#windows.get(number)
    if (place === undefined) {
      const bounds = intersectBounds(this.#bounds, window) ?? this.#bounds
      place = { bounds, parts: [] }
      this.#windows.set(number, place)
      this.#took(windowBytes)
      if (this.#lastStartNs !== undefined && bounds.startNs < this.#lastStartNs) {
        this.#isSorted = false
      }
      this.#lastStartNs = bounds.startNs
    }
    return place
  }

  #took(bytes: number): void {
    this.#memory.take(bytes)
    this.#bytes += bytes
  }
}
