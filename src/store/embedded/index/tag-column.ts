// One tag of one measurement, over all its series: which value each series has, and which series
// have each value.
//
// Values are numbered; the numbers lie in one array by series position from the first series with
// the tag on (0: the series lacks it). Where nearly all lack it, only those that have it are listed,
// with their positions: a thousand tags that one series in a thousand has each would take a thousand
// times their series otherwise. Postings are made from it by a counting sort when first asked for,
// and again when enough series came in behind them; what came since is looked through. So a tag
// costs 8 bytes a series, and adding a series costs nothing but its number.

import { ByteTable, SourceView } from '../../../column/byte-table.js'
import { putNumbers } from '../../../column/first-numbers.js'
import { atOnce, type Work } from '../../../platform/turns.js'
import { FirstValues } from './first-values.js'
import { LazyOrder } from './lazy-order.js'

/** Series behind the postings are scanned: rebuilding waits until that would cost more than it saves. */
const scanMin = 1024

/** The texts of so many values are cached once they were asked for: what dashboards offer to choose from. */
const cachedTextsMax = 10_000

/** Where there are many measurements most of them have few series. */
const codesMin = 8

/** So many places for each value, and those without are no longer kept. */
const entriesPerValueMax = 8

/** Of more values the first are kept in order: fewer are put in order in a moment. */
const valuesMany = 8192

/** Entries between two places where the work may be interrupted. */
const stepEntries = 16_384

const nothing = new Uint32Array(0)

function grown(array: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length)
  larger.set(array)
  return larger
}

export class TagColumn {
  readonly key: string
  readonly keyBytes: Uint8Array
  readonly values: ByteTable
  /** Of the entries: value number + 1, or 0. */
  #codes = new Uint32Array(codesMin)
  /** Positions of the entries, ascending; undefined: they follow each other from `#first` on. */
  #positions: Uint32Array | undefined
  #first = 0
  #length = 0
  /** Entries that hold a value. */
  #filled = 0
  /** Positions of the series with code c are members[starts[c]] up to members[starts[c + 1]]. */
  #starts = nothing
  #members = nothing
  #indexed = 0
  /** Of many. */
  #firsts: FirstValues | undefined
  /** Made when it is first asked for. */
  #order: LazyOrder | undefined
  /** By code - 1; those that were asked for. */
  #texts: (string | undefined)[] | undefined

  constructor(key: string, source = new SourceView()) {
    this.key = key
    this.values = new ByteTable({ source })
    this.keyBytes = Buffer.from(key)
  }

