// The two answers in JSON: InfluxQL's results of v1, chunk by chunk, and the rows of SQL, both line by line. Which
// columns a result has, rows in JSONL tell only as they come, since what is absent is left out.

import { ColumnBuilder, parseMoment, type Table } from './result.js'

interface V1Answer {
  readonly error?: string
  readonly results?: readonly {
    readonly error?: string
    readonly series?: readonly V1Series[]
  }[]
}

interface V1Series {
  readonly name?: string
  readonly tags?: Readonly<Record<string, string>>
  readonly columns: readonly string[]
  readonly values?: readonly (readonly unknown[])[]
  /** The next series goes on with this one. */
  readonly partial?: boolean
}

export class V1Results {
  rowCount = 0
  failure: string | undefined
  readonly #tables: GrowingTable[] = []
  #goesOn = false
  #rest = ''

  add(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
  }

  /** What came of a chunk that was cut off is left out. */
  finish(isCutOff: boolean): Table[] {
    if (!isCutOff) this.#line(this.#rest)
    this.#rest = ''
    return this.#tables.map((table) => table.finish())
  }

  #line(line: string): void {
    if (line.trim() === '') return
    const answer = JSON.parse(line) as V1Answer
    this.failure ??= answer.error
    for (const { series = [], error } of answer.results ?? []) {
      this.failure ??= error
      for (const one of series) this.#series(one)
    }
  }

  #series(series: V1Series): void {
    const { values = [], partial = false } = series
    if (!this.#goesOn) this.#tables.push(new GrowingTable(series))
    this.#tables[this.#tables.length - 1].add(values)
    this.#goesOn = partial
    this.rowCount += values.length
  }
}

class GrowingTable {
  readonly #name: string
  readonly #tags: Readonly<Record<string, string>>
  readonly #builders: readonly ColumnBuilder[]
  #rowCount = 0

  constructor({ name = '', tags = {}, columns }: V1Series) {
    this.#name = name
    this.#tags = tags
    this.#builders = columns.map((column) => new ColumnBuilder(column))
  }

  add(values: readonly (readonly unknown[])[]): void {
    const builders = this.#builders
    for (const row of values) {
      for (let i = 0; i < builders.length; i++) {
        addValue(builders[i], row[i], builders[i].name === 'time')
      }
    }
    this.#rowCount += values.length
  }

  finish(): Table {
    const columns = this.#builders.map((builder) => builder.finish())
    return { name: this.#name, tags: this.#tags, columns, rowCount: this.#rowCount }
  }
}

function addValue(builder: ColumnBuilder, value: unknown, isMoment: boolean): void {
  if (value === null || value === undefined) builder.padTo(builder.length + 1)
  else if (typeof value === 'number') builder.number(value)
  else if (typeof value === 'boolean') builder.boolean(value)
  else if (typeof value !== 'string') builder.text(JSON.stringify(value))
  else if (isMoment) builder.moment(value)
  else builder.text(value)
}

export class JsonLines {
  rowCount = 0
  readonly #builders = new Map<string, ColumnBuilder>()
  #rest = ''

  add(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
  }

  finish(): Table[] {
    this.#line(this.#rest)
    this.#rest = ''
    const builders = [...this.#builders.values()]
    for (const builder of builders) builder.padTo(this.rowCount)
    const columns = builders.map((builder) => builder.finish())
    return columns.length === 0 ? [] : [{ name: '', tags: {}, columns, rowCount: this.rowCount }]
  }

  #line(line: string): void {
    if (line === '') return
    const row = JSON.parse(line) as Record<string, unknown>
    for (const [name, value] of Object.entries(row)) {
      let builder = this.#builders.get(name)
      if (builder === undefined) {
        builder = new ColumnBuilder(name)
        this.#builders.set(name, builder)
      }
      builder.padTo(this.rowCount)
      addValue(builder, value, looksLikeMoment(builder, value))
    }
    this.rowCount++
  }
}

/** Moments come as text without a type; a column is one of moments as long as every value is. */
function looksLikeMoment({ kind }: ColumnBuilder, value: unknown): boolean {
  if (typeof value !== 'string') return false
  return kind === 'time' || (kind === undefined && parseMoment(value) !== undefined)
}
