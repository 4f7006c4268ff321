// Tables put together under new keys a chunk at a time: what functions use that move whole tables, or
// large parts of them (group, union, keep, drop, window). Unlike TableSet it copies nothing: chunks are
// kept as they came and shown with the columns of the whole table. Only many small chunks are copied
// together, since readers pay for every chunk.

import type { Cells, Chunk, TableColumn } from '../../query/table.js'
import type { MemoryMeter } from '../context/memory-meter.js'
import { FluxError } from '../value/error.js'
import type { GroupKey } from '../value/key.js'
import { chunkBytes, constantCells } from './cells.js'
import { CellsBuilder } from './cells-builder.js'
import { compactChunk } from './compact.js'
import { compareKeys } from './key-order.js'
import { areSameColumns, type Table } from './table.js'

/** Smaller chunks are copied together, until there are so many rows. */
const smallRows = 64
const copiedRowsMax = 8192
/** About what a table without rows takes. */
const emptyBytes = 768

export class MergedTables {
  readonly #memory: MemoryMeter
  readonly #tables = new Map<string, MergedTable>()

  constructor(memory: MemoryMeter) {
    this.#memory = memory
  }

  get size(): number {
    return this.#tables.size
  }

  has(key: GroupKey): boolean {
    return this.#tables.has(key.text)
  }

  /** The table of that key; made where there is none. */
  table(key: GroupKey): MergedTable {
    let table = this.#tables.get(key.text)
    if (table === undefined) {
      table = new MergedTable(key, this.#memory)
      this.#tables.set(key.text, table)
    }
    return table
  }

  /** In the order in which their keys came first. Releases each table once the reader asks for the next. */
  *tables(): Generator<Table, void, void> {
    for (const [text, merged] of this.#tables) {
      this.#tables.delete(text)
      yield merged.toTable()
      merged.release()
    }
  }

  /** The same in the order of their keys. */
  *sortedTables(): Generator<Table, void, void> {
    const sorted = [...this.#tables.values()].sort((a, b) => compareKeys(a.key, b.key))
    this.#tables.clear()
    for (const merged of sorted) {
      yield merged.toTable()
      merged.release()
    }
  }
}

interface Part {
  readonly chunk: Chunk
  /** The chunk's column at each place of the table; -1: it has none. Places behind its end: none. */
  readonly sources: Int32Array
}

export class MergedTable {
  readonly key: GroupKey
  readonly #memory: MemoryMeter
  readonly #columns: TableColumn[] = []
  readonly #places = new Map<string, number>()
  readonly #parts: Part[] = []
  /** A small chunk that came alone so far. */
  #single: Part | undefined
  #builders: (CellsBuilder | undefined)[] = []
  #builtRows = 0
  #lastColumns: readonly TableColumn[] | undefined
  #lastSources = new Int32Array(0)
  #bytes = 0

  constructor(key: GroupKey, memory: MemoryMeter) {
    this.key = key
    this.#memory = memory
    this.#took(emptyBytes)
  }

  /** Columns that the table has even if no rows come. Throws where one is there with another type. */
  declare(columns: readonly TableColumn[]): void {
    for (const { name, type } of columns) this.#place(name, type)
  }

  /** Rows with these columns. Columns of the key show what the key says. */
  add(columns: readonly TableColumn[], chunk: Chunk): void {
    const sources = this.#sourcesOf(columns)
    if (chunk.rowCount === 0) return
    this.#took(chunkBytes(chunk))
    if (chunk.rowCount > smallRows) {
      this.#finishBuilders()
      this.#parts.push({ chunk, sources })
    } else if (this.#builtRows === 0 && this.#single === undefined) {
      // Most tables that are small get no more than this.
      this.#single = { chunk: compactChunk(chunk), sources }
    } else this.#addSmall({ chunk, sources })
  }

  toTable(): Table {
    this.#finishBuilders()
    for (const { name, type } of this.key.entries) this.#place(name, type)
    const chunks = this.#parts.map((part) => this.#wholeChunk(part))
    return { key: this.key, columns: this.#columns, chunks: () => chunks }
  }

  release(): void {
    this.#memory.release(this.#bytes)
    this.#bytes = 0
  }

  #place(name: string, type: Cells['type']): number {
    const place = this.#places.get(name)
    if (place === undefined) {
      this.#places.set(name, this.#columns.length)
      return this.#columns.push({ name, type }) - 1
    }
    const { type: before } = this.#columns[place]
    if (before === type) return place
    const types = `column "${name}" is both of type ${type} and ${before}`
    throw new FluxError(`schema collision detected: ${types}`)
  }

  #sourcesOf(columns: readonly TableColumn[]): Int32Array {
    if (this.#lastColumns !== undefined && areSameColumns(columns, this.#lastColumns)) {
      return this.#lastSources
    }
    this.declare(columns)
    const sources = new Int32Array(this.#columns.length).fill(-1)
    for (let i = 0; i < columns.length; i++) sources[this.#places.get(columns[i].name)!] = i
    this.#lastColumns = columns
    this.#lastSources = sources
    return sources
  }

  #addSmall(part: Part): void {
    if (this.#single !== undefined) this.#copy(this.#single)
    this.#single = undefined
    this.#copy(part)
    if (this.#builtRows >= copiedRowsMax) this.#finishBuilders()
  }

  #copy({ chunk, sources }: Part): void {
    const { rowCount } = chunk
    for (let place = 0; place < this.#columns.length; place++) {
      const builder = this.#builder(place)
      if (builder === undefined) continue
      const source = place < sources.length ? sources[place] : -1
      if (source < 0) builder.pushTimes(null, rowCount)
      else builder.pushRange(chunk.columns[source], 0, rowCount)
    }
    this.#builtRows += rowCount
  }

  /** undefined: the key says it. */
  #builder(place: number): CellsBuilder | undefined {
    if (place < this.#builders.length) return this.#builders[place]
    const { name, type } = this.#columns[place]
    const builder = this.key.has(name) ? undefined : new CellsBuilder(type)
    builder?.pushTimes(null, this.#builtRows)
    this.#builders.push(builder)
    return builder
  }

  #finishBuilders(): void {
    if (this.#single !== undefined) this.#parts.push(this.#single)
    this.#single = undefined
    if (this.#builtRows === 0) return
    const columns: Cells[] = this.#builders.map((builder, place) => {
      if (builder !== undefined) return builder.finish()
      const { name, type } = this.#columns[place]
      return constantCells(type, this.key.entry(name)!.value)
    })
    const sources = Int32Array.from(columns, (_, place) => place)
    this.#parts.push({ chunk: { rowCount: this.#builtRows, columns }, sources })
    this.#builders = []
    this.#builtRows = 0
  }

  #wholeChunk({ chunk, sources }: Part): Chunk {
    const columns = this.#columns.map(({ name, type }, place): Cells => {
      const entry = this.key.entry(name)
      if (entry !== undefined) return constantCells(type, entry.value)
      const source = place < sources.length ? sources[place] : -1
      return source < 0 ? constantCells(type, null) : chunk.columns[source]
    })
    return { rowCount: chunk.rowCount, columns }
  }

  #took(bytes: number): void {
    this.#memory.take(bytes)
    this.#bytes += bytes
  }
}
