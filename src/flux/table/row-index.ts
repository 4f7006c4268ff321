// Numbers for rows: rows whose key columns have the same values get the same number, new ones the next.
// A key of one 64-bit column is kept as words in an open hash table and guessed first, since rows
// mostly come in the order in which they came before. Of several columns each numbers its own values,
// and two numbers are the words of a key again. Columns of other types become texts.

import { type Cells, type CellType, type Chunk, cellAt, isNullAt } from '../../query/table.js'
import { expandCells } from './cells.js'

export interface RowIndex {
  /** How many different keys came by. */
  readonly count: number
  /** The number of each row of a chunk, by its columns at `places`. `onNew` gets the rows with new keys, in order. */
  numbers(chunk: Chunk, places: readonly number[], onNew: (row: number) => void): Uint32Array
  /** The number of each row; `unknownRow` for keys that never came by. */
  find(chunk: Chunk, places: readonly number[]): Uint32Array
}

export const unknownRow = 0xffff_ffff

/** `types`: those of the key columns. */
export function newRowIndex(types: readonly CellType[]): RowIndex {
  const [type, ...others] = types
  if (others.length > 0) return new JointIndex(types)
  return type === undefined || type === 'bool' || type === 'string'
    ? new TextIndex()
    : new WordIndex()
}

/** Few: pivots and joins have an index for each of many small tables. */
const startCapacity = 16

class WordIndex implements RowIndex {
  #words = new Int32Array(2 * startCapacity)
  /** Number + 1; 0: free. Never more than half full. */
  #slots = new Int32Array(2 * startCapacity)
  #count = 0
  /** The number that the next row probably has. */
  #next = 0
  #nullNumber = -1

  get count(): number {
    return this.#count
  }

  numbers(chunk: Chunk, places: readonly number[], onNew: (row: number) => void): Uint32Array {
    const numbers = this.find(chunk, places)
    const words = wordsOf(chunk.columns[places[0]], chunk.rowCount)
    for (let row = 0; row < numbers.length; row++) {
      if (numbers[row] !== unknownRow) continue
      numbers[row] = isNullAt(chunk.columns[places[0]], row)
        ? this.#addNull(row, onNew)
        : this.#add(words[2 * row], words[2 * row + 1], row, onNew)
    }
    return numbers
  }