  get byteLength(): number {
    return (
      this.values.byteLength +
      this.#codes.byteLength +
      (this.#positions?.byteLength ?? 0) +
      this.#starts.byteLength +
      this.#members.byteLength
    )
  }

  set(position: number, bytes: Uint8Array, start: number, stop: number): void {
    if (this.#length === 0) this.#first = position
    if (this.#positions === undefined && this.#isTooSparse(position)) this.#list()
    const at = this.#positions === undefined ? position - this.#first : this.#length
    if (at >= this.#codes.length) this.#grow(at + 1)
    if (this.#positions !== undefined) this.#positions[at] = position
    this.#codes[at] = this.#numberOf(bytes, start, stop) + 1
    this.#length = at + 1
    this.#filled++
  }

  #numberOf(bytes: Uint8Array, start: number, stop: number): number {
    const { count } = this.values
    const number = this.values.intern(bytes, start, stop)
    if (number < count) return number
    if (this.#firsts !== undefined) this.#firsts.add(number, bytes, start, stop)
    else if (number >= valuesMany) this.#firsts = new FirstValues(this.values)
    return number
  }

  #isTooSparse(position: number): boolean {
    const at = position - this.#first
    return at >= this.#codes.length && at > entriesPerValueMax * (this.#filled + codesMin)
  }

  /** From an array by position to a list of those that have the tag. */
  #list(): void {
    const codes = new Uint32Array(Math.max(codesMin, this.#filled * 2))
    const positions = new Uint32Array(codes.length)
    let length = 0
    for (let i = 0; i < this.#length; i++) {
      if (this.#codes[i] === 0) continue
      codes[length] = this.#codes[i]
      positions[length++] = this.#first + i
    }
    this.#codes = codes
    this.#positions = positions
    this.#length = length
    // Entries have other numbers now.
    this.#indexed = 0
    this.#starts = nothing
    this.#members = nothing
  }

  #grow(count: number): void {
    const length = Math.max(this.#codes.length * 2, count)
    this.#codes = grown(this.#codes, length)
    if (this.#positions !== undefined) this.#positions = grown(this.#positions, length)
  }

  /** 0 where the series lacks the tag. */
  codeAt(position: number): number {
    const at = this.#positions === undefined ? position - this.#first : this.#entryOf(position)
    return at >= 0 && at < this.#length ? this.#codes[at] : 0
  }

  /** -1 where none has this position. */
  #entryOf(position: number): number {
    const at = this.#entryFrom(position)
    return at < this.#length && this.#positions![at] === position ? at : -1
  }

  /** The first entry at or behind a position, where they are listed. */
  #entryFrom(position: number): number {
    const positions = this.#positions!
    let low = 0
    let high = this.#length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (positions[middle] < position) low = middle + 1
      else high = middle
    }
    return low
  }

  #positionOf(entry: number): number {
    return this.#positions === undefined ? this.#first + entry : this.#positions[entry]
  }

  codeOf(value: string): number {
    const bytes = Buffer.from(value)
    return this.values.findBytes(bytes, 0, bytes.length) + 1
  }

  /** The first values in the order of their bytes, by their numbers; none where few are put in order at once. */
  firstNumbers(): Uint32Array {
    return this.#firsts?.numbers() ?? nothing
  }

  /** The first `count` values that came, by their numbers (a code less one), in the order of their bytes. */
  *order(count = this.values.count): Work<LazyOrder> {
    // Values are only ever added.
    if (this.#order?.count === count) return this.#order
    const numbers = new Uint32Array(count)
    for (let start = 0; start < count; start += stepEntries) {
      putNumbers(numbers, start, Math.min(start + stepEntries, count))
      yield
    }
    const made = new LazyOrder(numbers, this.values.shareable())
    // Whoever asked meanwhile may have made a longer one.
    if (this.#order === undefined || this.#order.count < count) this.#order = made
    return made
  }

  textOf(code: number): string {
    if (this.values.count > cachedTextsMax) return this.values.text(code - 1)
    this.#texts ??= []
    const known = this.#texts[code - 1]
    if (known !== undefined) return known
    const text = this.values.text(code - 1)
    this.#texts[code - 1] = text
    return text
  }

  /** Positions of the series that have this code (not 0), ascending. */
  positionsOf(code: number): Uint32Array {
    if (this.#isBehind()) atOnce(this.#postings())
    const start = code + 1 < this.#starts.length ? this.#starts[code] : 0
    const stop = code + 1 < this.#starts.length ? this.#starts[code + 1] : 0
    const recent: number[] = []
    for (let i = this.#indexed; i < this.#length; i++) {
      if (this.#codes[i] === code) recent.push(this.#positionOf(i))
    }
    if (recent.length === 0) return this.#members.subarray(start, stop)
    const all = new Uint32Array(stop - start + recent.length)
    all.set(this.#members.subarray(start, stop))
    all.set(recent, stop - start)
    return all
  }

  /** Positions below `count` of the series whose code `accepts` marks with 1, ascending. */
  *positionsWhere(accepts: Uint8Array, count: number): Work<Uint32Array> {
    const found = new Uint32Array(count)
    let length = 0
    for (let start = 0; start < count; start += stepEntries) {
      const stop = Math.min(start + stepEntries, count)
      length += this.#putAccepted(accepts, start, stop, found.subarray(length))
      yield
    }
    return found.subarray(0, length)
  }

  /** Of positions from `start` to `stop`; how many there are. */
  #putAccepted(accepts: Uint8Array, start: number, stop: number, to: Uint32Array): number {
    if (this.#positions === undefined) {
      const codes = this.#codes.subarray(0, this.#length)
      return putAccepted(codes, this.#first, accepts, start, stop, to)
    }
    let count = 0
    let entry = this.#entryFrom(start)
    for (let i = start; i < stop; i++) {
      const has = entry < this.#length && this.#positions[entry] === i
      if (accepts[has ? this.#codes[entry++] : 0] === 1) to[count++] = i
    }
    return count
  }

  /** Makes the postings where they would be made by the next question: a million entries take longer than a turn. */
  *prepared(): Work<void> {
    if (this.#isBehind()) yield* this.#postings()
  }

  *#postings(): Work<void> {
    const length = this.#length
    const positions = this.#positions
    const starts = new Uint32Array(this.values.count + 2)
    for (let i = 0; i < length; i += stepEntries) {
      countCodes(this.#codes, i, Math.min(i + stepEntries, length), starts)
      yield
    }
    for (let c = 1; c < starts.length; c += stepEntries) {
      sumUp(starts, c, Math.min(c + stepEntries, starts.length))
      yield
    }
    const next = starts.slice()
    const members = new Uint32Array(length)
    for (let i = 0; i < length; i += stepEntries) {
      this.#putMembers(i, Math.min(i + stepEntries, length), next, members)
      yield
    }
    // Meanwhile entries may have come, which are looked through, or have got other numbers.
    if (this.#hasOtherNumbers(positions) || length < this.#indexed) return
    this.#starts = starts
    this.#members = members
    this.#indexed = length
  }

  #putMembers(start: number, stop: number, next: Uint32Array, members: Uint32Array): void {
    const codes = this.#codes
    for (let i = start; i < stop; i++) members[next[codes[i]]++] = this.#positionOf(i)
  }

  #hasOtherNumbers(positions: Uint32Array | undefined): boolean {
    return (this.#positions === undefined) !== (positions === undefined)
  }

  #isBehind(): boolean {
    return this.#length - this.#indexed > Math.max(scanMin, this.#indexed >>> 2)
  }
}

// Loops over many are functions of their own: within a generator they stay as slow as they begin.

/** `codes`: of positions from `first` on. */
function putAccepted(
  codes: Uint32Array,
  first: number,
  accepts: Uint8Array,
  start: number,
  stop: number,
  to: Uint32Array,
): number {
  let count = 0
  for (let i = start; i < stop; i++) {
    const at = i - first
    if (accepts[at >= 0 && at < codes.length ? codes[at] : 0] === 1) to[count++] = i
  }
  return count
}

function countCodes(codes: Uint32Array, start: number, stop: number, starts: Uint32Array): void {
  for (let i = start; i < stop; i++) starts[codes[i] + 1]++
}

function sumUp(starts: Uint32Array, from: number, to: number): void {
  for (let c = from; c < to; c++) starts[c] += starts[c - 1]
}
