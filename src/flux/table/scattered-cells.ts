// A column whose cells are set in any order, row by row number: what pivoted values go into. Rows that
// were never set have none. 64-bit integers are moved as words; making a bigint of each costs more.

import type { Cells, CellType, StringCells, ValueCells } from '../../query/table.js'
import { FluxError } from '../value/error.js'
import { type CellValues, expandCells, newCellValues } from './cells.js'
import { timeWords } from './time-words.js'

export class ScatteredCells {
  readonly name: string
  readonly type: CellType
  #values: CellValues
  #validity: Uint8Array
  readonly #texts: string[] = []
  readonly #textNumbers = new Map<string, number>()

  constructor(name: string, type: CellType, capacity: number) {
    this.name = name
    this.type = type
    this.#values = newCellValues(type, capacity)
    this.#validity = new Uint8Array(capacity)
  }

  /** Row `targets[i]` gets what row `rows[i]` of the cells has; without `rows`, row i. */
  set(cells: Cells, rowCount: number, targets: Uint32Array, rows: Uint32Array | null): void {
    if (cells.type !== this.type) {
      const types = `column "${this.name}" is both of type ${cells.type} and ${this.type}`
      throw new FluxError(`schema collision detected: ${types}`)
    }
    const source = expandCells(cells, rowCount)
    const count = rows === null ? rowCount : rows.length
    for (let i = 0; i < count; i++) {
      const row = rows === null ? i : rows[i]
      this.#validity[targets[row]] = source.validity === undefined ? 1 : source.validity[row]
    }
    if (source.type === 'string') this.#setTexts(source, count, targets, rows)
    else if (source.type === 'float' || source.type === 'bool') {
      const values = this.#values as Float64Array
      const from = source.values as Float64Array
      for (let i = 0; i < count; i++) {
        const row = rows === null ? i : rows[i]
        values[targets[row]] = from[row]
      }
    } else this.#setWords(source.values as BigInt64Array, count, targets, rows)
  }

  /** There is room for so many rows from now on. */
  reserve(rowCount: number): void {
    if (rowCount <= this.#validity.length) return
    const capacity = Math.max(rowCount, this.#validity.length * 2)
    const values = newCellValues(this.type, capacity)
    values.set(this.#values as never)
    this.#values = values
    const validity = new Uint8Array(capacity)
    validity.set(this.#validity)
    this.#validity = validity
  }

  finish(rowCount: number): ValueCells {
    this.reserve(rowCount)
    const validity = this.#validity.subarray(0, rowCount)
    const cells = {
      kind: 'values',
      type: this.type,
      values: this.#values.subarray(0, rowCount),
      validity: validity.includes(0) ? validity : undefined,
    }
    const whole = this.type === 'string' ? { ...cells, dictionary: this.#dictionary() } : cells
    return whole as unknown as ValueCells
  }

  /** Rows without a text point at the first entry. */
  #dictionary(): readonly string[] {
    return this.#texts.length === 0 ? [''] : this.#texts
  }

  #setTexts(
    { values, dictionary, validity }: StringCells,
    count: number,
    targets: Uint32Array,
    rows: Uint32Array | null,
  ): void {
    const numbers = new Int32Array(dictionary.length).fill(-1)
    const own = this.#values as Uint32Array
    for (let i = 0; i < count; i++) {
      const row = rows === null ? i : rows[i]
      if (validity !== undefined && validity[row] === 0) continue
      const entry = values[row]
      if (numbers[entry] < 0) numbers[entry] = this.#textNumber(dictionary[entry])
      own[targets[row]] = numbers[entry]
    }
  }

  #textNumber(text: string): number {
    let number = this.#textNumbers.get(text)
    if (number === undefined) {
      number = this.#texts.push(text) - 1
      this.#textNumbers.set(text, number)
    }
    return number
  }

  #setWords(
    source: BigInt64Array,
    count: number,
    targets: Uint32Array,
    rows: Uint32Array | null,
  ): void {
    const from = timeWords(source)
    const to = timeWords(this.#values as BigInt64Array)
    for (let i = 0; i < count; i++) {
      const row = rows === null ? i : rows[i]
      const target = targets[row]
      to[2 * target] = from[2 * row]
      to[2 * target + 1] = from[2 * row + 1]
    }
  }
}
