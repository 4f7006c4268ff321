// mode: the most frequent value of a window. InfluxDB sorts the points by value and goes through
// the runs of equal values. A run as long as the best so far replaces it unless its first point is
// later than the best run's last; runs of one do not, so that of unique values the smallest comes
// out. Which points are first and last in a run follows from its sort.

import type { FieldType, StringColumn } from '../../column/column.js'
import { keysOf } from './percentile.js'
import { NumberBuffer, TimeBuffer } from './point-buffer.js'
import type { Points, PointsBuilder, Reducer } from './points.js'
import { rowsByKey } from './row-order.js'
import { StringNumbers } from './string-numbers.js'
import { compareText } from './value-order.js'

export class NumberModeReducer implements Reducer {
  readonly #numbers: NumberBuffer
  readonly #times = new TimeBuffer()

  constructor(inputType: FieldType) {
    this.#numbers = new NumberBuffer(inputType)
  }

  add(points: Points, start: number, stop: number): void {
    this.#numbers.append(points.values, start, stop)
    this.#times.append(points.times, start, stop)
  }

  get heldBytes(): number {
    return this.#numbers.count * 16
  }

  finish(out: PointsBuilder): void {
    const { values } = this.#numbers
    if (values.length > 0) {
      const sorted = values.slice().sort()
      out.push(values[modeRow(keysOf(values, sorted), this.#times)], undefined)
    }
    this.#numbers.clear()
    this.#times.clear()
  }
}

export class StringModeReducer implements Reducer {
  readonly #times = new TimeBuffer()
  readonly #numbers = new NumberBuffer('float')
  #strings = new StringNumbers()

  add(points: Points, start: number, stop: number): void {
    const column = points.values as StringColumn
    const values = new Float64Array(stop - start)
    for (let i = 0; i < values.length; i++) values[i] = this.#strings.number(column, start + i)
    this.#numbers.append({ type: 'float', values, validity: undefined }, 0, values.length)
    this.#times.append(points.times, start, stop)
  }

  get heldBytes(): number {
    return this.#numbers.count * 16 + this.#strings.heldBytes
  }

  finish(out: PointsBuilder): void {
    const numbers = this.#numbers.values as Float64Array
    if (numbers.length > 0) {
      const { texts } = this.#strings
      const places = placesOf(texts)
      const keys = numbers.map((number) => places[number])
      out.push(texts[numbers[modeRow(keys, this.#times)]], undefined)
    }
    this.#strings = new StringNumbers()
    this.#numbers.clear()
    this.#times.clear()
  }
}

/** As many true as false: true. */
export class BooleanModeReducer implements Reducer {
  #count = 0
  #trueCount = 0

  add(points: Points, start: number, stop: number): void {
    const values = points.values.values as Uint8Array
    for (let row = start; row < stop; row++) this.#trueCount += values[row]
    this.#count += stop - start
  }

  finish(out: PointsBuilder): void {
    if (this.#count > 0) out.push(this.#trueCount * 2 >= this.#count, undefined)
    this.#count = 0
    this.#trueCount = 0
  }
}

/** Where each text stands among all of them, sorted. */
function placesOf(texts: readonly string[]): Float64Array {
  const sorted = texts.map((_, number) => number).sort((a, b) => compareText(texts[a], texts[b]))
  const places = new Float64Array(texts.length)
  for (let place = 0; place < sorted.length; place++) places[sorted[place]] = place
  return places
}

/** A row that has the mode. */
function modeRow(keys: Float64Array, times: TimeBuffer): number {
  const { length, value, isTied } = longestRun(keys.slice().sort())
  if (length > 1 && isTied) return tiedModeRow(keys, times)
  const row = keys.indexOf(value)
  return row === -1 ? 0 : row
}

function longestRun(sorted: Float64Array): { length: number; value: number; isTied: boolean } {
  let best = { length: 0, value: sorted[0], isTied: false }
  for (let start = 0; start < sorted.length; ) {
    let stop = start + 1
    while (stop < sorted.length && sorted[stop] === sorted[start]) stop++
    const length = stop - start
    if (length > best.length) best = { length, value: sorted[start], isTied: false }
    else if (length === best.length) best.isTied = true
    start = stop
  }
  return best
}

function tiedModeRow(keys: Float64Array, times: TimeBuffer): number {
  const rows = rowsByKey(keys, keys.length)
  let best = rows[0]
  let bestLength = 0
  let first = rows[0]
  let length = 0
  for (const row of rows) {
    if (keys[row] !== keys[first]) {
      first = row
      length = 1
      continue
    }
    length++
    if (bestLength > length || (bestLength === length && times.isLater(first, best))) continue
    bestLength = length
    best = row
  }
  return best
}
