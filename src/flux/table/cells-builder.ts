// Makes a column value by value or range by range. Equal texts share an entry of the dictionary. The
// builder that is finished may not be used any more.

import { assert } from '../../errors.js'
import {
  type Cell,
  type Cells,
  type CellType,
  cellAt,
  type StringCells,
  type ValueCells,
} from '../../query/table.js'
import { type CellValues, newCellValues } from './cells.js'

export class CellsBuilder {
  readonly type: CellType
  #values: CellValues
  #validity: Uint8Array | undefined
  readonly #texts: TextTable | undefined
  #count = 0

  constructor(type: CellType, capacity = 16) {
    this.type = type
    this.#values = newCellValues(type, capacity)
    this.#texts = type === 'string' ? new TextTable() : undefined
  }

  get count(): number {
    return this.#count
  }

  /** null: no value. The cell must be of the column's type. */
  push(cell: Cell | null): void {
    this.#room(1)
    if (cell === null) {
      this.#holes()[this.#count] = 0
      this.#count++
      return
    }
    switch (this.type) {
      case 'float':
        ;(this.#values as Float64Array)[this.#count] = cell as number
        break
      case 'bool':
        ;(this.#values as Uint8Array)[this.#count] = cell === true ? 1 : 0
        break
      case 'string':
        ;(this.#values as Uint32Array)[this.#count] = this.#texts!.number(cell as string)
        break
      default:
        ;(this.#values as BigInt64Array)[this.#count] = cell as bigint
    }
    if (this.#validity !== undefined) this.#validity[this.#count] = 1
    this.#count++
  }

  pushTimes(cell: Cell | null, times: number): void {
    if (times === 0) return
    this.#room(times)
    this.push(cell)
    const from = this.#count - 1
    const to = from + times
    ;(this.#values as Float64Array).fill((this.#values as Float64Array)[from], from, to)
    this.#validity?.fill(this.#validity[from], from, to)
    this.#count = to
  }

  /** Row `row` of a column of the same type. */
  pushFrom(cells: Cells, row: number): void {
    this.pushRange(cells, row, row + 1)
  }

  /** Rows `start` up to `stop` of a column of the same type. */
  pushRange(cells: Cells, start: number, stop: number): void {
    assert(cells.type === this.type, `cells of ${cells.type} go into a column of ${this.type}`)
    if (cells.kind === 'constant') return this.pushTimes(cells.value, stop - start)
    // Many tables have but one row; views of the arrays cost more than the cell.
    if (stop - start === 1 && cells.type !== 'string') return this.push(cellAt(cells, start))
    this.#room(stop - start)
    if (cells.type === 'string') this.#pushTexts(cells, start, stop)
    else {
      const part = cells.values.subarray(start, stop) as Float64Array
      ;(this.#values as Float64Array).set(part, this.#count)
    }
    this.#pushValidity(cells.validity, start, stop)
    this.#count += stop - start
  }

  #pushTexts(cells: StringCells, start: number, stop: number): void {
    const values = this.#values as Uint32Array
    const texts = this.#texts!
    for (let row = start, at = this.#count; row < stop; row++, at++) {
      const isNull = cells.validity !== undefined && cells.validity[row] === 0
      values[at] = isNull ? 0 : texts.fromDictionary(cells.dictionary, cells.values[row])
    }
  }

  #pushValidity(validity: Uint8Array | undefined, start: number, stop: number): void {
    if (validity !== undefined) {
      this.#holes().set(validity.subarray(start, stop), this.#count)
    } else if (this.#validity !== undefined) {
      this.#validity.fill(1, this.#count, this.#count + stop - start)
    }
  }

  finish(): ValueCells {
    const { type } = this
    const values = this.#values.subarray(0, this.#count)
    const validity = this.#validity?.subarray(0, this.#count)
    const cells = { kind: 'values', type, values, validity }
    const dictionary = this.#texts?.texts
    return (dictionary === undefined ? cells : { ...cells, dictionary }) as unknown as ValueCells
  }

  #holes(): Uint8Array {
    this.#validity ??= new Uint8Array(this.#values.length).fill(1, 0, this.#count)
    return this.#validity
  }

  #room(more: number): void {
    const needed = this.#count + more
    if (needed <= this.#values.length) return
    const capacity = Math.max(needed, this.#values.length * 2)
    const grown = newCellValues(this.type, capacity)
    grown.set(this.#values as never)
    this.#values = grown
    if (this.#validity !== undefined) {
      const validity = new Uint8Array(capacity)
      validity.set(this.#validity)
      this.#validity = validity
    }
  }
}

/** Numbers texts; remembers what became of the entries of the dictionary it saw last. */
class TextTable {
  readonly texts: string[] = []
  readonly #numbers = new Map<string, number>()
  #source: readonly string[] | undefined
  #fromSource = new Int32Array(0)

  number(text: string): number {
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.texts.length
      this.#numbers.set(text, number)
      this.texts.push(text)
    }
    return number
  }

  fromDictionary(dictionary: readonly string[], entry: number): number {
    if (dictionary !== this.#source) {
      this.#source = dictionary
      this.#fromSource = new Int32Array(dictionary.length).fill(-1)
    }
    let number = this.#fromSource[entry]
    if (number < 0) {
      number = this.number(dictionary[entry])
      this.#fromSource[entry] = number
    }
    return number
  }
}
