// The store as one would write it in an hour: maps of maps, every answer by brute force. Random
// histories run against it and against the engine; where the two differ, this one is easy to check
// by eye.

import type { FieldType, Value } from '../../src/column/column.js'
import type { Comparison, Predicate, TagPredicate } from '../../src/column/predicate.js'
import { type Series, seriesKey } from '../../src/column/series.js'
import { floorDiv, type TimeRange } from '../../src/column/time.js'
import type { AggregateFunction, DeleteRequest, ReadRequest } from '../../src/store/store.js'
import { printRow, type ReadRow, type ReadValue } from './read-rows.js'

export interface Point {
  readonly series: Series
  readonly time: bigint
  readonly fields: ReadonlyMap<string, Value>
}

interface ModelSeries {
  readonly series: Series
  readonly rows: Map<bigint, Map<string, Value>>
}

export class ReferenceModel {
  readonly #types: ReadonlyMap<string, FieldType>
  readonly #series = new Map<string, ModelSeries>()
  /** Fields ever written, by measurement: those exist, others are left out of answers. */
  readonly #known = new Set<string>()

  constructor(types: ReadonlyMap<string, FieldType>) {
    this.#types = types
  }

  write(points: readonly Point[]): void {
    for (const { series, time, fields } of points) {
      const key = seriesKey(series)
      let entry = this.#series.get(key)
      if (entry === undefined) {
        entry = { series, rows: new Map() }
        this.#series.set(key, entry)
      }
      const row = entry.rows.get(time) ?? new Map<string, Value>()
      entry.rows.set(time, row)
      for (const [name, value] of fields) {
        row.set(name, value)
        this.#known.add(`${series.measurement} ${name}`)
      }
    }
  }

  delete({ range, measurement, predicate }: DeleteRequest): void {
    for (const { series, rows } of this.#series.values()) {
      if (measurement !== undefined && series.measurement !== measurement) continue
      if (predicate !== undefined && !matches(predicate, series, new Map())) continue
      for (const time of [...rows.keys()]) if (holds(range, time)) rows.delete(time)
    }
  }

  /** The answer to a read, as lines. */
  read(request: ReadRequest): string[] {
    const found = [...this.#series.entries()]
      .filter(([, { series }]) => series.measurement === request.measurement)
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    return found.flatMap(([key, entry]) => {
      const rows =
        request.window === undefined
          ? this.#rows(key, entry, request)
          : this.#windows(key, entry, request)
      if (request.descending === true) rows.reverse()
      return rows.slice(0, request.limitPerSeries ?? rows.length).map(printRow)
    })
  }

  #isKnown(measurement: string, field: string): boolean {
    return this.#known.has(`${measurement} ${field}`)
  }

