// From an answer to the lines of a chart: which columns are time and values, and what each line is called. Flux and
// InfluxQL tell a series by its table; rows of SQL are taken apart by their texts.

import { type Column, cellText, type Table } from './result.js'

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
  /** Where only some of its points are here, and NaN between them. */
  readonly whole?: SeriesFacts
}

/** What is said of a series: of all its points, not only of those that are drawn. */
export interface SeriesFacts {
  readonly count: number
  readonly sum: number
  readonly highest: number
  readonly highestAt: number
  readonly last: number | undefined
}

/** More lines than anybody can tell apart. */
export const seriesMax = 200

export interface SeriesList {
  readonly series: readonly Series[]
  readonly total: number
}

const hiddenTags = new Set(['_start', '_stop', '_measurement', '_field', 'result', 'table'])

export function seriesOf(tables: readonly Table[]): SeriesList {
  const found: Series[] = []
  for (const table of tables) found.push(...tableSeries(table))
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
  const groups = rowsByTexts(table.rowCount, texts)
  return groups.flatMap((rows) => {
    const own = texts.map((column) => [column.name, cellText(column, rows[0])] as const)
    const pick = (column: Column) => picked(column.values, rows)
    return numbers.map((column) => ({
      label: '',
      tags: { ...tags, ...Object.fromEntries(own) },
      field: column.name,
      origin: table.name,
      ...sorted(compact(pick(time), pick(column))),
    }))
  })
}

function picked(values: Float64Array, rows: Uint32Array): Float64Array {
  const some = new Float64Array(rows.length)
  for (let i = 0; i < rows.length; i++) some[i] = values[rows[i]]
  return some
}

/** In the order of their first rows. Codes of texts become one number, column by column: no text is made of a row. */
function rowsByTexts(rowCount: number, texts: readonly Column[]): Uint32Array[] {
  let groups = new Float64Array(rowCount)
  let counts: number[] = [rowCount]
  for (const { values, dictionary = [] } of texts) {
    const numbers = new Map<number, number>()
    const next = new Float64Array(rowCount)
    counts = []
    for (let row = 0; row < rowCount; row++) {
      // What is not there has no code.
      const code = Number.isNaN(values[row]) ? 0 : values[row] + 1
      const key = groups[row] * (dictionary.length + 1) + code
      let number = numbers.get(key)
      if (number === undefined) {
        number = counts.length
        numbers.set(key, number)
        counts.push(0)
      }
      next[row] = number
      counts[number]++
    }
    groups = next
  }
  const rows = counts.map((count) => new Uint32Array(count))
  const ends = counts.map(() => 0)
  for (let row = 0; row < rowCount; row++) {
    const group = groups[row]
    rows[group][ends[group]++] = row
  }
  return rows
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
