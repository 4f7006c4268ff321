// What is counted of points on their way, and again where they went: per measurement, field and day how many values
// there are, the sum of integers (modulo 2^64, as servers answer it), and per field between which moments they lie.

import { type Column, isWide } from '../../column/column.js'
import { floorDiv, nsPerDay } from '../../column/time.js'
import type { WriteBatch, WriteTable } from '../../column/write-batch.js'

export interface DayFigures {
  count: number
  /** Of integers; 0n for all others. */
  sum: bigint
}

export interface FieldFigures {
  /** Of the first and the last value. */
  first: bigint
  last: bigint
  /** False where the days with the first values were left out. */
  isFirstKnown: boolean
  /** Whether sums mean something. */
  readonly isInteger: boolean
  /** By day since 1970. */
  readonly days: Map<number, DayFigures>
}

const nsPerDayNumber = Number(nsPerDay)

/** Sums of safe integers are added as float64 up to here. */
const partMax = 2 ** 52

export class DayStatistics {
  /** By measurement and field. */
  readonly measurements = new Map<string, Map<string, FieldFigures>>()
  points = 0

  /** How many values the points have. */
  add(batch: WriteBatch): number {
    this.points += batch.pointCount
    let values = 0
    for (const table of batch.tables) values += this.#addTable(table)
    return values
  }

  #addTable(table: WriteTable): number {
    let values = 0
    const { base, offsets } = table.times
    const baseDay = floorDiv(base, nsPerDay)
    const inDay = Number(base - baseDay * nsPerDay)
    const dayOf = (row: number) => Math.floor((offsets[row] + inDay) / nsPerDayNumber)
    for (let start = 0; start < table.rowCount; ) {
      const day = dayOf(start)
      let stop = start + 1
      while (stop < table.rowCount && dayOf(stop) === day) stop++
      for (const { name, column } of table.fields) {
        const figures = this.field(table.measurement, name, isIntegerColumn(column))
        values += addRun(figures, Number(baseDay) + day, table, column, start, stop)
      }
      start = stop
    }
    return values
  }

  field(measurement: string, name: string, isInteger: boolean): FieldFigures {
    let fields = this.measurements.get(measurement)
    if (fields === undefined) {
      fields = new Map()
      this.measurements.set(measurement, fields)
    }
    let figures = fields.get(name)
    if (figures === undefined) {
      figures = {
        first: 2n ** 63n,
        last: -(2n ** 63n),
        isFirstKnown: true,
        isInteger,
        days: new Map(),
      }
      fields.set(name, figures)
    }
    return figures
  }

  merge(other: DayStatistics): void {
    this.points += other.points
    for (const [measurement, fields] of other.measurements) {
      for (const [name, from] of fields) {
        const into = this.field(measurement, name, from.isInteger)
        for (const [day, { count, sum }] of from.days) addDay(into, day, count, sum)
        widen(into, from.first, from.last)
      }
    }
  }

  /** For a journal. */
  toJSON(): unknown {
    const measurements = Array.from(this.measurements, ([measurement, fields]) => [
      measurement,
      Array.from(fields, ([name, { first, last, isInteger, days }]) => [
        name,
        String(first),
        String(last),
        isInteger ? 1 : 0,
        Array.from(days, ([day, { count, sum }]) => [day, count, String(sum)]),
      ]),
    ])
    return { points: this.points, measurements }
  }

  /** What `toJSON` gave. */
  static from(json: unknown): DayStatistics {
    const { points, measurements } = json as { points: number; measurements: JsonMeasurement[] }
    const statistics = new DayStatistics()
    statistics.points = points
    for (const [measurement, fields] of measurements) {
      for (const [name, first, last, isInteger, days] of fields) {
        const figures = statistics.field(measurement, name, isInteger === 1)
        widen(figures, BigInt(first), BigInt(last))
        for (const [day, count, sum] of days) addDay(figures, day, count, BigInt(sum))
      }
    }
    return statistics
  }
}

type JsonMeasurement = [string, [string, string, string, number, [number, number, string][]][]]

export function addDay(figures: FieldFigures, day: number, count: number, sum: bigint): void {
  const known = figures.days.get(day)
  if (known === undefined) figures.days.set(day, { count, sum: BigInt.asIntN(64, sum) })
  else {
    known.count += count
    known.sum = BigInt.asIntN(64, known.sum + sum)
  }
}

export function widen(figures: FieldFigures, first: bigint, last: bigint): void {
  if (first < figures.first) figures.first = first
  if (last > figures.last) figures.last = last
}

function isIntegerColumn({ type }: Column): boolean {
  return type === 'integer' || type === 'unsigned'
}

/** Rows of one day, of any series. How many of them have a value. */
function addRun(
  figures: FieldFigures,
  day: number,
  { times }: WriteTable,
  column: Column,
  start: number,
  stop: number,
): number {
  const { validity } = column
  const { offsets } = times
  let count = 0
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (let row = start; row < stop; row++) {
    if (validity !== undefined && validity[row] === 0) continue
    const offset = offsets[row]
    if (offset < first) first = offset
    if (offset > last) last = offset
    count++
  }
  if (count === 0) return 0
  const sum = figures.isInteger ? sumOf(column, start, stop) : 0n
  addDay(figures, day, count, sum)
  widen(figures, times.base + BigInt(first), times.base + BigInt(last))
  return count
}

function sumOf(column: Column, start: number, stop: number): bigint {
  const { validity } = column
  let sum = 0n
  let part = 0
  for (let row = start; row < stop; row++) {
    if (validity !== undefined && validity[row] === 0) continue
    if (isWide(column)) sum += column.values[row]
    else {
      const value = (column.values as Float64Array)[row]
      if (Math.abs(value) > partMax || Math.abs(part) > partMax) {
        sum += BigInt(part) + BigInt(value)
        part = 0
      } else part += value
    }
  }
  return sum + BigInt(part)
}
