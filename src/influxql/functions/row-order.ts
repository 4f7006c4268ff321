// Sorts as Go's `sort.Sort` (1.19) does, step by step: a pattern-defeating quicksort, which is not
// stable. Which of several equal points InfluxDB's percentile() returns, and which of several
// equally frequent values its mode(), follows from nothing but these steps; they are the same in
// every run, so they can be had here. Slow for a sort (two calls a step): only ties need it.
//
// The steps: up to 12 elements go in by insertion. Otherwise a pivot is chosen (the median of three,
// from 50 elements on of three medians); if every comparison on the way said "falling", the range is
// turned round; if none did, up to five repairs may finish the work. Elements equal to the pivot of
// the range to the left are set aside at once. After a lopsided cut three elements are exchanged by a
// xorshift of the length, and after too many of those heapsort takes over.

export interface Sortable {
  less(i: number, j: number): boolean
  swap(i: number, j: number): void
}

const insertionMax = 12
const nintherMin = 50
const repairMin = 50
const repairsMax = 5

export function sortLikeGo(data: Sortable, count: number): void {
  if (count > 1) sortRange(data, 0, count, bitLength(count))
}

/** The row numbers 0 up to `count` in the order of their keys. */
export function rowsByKey(keys: Float64Array, count: number): Uint32Array {
  const rows = new Uint32Array(count)
  for (let row = 0; row < count; row++) rows[row] = row
  sortLikeGo(new KeyedRows(keys, rows), count)
  return rows
}

class KeyedRows implements Sortable {
  readonly #keys: Float64Array
  readonly #rows: Uint32Array

  constructor(keys: Float64Array, rows: Uint32Array) {
    this.#keys = keys
    this.#rows = rows
  }

  less(i: number, j: number): boolean {
    return this.#keys[this.#rows[i]] < this.#keys[this.#rows[j]]
  }

  swap(i: number, j: number): void {
    const row = this.#rows[i]
    this.#rows[i] = this.#rows[j]
    this.#rows[j] = row
  }
}

function sortRange(data: Sortable, from: number, to: number, badCutsMax: number): void {
  let start = from
  let stop = to
  let badCutsLeft = badCutsMax
  let wasBalanced = true
  let wasPartitioned = true
  while (stop - start > insertionMax) {
    const length = stop - start
    if (badCutsLeft === 0) return heapSort(data, start, stop)
    if (!wasBalanced) {
      shuffleThree(data, start, stop)
      badCutsLeft--
    }
    let { pivot, trend } = choosePivot(data, start, stop)
    if (trend === 'falling') {
      reverse(data, start, stop)
      pivot = stop - 1 - (pivot - start)
      trend = 'rising'
    }
    if (wasBalanced && wasPartitioned && trend === 'rising' && repair(data, start, stop)) return
    if (start > 0 && !data.less(start - 1, pivot)) {
      start = partitionEqual(data, start, stop, pivot)
      continue
    }
    const cut = partition(data, start, stop, pivot)
    wasPartitioned = cut.wasPartitioned
    const left = cut.middle - start
    const right = stop - cut.middle
    wasBalanced = Math.min(left, right) >= Math.floor(length / 8)
    if (left < right) {
      sortRange(data, start, cut.middle, badCutsLeft)
      start = cut.middle + 1
    } else {
      sortRange(data, cut.middle + 1, stop, badCutsLeft)
      stop = cut.middle
    }
  }
  insertionSort(data, start, stop)
}

function insertionSort(data: Sortable, start: number, stop: number): void {
  for (let i = start + 1; i < stop; i++) sinkLeft(data, i, start + 1)
}

/** Moves the element left while it is smaller than its neighbour, at most until it is at `min - 1`. */
function sinkLeft(data: Sortable, at: number, min: number): void {
  for (let i = at; i >= min && data.less(i, i - 1); i--) data.swap(i, i - 1)
}

function heapSort(data: Sortable, start: number, stop: number): void {
  const count = stop - start
  for (let i = (count - 1) >> 1; i >= 0; i--) siftDown(data, start, i, count)
  for (let i = count - 1; i >= 0; i--) {
    data.swap(start, start + i)
    siftDown(data, start, 0, i)
  }
}

