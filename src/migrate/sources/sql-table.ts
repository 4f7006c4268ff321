// A table of 3.x as a measurement: which of its columns are tags and which are fields, how its rows are asked for, and
// what series they are of.

import type { FieldType } from '../../column/column.js'
import { parseMoment } from '../connection/moments.js'
import type { V1Series } from '../connection/v1-client.js'

type Row = Readonly<Record<string, unknown>>

const fieldTypes: Readonly<Record<string, FieldType>> = {
  Float64: 'float',
  Int64: 'integer',
  UInt64: 'unsigned',
  Boolean: 'boolean',
  Utf8: 'string',
}

export interface SqlField {
  readonly name: string
  readonly type: FieldType
}

export class SqlTable {
  readonly name: string
  readonly quoted: string
  readonly tags: readonly string[]
  readonly fields: readonly SqlField[]

  /** `columns`: names and Arrow's types. */
  constructor(name: string, columns: readonly (readonly [name: string, type: string])[]) {
    this.name = name
    this.quoted = quoted(name)
    this.tags = columns.flatMap(([tag, type]) => (type.startsWith('Dictionary(') ? [tag] : []))
    this.fields = columns.flatMap(([field, type]) => {
      const found = fieldTypes[type]
      return found === undefined ? [] : [{ name: field, type: found }]
    })
  }

  /** The time, then all tags, then all fields. */
  get select(): string {
    return this.#select(({ name }) => quoted(name))
  }

  /** The same with integers as texts. */
  get selectTexts(): string {
    return this.#select(({ name, type }) => {
      const isInteger = type === 'integer' || type === 'unsigned'
      return isInteger ? `CAST(${quoted(name)} AS VARCHAR)` : quoted(name)
    })
  }

  /** How many values there are, as `count`. */
  get selectCount(): string {
    const counts = this.fields.map(({ name }) => `count(${quoted(name)})`)
    return `SELECT ${counts.join(' + ')} AS count FROM ${this.quoted}`
  }

  /** Columns have numbers in the answer: no name can be taken for another. */
  #select(expression: (field: SqlField) => string): string {
    const tags = this.tags.map((tag, i) => `${quoted(tag)} AS t${i}`)
    const fields = this.fields.map((field, i) => `${expression(field)} AS f${i}`)
    return `SELECT ${['time', ...tags, ...fields].join(', ')} FROM ${this.quoted}`
  }

  /** Rows of `selectTexts`, in any order, by their series. */
  seriesOf(rows: readonly Row[]): V1Series[] {
    const series = new Map<string, { tags: Record<string, string>; values: unknown[][] }>()
    for (const row of rows) {
      const values = this.tags.map((_, i) => row[`t${i}`] ?? '')
      const key = JSON.stringify(values)
      let found = series.get(key)
      if (found === undefined) {
        const present = this.tags.map((tag, i) => [tag, String(values[i])] as const)
        found = {
          tags: Object.fromEntries(present.filter(([, value]) => value !== '')),
          values: [],
        }
        series.set(key, found)
      }
      const time = parseMoment(String(row.time))
      found.values.push([time, ...this.fields.map(({ type }, i) => cellValue(type, row[`f${i}`]))])
    }
    return Array.from(series.values(), ({ tags, values }) => {
      values.sort((a, b) => ((a[0] as bigint) < (b[0] as bigint) ? -1 : 1))
      return { name: this.name, tags, columns: [], values }
    })
  }
}

function cellValue(type: FieldType, value: unknown): unknown {
  if (value === undefined || value === null) return null
  return type === 'integer' || type === 'unsigned' ? BigInt(value as string) : value
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** All tables of a database that points were written to. */
export async function tableColumns(
  query: (text: string) => AsyncIterable<Row>,
): Promise<SqlTable[]> {
  const columns = new Map<string, [string, string][]>()
  const text =
    'SELECT table_name, column_name, data_type FROM information_schema.columns ' +
    `WHERE table_schema = 'iox'`
  for await (const { table_name, column_name, data_type } of query(text)) {
    const table = columns.get(String(table_name)) ?? []
    columns.set(String(table_name), table)
    table.push([String(column_name), String(data_type)])
  }
  return Array.from(columns, ([name, list]) => new SqlTable(name, list))
}