  /** Times of the rows that count, ascending. */
  #times({ series, rows }: ModelSeries, { range, predicate }: ReadRequest): bigint[] {
    return [...rows.keys()]
      .filter((time) => holds(range, time))
      .filter((time) => predicate === undefined || matches(predicate, series, rows.get(time)!))
      .sort((a, b) => (a < b ? -1 : 1))
  }

  #rows(key: string, entry: ModelSeries, request: ReadRequest): ReadRow[] {
    const names = [...new Set(request.fields ?? [...this.#types.keys()].sort())]
    return this.#times(entry, request)
      .map((time) => ({ key, time, values: this.#values(entry.rows.get(time)!, names) }))
      .filter(({ values }) => values.length > 0 || request.everyRow === true)
  }

  #values(row: ReadonlyMap<string, Value>, names: readonly string[]): ReadValue[] {
    return names
      .filter((name) => row.has(name))
      .map((name) => ({ name, type: this.#types.get(name)!, value: row.get(name)! }))
  }

  #windows(key: string, entry: ModelSeries, request: ReadRequest): ReadRow[] {
    const { everyNs, offsetNs = 0n, aggregates, pointTimes } = request.window!
    const groups = new Map<bigint, bigint[]>()
    for (const time of this.#times(entry, request)) {
      const window =
        everyNs === undefined
          ? request.range.start
          : floorDiv(time - offsetNs, everyNs) * everyNs + offsetNs
      groups.set(window, [...(groups.get(window) ?? []), time])
    }
    const rows: ReadRow[] = []
    for (const [window, times] of groups) {
      const values = aggregates
        .filter(({ field }) => this.#isKnown(request.measurement, field))
        .flatMap(({ field, function: fn }) => {
          const points = times
            .map((time) => ({ time, value: entry.rows.get(time)!.get(field) }))
            .filter((point): point is ChosenPoint => point.value !== undefined)
          return points.length === 0 ? [] : [aggregate(fn, field, this.#types.get(field)!, points)]
        })
      const time = window < request.range.start ? request.range.start : window
      if (values.length > 0) rows.push({ key, time, values: values.map(strip(pointTimes)) })
    }
    return rows
  }
}

function strip(pointTimes: boolean | undefined): (value: ReadValue) => ReadValue {
  if (pointTimes === true) return (value) => value
  return ({ name, type, value }) => ({ name, type, value })
}

interface ChosenPoint {
  readonly time: bigint
  readonly value: Value
}

function aggregate(
  fn: AggregateFunction,
  field: string,
  type: FieldType,
  points: readonly ChosenPoint[],
): ReadValue {
  const name = `${fn}(${field})`
  const chosen = (point: ChosenPoint) => ({
    name,
    type,
    value: point.value,
    pointTime: point.time,
  })
  switch (fn) {
    case 'count':
      return { name, type: 'integer', value: BigInt(points.length) }
    case 'first':
      return chosen(points[0])
    case 'last':
      return chosen(points[points.length - 1])
    case 'min':
      return chosen(points.reduce((best, p) => (p.value < best.value ? p : best)))
    case 'max':
      return chosen(points.reduce((best, p) => (p.value > best.value ? p : best)))
    case 'sum':
      return { name, type, value: sum(type, points) }
    case 'mean':
      return { name, type: 'float', value: mean(type, points) }
  }
}

function exactSum(points: readonly ChosenPoint[]): bigint {
  return points.reduce((sum, { value }) => sum + (value as bigint), 0n)
}

function floatSum(points: readonly ChosenPoint[]): number {
  return points.reduce((sum, { value }) => sum + (value as number), 0)
}

function sum(type: FieldType, points: readonly ChosenPoint[]): Value {
  if (type === 'float') return floatSum(points)
  return type === 'integer'
    ? BigInt.asIntN(64, exactSum(points))
    : BigInt.asUintN(64, exactSum(points))
}

function mean(type: FieldType, points: readonly ChosenPoint[]): number {
  const total = type === 'float' ? floatSum(points) : Number(exactSum(points))
  return total / points.length
}

function holds(range: TimeRange, time: bigint): boolean {
  return range.start <= time && time < range.stop
}

export function matches(
  predicate: Predicate | TagPredicate,
  series: Series,
  row: ReadonlyMap<string, Value>,
): boolean {
  switch (predicate.kind) {
    case 'tag': {
      const equal = tagOf(series, predicate.tag) === predicate.value
      return equal === (predicate.op === '=')
    }
    case 'tag-regex':
      return new RegExp(predicate.pattern).test(tagOf(series, predicate.tag)) !== predicate.negated
    case 'field':
      return compare(predicate.op, row.get(predicate.field), predicate.value)
    case 'field-regex': {
      const value = row.get(predicate.field)
      if (typeof value !== 'string') return false
      return new RegExp(predicate.pattern).test(value) !== predicate.negated
    }
    case 'not':
      return !matches(predicate.part, series, row)
    case 'and':
      return predicate.parts.every((part) => matches(part, series, row))
    case 'or':
      return predicate.parts.some((part) => matches(part, series, row))
  }
}

function tagOf(series: Series, tag: string): string {
  return series.tags.find(({ key }) => key === tag)?.value ?? ''
}

function compare(op: Comparison, found: Value | undefined, value: Value): boolean {
  if (found === undefined || family(found) !== family(value)) return false
  const order = found < value ? -1 : found > value ? 1 : 0
  switch (op) {
    case '=':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

function family(value: Value): string {
  return typeof value === 'bigint' ? 'number' : typeof value
}
