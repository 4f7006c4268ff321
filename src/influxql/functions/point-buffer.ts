// All points of a window, for functions that need every one of them before they can answer: values
// and times in growing arrays, companions in columns. Kept from window to window.

import { type Column, type FieldType, isWide, type Value, valueAt } from '../../column/column.js'
import { isNear, type TimeColumn, timeOffsetMax } from '../../column/time.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import type { Points, PointsBuilder } from './points.js'

/** Numbers of one type. They are wide from the first wide column on. */
export class NumberBuffer {
  readonly #isSigned: boolean
  #narrow = new Float64Array(64)
  #wide: BigInt64Array | BigUint64Array | undefined
  count = 0

  constructor(type: FieldType) {
    this.#isSigned = type !== 'unsigned'
  }

  append(column: Column, start: number, stop: number): void {
    const count = this.count + stop - start
    this.#makeRoom(count)
    if (isWide(column) && this.#wide === undefined) this.#widen()
    const values = column.values.subarray(start, stop)
    if (this.#wide === undefined) this.#narrow.set(values as Float64Array, this.count)
    else if (isWide(column)) this.#wide.set(values as BigInt64Array, this.count)
    else for (let i = 0; i < values.length; i++) this.#wide[this.count + i] = BigInt(values[i])
    this.count = count
  }

  /** The numbers so far; they stay the buffer's. */
  get values(): Float64Array | BigInt64Array | BigUint64Array {
    return (this.#wide ?? this.#narrow).subarray(0, this.count)
  }

  clear(): void {
    this.count = 0
    this.#wide = undefined
  }

  #makeRoom(count: number): void {
    const array = this.#wide ?? this.#narrow
    if (count <= array.length) return
    const grown = new (array.constructor as Float64ArrayConstructor)(
      Math.max(count, array.length * 2),
    )
    grown.set((array as Float64Array).subarray(0, this.count))
    if (this.#wide === undefined) this.#narrow = grown
    else this.#wide = grown as unknown as BigInt64Array
  }

  #widen(): void {
    const { length } = this.#narrow
    const wide = this.#isSigned ? new BigInt64Array(length) : new BigUint64Array(length)
    for (let i = 0; i < this.count; i++) wide[i] = BigInt(this.#narrow[i])
    this.#wide = wide
  }
}

/** Times of points, as offsets from few bases: a new one begins where the last is too far away. */
export class TimeBuffer {
  #offsets = new Float64Array(64)
  #count = 0
  #bases: { readonly base: bigint; readonly firstRow: number }[] = []

  append(times: TimeColumn, start: number, stop: number): void {
    const count = this.#count + stop - start
    if (count > this.#offsets.length) {
      const grown = new Float64Array(Math.max(count, this.#offsets.length * 2))
      grown.set(this.#offsets.subarray(0, this.#count))
      this.#offsets = grown
    }
    const last = this.#bases.at(-1)
    const canShift = last !== undefined && isNear(times.base, last.base)
    if (!canShift || !this.#copyShifted(times, start, stop, Number(times.base - last.base))) {
      this.#bases.push({ base: times.base, firstRow: this.#count })
      this.#copyShifted(times, start, stop, 0)
    }
    this.#count = count
  }

  at(row: number): bigint {
    return this.#baseOf(row) + BigInt(this.#offsets[row])
  }

  /** Whether row a is later than row b. */
  isLater(a: number, b: number): boolean {
    if (this.#bases.length === 1) return this.#offsets[a] > this.#offsets[b]
    return this.at(a) > this.at(b)
  }

  clear(): void {
    this.#count = 0
    this.#bases = []
  }

  #baseOf(row: number): bigint {
    const { length } = this.#bases
    let at = length - 1
    while (at > 0 && this.#bases[at].firstRow > row) at--
    return this.#bases[at].base
  }

  /** False: an offset would not be exact any more. */
  #copyShifted(times: TimeColumn, start: number, stop: number, shift: number): boolean {
    for (let row = start, at = this.#count; row < stop; row++, at++) {
      const offset = times.offsets[row] + shift
      if (offset > timeOffsetMax || offset < -timeOffsetMax) return false
      this.#offsets[at] = offset
    }
    return true
  }
}

/** Numbers with their times and companions. */
export class PointBuffer {
  readonly numbers: NumberBuffer
  readonly times = new TimeBuffer()
  readonly #companionTypes: readonly FieldType[]
  #companions: ColumnBuilder[]

  constructor(type: FieldType, companionTypes: readonly FieldType[]) {
    this.numbers = new NumberBuffer(type)
    this.#companionTypes = companionTypes
    this.#companions = companionTypes.map((each) => new ColumnBuilder(each))
  }

  append(points: Points, start: number, stop: number): void {
    this.numbers.append(points.values, start, stop)
    this.times.append(points.times, start, stop)
    for (let c = 0; c < this.#companions.length; c++) {
      this.#companions[c].pushRange(points.companions[c], start, stop)
    }
  }

  get heldBytes(): number {
    return this.numbers.count * (16 + this.#companions.length * 8)
  }

  /** Sends one row on. The buffer must be cleared after it. */
  pushRow(row: number, out: PointsBuilder): void {
    const companions: (Value | null)[] = []
    for (const companion of this.#companions) companions.push(valueAt(companion.finish(), row))
    out.pushCopied(this.numbers.values[row], this.times.at(row), companions)
  }

  clear(): void {
    this.numbers.clear()
    this.times.clear()
    this.#companions = this.#companionTypes.map((each) => new ColumnBuilder(each))
  }
}
