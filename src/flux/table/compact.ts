// Small parts of large chunks cut loose: a view of a few rows keeps the arrays of all of them alive, and
// the texts of the whole dictionary. Whoever keeps many small chunks keeps them compact.

import type { Cells, Chunk, StringCells, ValueCells } from '../../query/table.js'

/** What is at least this many times larger than it has to be is copied. */
const wasteMax = 4

export function compactChunk(chunk: Chunk): Chunk {
  const { rowCount, columns } = chunk
  if (!columns.some((cells) => isWasteful(cells, rowCount))) return chunk
  const compact = columns.map((cells) => {
    return isWasteful(cells, rowCount) ? compactCells(cells as ValueCells, rowCount) : cells
  })
  return { rowCount, columns: compact }
}

function isWasteful(cells: Cells, rowCount: number): boolean {
  if (cells.kind === 'constant') return false
  const { values } = cells
  if (values.buffer.byteLength > wasteMax * rowCount * values.BYTES_PER_ELEMENT + 64) return true
  return cells.type === 'string' && cells.dictionary.length > wasteMax * rowCount + 4
}

function compactCells(cells: ValueCells, rowCount: number): Cells {
  const validity = cells.validity?.slice(0, rowCount)
  if (cells.type === 'string') return compactTexts(cells, rowCount, validity)
  return { ...cells, values: cells.values.slice(0, rowCount), validity } as ValueCells
}

function compactTexts(
  { values, dictionary }: StringCells,
  rowCount: number,
  validity: Uint8Array | undefined,
): Cells {
  const texts: string[] = []
  const numbers = new Map<number, number>()
  const compact = new Uint32Array(rowCount)
  for (let row = 0; row < rowCount; row++) {
    if (validity !== undefined && validity[row] === 0) continue
    let number = numbers.get(values[row])
    if (number === undefined) {
      number = texts.push(dictionary[values[row]]) - 1
      numbers.set(values[row], number)
    }
    compact[row] = number
  }
  return { kind: 'values', type: 'string', values: compact, dictionary: texts, validity }
}
