// From an answer to the lines of a chart: which columns are time and values, and what each line is called. Flux and
// InfluxQL tell a series by its table; rows of SQL are taken apart by their texts.

import { type Column, cellText, type Result, type Table } from './result.js'

export interface Series {
  readonly label: string
  /** What tells it from the others, for tooltips and stats. */
  readonly tags: Readonly<Record<string, string>>
  readonly field: string
  /** The name of its table: a measurement, or what Flux yields it as. */
  readonly origin: string
  /** Milliseconds, ascending. */
  readonly times: Float64Array
  readonly values: Float64Array
}

/** More lines than anybody can tell apart. */
export const seriesMax = 200

export interface SeriesList {
  readonly series: readonly Series[]
  readonly total: number
}

const hiddenTags = new Set(['_start', '_stop', '_measurement', '_field', 'result', 'table'])

export function seriesOf(result: Result): SeriesList {
  const found: Series[] = []
  for (const table of result.tables) found.push(...tableSeries(table))
  const total = found.length
  return { series: named(found.slice(0, seriesMax)), total }
}

function tableSeries(table: Table): Series[] {
  const time = timeColumn(table)
  if (time === undefined) return []
  const numbers = table.columns.filter((column) => column.kind === 'number' && column !== time)
  if (numbers.length === 0) return []
  const tags = visibleTags(table.tags)
  const texts = table.columns.filter(
    ({ name, kind }) => kind === 'text' && !(name in table.tags) && !hiddenTags.has(name),
  )
  const isFlux = table.columns.some(({ name }) => name === '_value')
  const fieldName = (column: Column) => (isFlux ? (table.tags._field ?? column.name) : column.name)
  if (texts.length === 0 || isFlux) {
    return numbers.map((column) => ({
      label: '',
      tags,
      field: fieldName(column),
      origin: table.name,
      ...sorted(compact(time.values, column.values)),
    }))
  }
  return groupedSeries(table, time, numbers, texts, tags)
}

/** Rows with equal texts are one series. */
function groupedSeries(
  table: Table,
  time: Column,
  numbers: readonly Column[],
  texts: readonly Column[],
  tags: Readonly<Record<string, string>>,
): Series[] {
  const groups = new Map<string, number[]>()
  for (let row = 0; row < table.rowCount; row++) {
    const key = texts.map((column) => column.values[row]).join(',')
    const rows = groups.get(key)
    if (rows === undefined) groups.set(key, [row])
    else rows.push(row)
  }
  return [...groups.values()].flatMap((rows) => {
    const own = texts.map((column) => [column.name, cellText(column, rows[0])] as const)
    const pick = (column: Column) => Float64Array.from(rows, (row) => column.values[row])
    return numbers.map((column) => ({
      label: '',
      tags: { ...tags, ...Object.fromEntries(own) },
      field: column.name,
      origin: table.name,
      ...sorted(compact(pick(time), pick(column))),
    }))
  })
}

function timeColumn({ columns }: Table): Column | undefined {
  const times = columns.filter(({ kind }) => kind === 'time')
  return (
    times.find(({ name }) => name === '_time' || name === 'time') ??
    times.find(({ name }) => !hiddenTags.has(name))
  )
}

function visibleTags(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tags).filter(([name, value]) => !hiddenTags.has(name) && value !== ''),
  )
}

/** Without the rows that have no value. */
function compact(times: Float64Array, values: Float64Array) {
  let count = 0
  for (const value of values) if (!Number.isNaN(value)) count++
  if (count === values.length) return { times, values }
  const [keptTimes, keptValues] = [new Float64Array(count), new Float64Array(count)]
  let at = 0
  for (let row = 0; row < values.length; row++) {
    if (Number.isNaN(values[row])) continue
    keptTimes[at] = times[row]
    keptValues[at++] = values[row]
  }
  return { times: keptTimes, values: keptValues }
}

function sorted({ times, values }: { times: Float64Array; values: Float64Array }) {
  let isSorted = true
  for (let i = 1; i < times.length && isSorted; i++) isSorted = times[i] >= times[i - 1]
  if (isSorted) return { times, values }
  const order = Uint32Array.from(times, (_, i) => i).sort((a, b) => times[a] - times[b])
  return {
    times: Float64Array.from(order, (i) => times[i]),
    values: Float64Array.from(order, (i) => values[i]),
  }
}

/** By what differs between them: the field alone where there is nothing else. */
function named(list: readonly Series[]): Series[] {
  const fields = new Set(list.map(({ field }) => field))
  const origins = new Set(list.map(({ origin }) => origin))
  const keys = new Set(list.flatMap(({ tags }) => Object.keys(tags)))
  const differing = [...keys].filter((key) => new Set(list.map(({ tags }) => tags[key])).size > 1)
  return list.map((series) => {
    const parts = differing.map((key) => series.tags[key] ?? '–')
    const isTold = origins.size > 1 && series.origin !== ''
    // A column that has no better name than Flux's own says less than what it is yielded as.
    const isNameless = isTold && series.field === '_value'
    if ((fields.size > 1 || parts.length === 0) && !isNameless) parts.unshift(series.field)
    if (isTold) parts.unshift(series.origin)
    return { ...series, label: parts.join(' · ') }
  })
}
