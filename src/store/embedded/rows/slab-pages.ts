// Rows of small tables, any number of tables side by side in shared pages: ten thousand measurements with a few rows
// each cost what their rows take, where arrays of their own for every field of every measurement cost fifty times that.
//
// What one write brings to one table is a chunk, in cells of eight bytes, within one page:
//
//   u32 address of the table's chunk before + 1 (0: none); u32 rows; u32 fields; u32 unused
//   u32 series of each row; f64 offset of each row
//   per field: u32 field; u32 place of its data in cells from the chunk's start, times 32, plus flags
//   per field its data: u8 validity of each row where the flag says so, then
//     numbers f64 each, or i64 where they are wide; booleans u8 each
//     strings: u32 ends of the texts, one more than rows and the first 0; then the bytes
//
// Each part begins on a cell of its own. An address is the page's number times the cells of a page plus the cell.

import { type Column, fieldTypes, isWide } from '../../../column/column.js'
import type { BufferSource } from './buffer-pool.js'
import type { ShardTable } from './memtable.js'

/** As large as still is cheap to have half empty, and hundreds of chunks fit in. */
export const pageBytes = 1 << 18
const pageCells = pageBytes / 8
const headCells = 2

/** The low bits of a field's flags are its type: its place in `fieldTypes`. */
export const typeMask = 7
export const flagValidity = 8
export const flagWide = 16
export const flagBits = 5

export class SlabPage {
  readonly buffer: ArrayBufferLike
  readonly words: Uint32Array
  readonly numbers: Float64Array
  readonly bytes: Uint8Array

  constructor(buffer: ArrayBufferLike) {
    this.buffer = buffer
    this.words = new Uint32Array(buffer, 0, pageBytes / 4)
    this.numbers = new Float64Array(buffer, 0, pageCells)
    this.bytes = new Uint8Array(buffer, 0, pageBytes)
  }
}

/** Pages being filled, or looked at by another thread. */
export class SlabPages {
  readonly pages: SlabPage[]
  /** Cells of the last page in use. */
  #used = pageCells

  constructor(buffers: readonly ArrayBufferLike[] = []) {
    this.pages = buffers.map((buffer) => new SlabPage(buffer))
  }

  pageOf(address: number): SlabPage {
    return this.pages[Math.floor(address / pageCells)]
  }

  /** Puts the rows behind those of chunk `before` (address + 1, or 0); answers the new chunk's address. */
  append(table: ShardTable, before: number, cells: number, buffers: BufferSource): number {
    if (this.#used + cells > pageCells) {
      this.pages.push(new SlabPage(buffers.allocate(pageBytes)))
      this.#used = 0
    }
    const at = this.#used
    this.#used += cells
    writeChunk(this.pages[this.pages.length - 1], at, table, before)
    return (this.pages.length - 1) * pageCells + at
  }

  free(buffers: BufferSource): void {
    for (const { buffer } of this.pages.splice(0)) buffers.free(buffer)
    this.#used = pageCells
  }
}

/** The cell in its page at which a chunk begins. */
export function cellOf(address: number): number {
  return address % pageCells
}

export function offsetsCell(chunk: number, rowCount: number): number {
  return chunk + headCells + ((rowCount + 1) >> 1)
}

/** Where the fields of a chunk are listed. */
export function fieldsCell(chunk: number, rowCount: number): number {
  return offsetsCell(chunk, rowCount) + rowCount
}

/** Of a chunk of these rows; more than `chunkCellsMax`: they cannot be kept here. */
export function chunkCells({ rowCount, fields }: ShardTable): number {
  let cells = fieldsCell(0, rowCount) + fields.length
  for (const { column } of fields) cells += dataCells(column, rowCount)
  return cells
}

/** A page is left with at most a quarter unused. */
export const chunkCellsMax = pageCells / 4

function dataCells(column: Column, rowCount: number): number {
  const flags = column.validity === undefined ? 0 : byteCells(rowCount)
  if (column.type === 'boolean') return flags + byteCells(rowCount)
  if (column.type !== 'string') return flags + rowCount
  return flags + ((rowCount + 2) >> 1) + byteCells(textBytes(column, rowCount))
}

function textBytes(column: Column & { type: 'string' }, rowCount: number): number {
  const { values, validity, dictionary } = column
  let bytes = 0
  for (let row = 0; row < rowCount; row++) {
    if (validity !== undefined && validity[row] === 0) continue
    bytes += dictionary.offsets[values[row] + 1] - dictionary.offsets[values[row]]
  }
  return bytes
}

/** Cells that hold so many bytes. */
export function byteCells(count: number): number {
  return (count + 7) >> 3
}

function writeChunk(page: SlabPage, at: number, table: ShardTable, before: number): void {
  const { rowCount, fields, series, offsets } = table
  const { words, numbers } = page
  words[2 * at] = before
  words[2 * at + 1] = rowCount
  words[2 * at + 2] = fields.length
  const seriesAt = 2 * (at + headCells)
  const offsetsAt = offsetsCell(at, rowCount)
  for (let row = 0; row < rowCount; row++) {
    words[seriesAt + row] = series[row]
    numbers[offsetsAt + row] = offsets[row]
  }
  const listAt = fieldsCell(at, rowCount)
  let data = listAt + fields.length
  for (let f = 0; f < fields.length; f++) {
    const { fieldId, column } = fields[f]
    let flags = fieldTypes.indexOf(column.type)
    if (column.validity !== undefined) flags |= flagValidity
    if (isWide(column)) flags |= flagWide
    words[2 * (listAt + f)] = fieldId
    words[2 * (listAt + f) + 1] = ((data - at) << flagBits) | flags
    data = writeData(page, data, column, rowCount)
  }
}

/** Answers the cell behind. */
function writeData(page: SlabPage, start: number, column: Column, rowCount: number): number {
  let at = start
  const { validity, values } = column
  if (validity !== undefined) {
    const flagsAt = 8 * at
    for (let row = 0; row < rowCount; row++) page.bytes[flagsAt + row] = validity[row]
    at += byteCells(rowCount)
  }
  if (column.type === 'string') return writeTexts(page, at, column, rowCount)
  if (column.type === 'boolean') {
    const flags = column.values
    for (let row = 0; row < rowCount; row++) page.bytes[8 * at + row] = flags[row]
    return at + byteCells(rowCount)
  }
  if (values instanceof Float64Array) {
    for (let row = 0; row < rowCount; row++) page.numbers[at + row] = values[row]
  } else {
    // As words: a BigInt would be made of each value otherwise.
    const words = new Uint32Array(values.buffer, values.byteOffset, 2 * rowCount)
    page.words.set(words, 2 * at)
  }
  return at + rowCount
}

function writeTexts(
  page: SlabPage,
  at: number,
  column: Column & { type: 'string' },
  rowCount: number,
): number {
  const { values, validity, dictionary } = column
  const bytesAt = at + ((rowCount + 2) >> 1)
  let end = 0
  page.words[2 * at] = 0
  for (let row = 0; row < rowCount; row++) {
    if (validity === undefined || validity[row] !== 0) {
      const start = dictionary.offsets[values[row]]
      const stop = dictionary.offsets[values[row] + 1]
      for (let i = start; i < stop; i++)
        page.bytes[8 * bytesAt + end + i - start] = dictionary.bytes[i]
      end += stop - start
    }
    page.words[2 * at + row + 1] = end
  }
  return bytesAt + byteCells(end)
}
