// The builder's model as a text in each of the three languages: the same question, the same answer. Names and values
// are always quoted by the rules of their language.

import type { Language } from './language.js'
import { type Aggregate, isComplete, type Model } from './model.js'

export function printModel(model: Model, language: Language): string {
  if (!isComplete(model)) return starter(model.bucket, language)
  switch (language) {
    case 'influxql':
      return printInfluxql(model)
    case 'flux':
      return printFlux(model)
    case 'sql':
      return printSql(model)
  }
}

/** What stands in an editor before anything was chosen. */
export function starter(bucket: string, language: Language): string {
  switch (language) {
    case 'influxql':
      return 'SHOW MEASUREMENTS'
    case 'flux':
      return `import "influxdata/influxdb/schema"\n\nschema.measurements(bucket: ${fluxText(bucket)})`
    case 'sql':
      return 'SHOW TABLES'
  }
}

export function influxqlName(name: string): string {
  return `"${name.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
}

export function influxqlText(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`
}

function printInfluxql({ measurement, fields, filters, aggregate, groups }: Model): string {
  const chosen = fields.map((field) =>
    aggregate === 'none'
      ? influxqlName(field)
      : `${aggregate}(${influxqlName(field)}) AS ${influxqlName(field)}`,
  )
  const conditions = filters.map(({ tag, values }) => {
    const parts = values.map((value) => `${influxqlName(tag)} = ${influxqlText(value)}`)
    return parts.length === 1 ? parts[0] : `(${parts.join(' OR ')})`
  })
  const where = ['$timeFilter', ...conditions].join(' AND ')
  const tags = groups.map(influxqlName)
  const by = aggregate === 'none' ? tags : ['time($window)', ...tags]
  const lines = [
    `SELECT ${chosen.join(', ')}`,
    `FROM ${influxqlName(measurement)}`,
    `WHERE ${where}`,
  ]
  if (by.length > 0)
    lines.push(`GROUP BY ${by.join(', ')}${aggregate === 'none' ? '' : ' fill(none)'}`)
  return lines.join('\n')
}

export function fluxText(value: string): string {
  return JSON.stringify(value).replaceAll('${', '\\${')
}

function printFlux({ bucket, measurement, fields, filters, aggregate, groups }: Model): string {
  const any = (column: string, values: readonly string[]) =>
    values.map((value) => `r[${fluxText(column)}] == ${fluxText(value)}`).join(' or ')
  const lines = [
    `from(bucket: ${fluxText(bucket)})`,
    '  |> range(start: v.timeRangeStart, stop: v.timeRangeStop)',
    `  |> filter(fn: (r) => r._measurement == ${fluxText(measurement)})`,
    `  |> filter(fn: (r) => ${fields.map((field) => `r._field == ${fluxText(field)}`).join(' or ')})`,
    ...filters.map(({ tag, values }) => `  |> filter(fn: (r) => ${any(tag, values)})`),
    `  |> group(columns: [${['_measurement', '_field', ...groups].map(fluxText).join(', ')}])`,
  ]
  if (aggregate === 'none') lines.push('  |> sort(columns: ["_time"])')
  else {
    // Selectors take the first and last of a table as it stands: series that were brought together are sorted first.
    if (aggregate === 'first' || aggregate === 'last') lines.push('  |> sort(columns: ["_time"])')
    lines.push(
      `  |> aggregateWindow(every: v.windowPeriod, fn: ${aggregate}, createEmpty: false, timeSrc: "_start")`,
    )
  }
  return lines.join('\n')
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function sqlText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

const sqlFunctions: Readonly<Record<Exclude<Aggregate, 'none'>, (column: string) => string>> = {
  mean: (column) => `avg(${column})`,
  max: (column) => `max(${column})`,
  min: (column) => `min(${column})`,
  sum: (column) => `sum(${column})`,
  count: (column) => `count(${column})`,
  first: (column) => `selector_first(${column}, time)['value']`,
  last: (column) => `selector_last(${column}, time)['value']`,
}

function printSql({ measurement, fields, filters, aggregate, groups }: Model): string {
  const conditions = filters.map(({ tag, values }) =>
    values.length === 1
      ? `${sqlName(tag)} = ${sqlText(values[0])}`
      : `${sqlName(tag)} IN (${values.map(sqlText).join(', ')})`,
  )
  const where = ['time >= $from', 'time < $to', ...conditions].join(' AND ')
  const tags = groups.map(sqlName)
  if (aggregate === 'none') {
    const columns = ['time', ...tags, ...fields.map(sqlName)].join(', ')
    return `SELECT ${columns}\nFROM ${sqlName(measurement)}\nWHERE ${where}\nORDER BY time`
  }
  const chosen = fields.map(
    (field) => `${sqlFunctions[aggregate](sqlName(field))} AS ${sqlName(field)}`,
  )
  const columns = ['date_bin($window, time) AS time', ...tags, ...chosen].join(', ')
  const by = ['1', ...tags].join(', ')
  return [
    `SELECT ${columns}`,
    `FROM ${sqlName(measurement)}`,
    `WHERE ${where}`,
    `GROUP BY ${by}`,
    'ORDER BY 1',
  ].join('\n')
}