  find(chunk: Chunk, places: readonly number[]): Uint32Array {
    const { rowCount } = chunk
    const cells = chunk.columns[places[0]]
    const words = wordsOf(cells, rowCount)
    const numbers = new Uint32Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      numbers[row] = this.#lookUp(words[2 * row], words[2 * row + 1])
    }
    if (cells.kind === 'constant' ? cells.value !== null : cells.validity === undefined)
      return numbers
    for (let row = 0; row < rowCount; row++) {
      if (isNullAt(cells, row)) numbers[row] = this.#nullNumber < 0 ? unknownRow : this.#nullNumber
    }
    return numbers
  }

  #lookUp(low: number, high: number): number {
    const words = this.#words
    const guess = this.#next
    // The words of null are those of zero, which it is not.
    const isGuess = guess < this.#count && guess !== this.#nullNumber
    if (isGuess && words[2 * guess] === low && words[2 * guess + 1] === high) {
      this.#next = guess + 1
      return guess
    }
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hash(low, high) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = slots[slot] - 1
      if (words[2 * number] === low && words[2 * number + 1] === high) {
        this.#next = number + 1
        return number
      }
    }
    return unknownRow
  }

  #add(low: number, high: number, row: number, onNew: (row: number) => void): number {
    // The same key may have come new in this very chunk.
    const known = this.#lookUp(low, high)
    if (known !== unknownRow) return known
    const number = this.#count++
    if (2 * this.#count > this.#words.length) this.#grow()
    this.#words[2 * number] = low
    this.#words[2 * number + 1] = high
    this.#occupy(number)
    onNew(row)
    return number
  }

  /** Null has a number and words of its own, which no slot leads to. */
  #addNull(row: number, onNew: (row: number) => void): number {
    if (this.#nullNumber >= 0) return this.#nullNumber
    this.#nullNumber = this.#count++
    if (2 * this.#count > this.#words.length) this.#grow()
    onNew(row)
    return this.#nullNumber
  }

  #occupy(number: number): void {
    const mask = this.#slots.length - 1
    let slot = hash(this.#words[2 * number], this.#words[2 * number + 1]) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = number + 1
  }

  #grow(): void {
    const words = new Int32Array(this.#words.length * 2)
    words.set(this.#words)
    this.#words = words
    this.#slots = new Int32Array(words.length)
    for (let number = 0; number < this.#count - 1; number++) {
      if (number !== this.#nullNumber) this.#occupy(number)
    }
  }
}

function hash(low: number, high: number): number {
  const mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b)
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 5
}

function wordsOf(cells: Cells, rowCount: number): Int32Array {
  const { values } = expandCells(cells, rowCount)
  return new Int32Array(values.buffer, values.byteOffset, rowCount * 2)
}

/** Columns from the first to the last: the number of a row so far and that of its next value make a new one. */
class JointIndex implements RowIndex {
  readonly #columns: readonly RowIndex[]
  /** One for each column but the first. */
  readonly #joints: readonly WordIndex[]

  constructor(types: readonly CellType[]) {
    this.#columns = types.map(newColumnIndex)
    this.#joints = types.slice(1).map(() => new WordIndex())
  }

  get count(): number {
    return this.#joints[this.#joints.length - 1].count
  }

  numbers(chunk: Chunk, places: readonly number[], onNew: (row: number) => void): Uint32Array {
    const last = this.#joints.length - 1
    let numbers = this.#columns[0].numbers(chunk, [places[0]], ignored)
    for (const [i, joint] of this.#joints.entries()) {
      const next = this.#columns[i + 1].numbers(chunk, [places[i + 1]], ignored)
      numbers = joint.numbers(pairs(numbers, next), onlyColumn, i === last ? onNew : ignored)
    }
    return numbers
  }

  /** Unknown values have no numbers: with one of them no key is known, since `unknownRow` is nobody's number. */
  find(chunk: Chunk, places: readonly number[]): Uint32Array {
    let numbers = this.#columns[0].find(chunk, [places[0]])
    for (const [i, joint] of this.#joints.entries()) {
      const next = this.#columns[i + 1].find(chunk, [places[i + 1]])
      numbers = joint.find(pairs(numbers, next), onlyColumn)
    }
    return numbers
  }
}

const onlyColumn: readonly number[] = [0]

function ignored(): void {}

/** Floats are told apart by their text, as all columns of a key of several are: zeros of both signs are one. */
function newColumnIndex(type: CellType): RowIndex {
  return type === 'bool' || type === 'string' || type === 'float'
    ? new TextIndex()
    : new WordIndex()
}

function pairs(first: Uint32Array, second: Uint32Array): Chunk {
  const rowCount = first.length
  const words = new Uint32Array(2 * rowCount)
  for (let row = 0; row < rowCount; row++) {
    words[2 * row] = first[row]
    words[2 * row + 1] = second[row]
  }
  const values = new BigInt64Array(words.buffer)
  return { rowCount, columns: [{ kind: 'values', type: 'int', values, validity: undefined }] }
}

class TextIndex implements RowIndex {
  readonly #numbers = new Map<string, number>()

  get count(): number {
    return this.#numbers.size
  }

  numbers(chunk: Chunk, places: readonly number[], onNew: (row: number) => void): Uint32Array {
    const numbers = new Uint32Array(chunk.rowCount)
    for (let row = 0; row < chunk.rowCount; row++) {
      const text = keyText(chunk, places, row)
      let number = this.#numbers.get(text)
      if (number === undefined) {
        number = this.#numbers.size
        this.#numbers.set(text, number)
        onNew(row)
      }
      numbers[row] = number
    }
    return numbers
  }

  find(chunk: Chunk, places: readonly number[]): Uint32Array {
    const numbers = new Uint32Array(chunk.rowCount)
    for (let row = 0; row < chunk.rowCount; row++) {
      numbers[row] = this.#numbers.get(keyText(chunk, places, row)) ?? unknownRow
    }
    return numbers
  }
}

/** Lengths stand before texts: no two keys have the same. */
function keyText(chunk: Chunk, places: readonly number[], row: number): string {
  let text = ''
  for (const place of places) {
    const cell = cellAt(chunk.columns[place], row)
    const part = String(cell)
    text += cell === null ? '-' : `${part.length}:${part}`
  }
  return text
}