function siftDown(data: Sortable, first: number, from: number, count: number): void {
  let root = from
  for (;;) {
    let child = 2 * root + 1
    if (child >= count) return
    if (child + 1 < count && data.less(first + child, first + child + 1)) child++
    if (!data.less(first + root, first + child)) return
    data.swap(first + root, first + child)
    root = child
  }
}

type Trend = 'rising' | 'falling' | 'unknown'

function choosePivot(data: Sortable, start: number, stop: number): { pivot: number; trend: Trend } {
  const quarter = (stop - start) >> 2
  const counter = { exchanges: 0 }
  let places = [start + quarter, start + 2 * quarter, start + 3 * quarter]
  if (stop - start >= nintherMin) {
    places = places.map((at) => medianOf(data, at - 1, at, at + 1, counter))
  }
  const pivot = medianOf(data, places[0], places[1], places[2], counter)
  if (counter.exchanges === 0) return { pivot, trend: 'rising' }
  return { pivot, trend: counter.exchanges === 12 ? 'falling' : 'unknown' }
}

/** Nothing moves; `counter` learns how many of the three comparisons found the later element smaller. */
function medianOf(
  data: Sortable,
  first: number,
  second: number,
  third: number,
  counter: { exchanges: number },
): number {
  let [a, b, c] = [first, second, third]
  if (data.less(b, a)) {
    counter.exchanges++
    ;[a, b] = [b, a]
  }
  if (data.less(c, b)) {
    counter.exchanges++
    ;[b, c] = [c, b]
  }
  if (data.less(b, a)) {
    counter.exchanges++
    ;[a, b] = [b, a]
  }
  return b
}

function partition(
  data: Sortable,
  start: number,
  stop: number,
  pivot: number,
): { middle: number; wasPartitioned: boolean } {
  data.swap(start, pivot)
  let low = start + 1
  let high = stop - 1
  for (let exchanges = 0; ; exchanges++) {
    while (low <= high && data.less(low, start)) low++
    while (low <= high && !data.less(high, start)) high--
    if (low > high) {
      data.swap(high, start)
      return { middle: high, wasPartitioned: exchanges === 0 }
    }
    data.swap(low++, high--)
  }
}

/** For ranges in which nothing is smaller than the pivot: returns where the greater ones begin. */
function partitionEqual(data: Sortable, start: number, stop: number, pivot: number): number {
  data.swap(start, pivot)
  let low = start + 1
  let high = stop - 1
  for (;;) {
    while (low <= high && !data.less(start, low)) low++
    while (low <= high && data.less(start, high)) high--
    if (low > high) return low
    data.swap(low++, high--)
  }
}

/** Whether a range that looks sorted is so after a few repairs. */
function repair(data: Sortable, start: number, stop: number): boolean {
  let i = start + 1
  for (let repairs = 0; repairs < repairsMax; repairs++) {
    while (i < stop && !data.less(i, i - 1)) i++
    if (i === stop) return true
    if (stop - start < repairMin) return false
    data.swap(i, i - 1)
    if (i - start >= 2) sinkLeft(data, i - 1, 1)
    if (stop - i >= 2) {
      for (let j = i + 1; j < stop && data.less(j, j - 1); j++) data.swap(j, j - 1)
    }
  }
  return false
}

function reverse(data: Sortable, start: number, stop: number): void {
  for (let i = start, j = stop - 1; i < j; i++, j--) data.swap(i, j)
}

function shuffleThree(data: Sortable, start: number, stop: number): void {
  const length = stop - start
  const mask = 2n ** BigInt(bitLength(length)) - 1n
  const middle = start + (length >> 2) * 2
  let random = BigInt(length)
  for (let i = 0; i < 3; i++) {
    random ^= BigInt.asUintN(64, random << 13n)
    random ^= random >> 17n
    random ^= BigInt.asUintN(64, random << 5n)
    let other = Number(random & mask)
    if (other >= length) other -= length
    data.swap(middle - 1 + i, start + other)
  }
}

function bitLength(n: number): number {
  return n === 0 ? 0 : Math.floor(Math.log2(n)) + 1
}
