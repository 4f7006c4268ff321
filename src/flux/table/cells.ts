// Work on whole columns that every function over tables needs: parts of them, chosen rows, one value
// in all rows, and their size. Nothing here changes an array that was handed over.

import { assert } from '../../errors.js'
import type {
  Cell,
  Cells,
  CellType,
  Chunk,
  ConstantCells,
  StringCells,
  ValueCells,
} from '../../query/table.js'

/** What a column of any type keeps its values in. */
export type CellValues = Float64Array | BigInt64Array | BigUint64Array | Uint8Array | Uint32Array

export function newCellValues(type: CellType, capacity: number): CellValues {
  switch (type) {
    case 'float':
      return new Float64Array(capacity)
    case 'int':
    case 'time':
      return new BigInt64Array(capacity)
    case 'uint':
      return new BigUint64Array(capacity)
    case 'bool':
      return new Uint8Array(capacity)
    case 'string':
      return new Uint32Array(capacity)
  }
}

export function constantCells(type: CellType, value: Cell | null): ConstantCells {
  return { kind: 'constant', type, value }
}

/** Rows `start` up to `stop`. */
export function sliceCells(cells: Cells, start: number, stop: number): Cells {
  if (cells.kind === 'constant') return cells
  const values = cells.values.subarray(start, stop)
  return { ...cells, values, validity: cells.validity?.subarray(start, stop) } as ValueCells
}

export function sliceChunk(chunk: Chunk, start: number, stop: number): Chunk {
  if (start === 0 && stop >= chunk.rowCount) return chunk
  const columns = chunk.columns.map((cells) => sliceCells(cells, start, stop))
  return { rowCount: stop - start, columns }
}

/** The rows named by `order`, in that order. */
export function gatherCells(cells: Cells, order: Uint32Array): Cells {
  if (cells.kind === 'constant') return cells
  const source = cells.values as Float64Array
  const values = new (source.constructor as Float64ArrayConstructor)(order.length)
  for (let i = 0; i < order.length; i++) values[i] = source[order[i]]
  let validity: Uint8Array | undefined
  if (cells.validity !== undefined) {
    validity = new Uint8Array(order.length)
    for (let i = 0; i < order.length; i++) validity[i] = cells.validity[order[i]]
  }
  return { ...cells, values, validity } as ValueCells
}

export function gatherChunk(chunk: Chunk, order: Uint32Array): Chunk {
  const columns = chunk.columns.map((cells) => gatherCells(cells, order))
  return { rowCount: order.length, columns }
}

/** Arrays in the place of one value told once, for loops that want only one kind of column. */
export function expandCells(cells: Cells, rowCount: number): ValueCells {
  if (cells.kind === 'values') return cells
  const { type, value } = cells
  const validity = value === null ? new Uint8Array(rowCount) : undefined
  const base = { kind: 'values', validity } as const
  switch (type) {
    case 'float':
      return { ...base, type, values: new Float64Array(rowCount).fill((value as number) ?? 0) }
    case 'int':
    case 'time':
      return { ...base, type, values: new BigInt64Array(rowCount).fill((value as bigint) ?? 0n) }
    case 'uint':
      return { ...base, type, values: new BigUint64Array(rowCount).fill((value as bigint) ?? 0n) }
    case 'bool':
      return { ...base, type, values: new Uint8Array(rowCount).fill(value === true ? 1 : 0) }
    case 'string': {
      const dictionary = [(value as string) ?? '']
      return { ...base, type, values: new Uint32Array(rowCount), dictionary }
    }
  }
}

/** Cells of one column from several chunks, behind each other. */
export function joinCells(parts: readonly Cells[], rowCounts: readonly number[]): Cells {
  assert(parts.length > 0, 'no cells to join')
  if (parts.length === 1) return parts[0]
  const [first] = parts
  if (first.kind === 'constant' && parts.every((part) => isSameConstant(part, first))) return first
  const rowCount = rowCounts.reduce((sum, count) => sum + count, 0)
  const whole = parts.map((part, i) => expandCells(part, rowCounts[i]))
  const Values = whole[0].values.constructor as Float64ArrayConstructor
  const values = new Values(rowCount)
  const hasHoles = whole.some(({ validity }) => validity !== undefined)
  const validity = hasHoles ? new Uint8Array(rowCount).fill(1) : undefined
  const dictionary: string[] = []
  let at = 0
  for (const [i, cells] of whole.entries()) {
    const count = rowCounts[i]
    values.set(cells.values.subarray(0, count) as Float64Array, at)
    if (cells.type === 'string') appendDictionary(values, at, count, cells, dictionary)
    if (cells.validity !== undefined) validity!.set(cells.validity.subarray(0, count), at)
    at += count
  }
  const joined = { kind: 'values', type: first.type, values, validity }
  return (first.type === 'string' ? { ...joined, dictionary } : joined) as unknown as ValueCells
}

function isSameConstant(part: Cells, first: ConstantCells): boolean {
  return part.kind === 'constant' && Object.is(part.value, first.value)
}

/** Numbers of the first part stay; those behind it move by the entries before them. */
function appendDictionary(
  values: Float64Array,
  at: number,
  count: number,
  cells: StringCells,
  dictionary: string[],
): void {
  const shift = dictionary.length
  for (const entry of cells.dictionary) dictionary.push(entry)
  if (shift === 0) return
  for (let i = at; i < at + count; i++) values[i] += shift
}

const bytesPerCell: Readonly<Record<CellType, number>> = {
  bool: 1,
  int: 8,
  uint: 8,
  float: 8,
  string: 4,
  time: 8,
}

/** About what a chunk takes in memory. */
export function chunkBytes(chunk: Chunk): number {
  let bytes = 0
  for (const cells of chunk.columns) {
    if (cells.kind === 'constant') bytes += 64
    else {
      bytes += chunk.rowCount * bytesPerCell[cells.type]
      if (cells.validity !== undefined) bytes += chunk.rowCount
      if (cells.type === 'string') bytes += dictionaryBytes(cells)
    }
  }
  return bytes
}

function dictionaryBytes({ dictionary }: StringCells): number {
  let bytes = 0
  for (const entry of dictionary) bytes += 16 + entry.length
  return bytes
}
