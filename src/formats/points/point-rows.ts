// Rows of cells become lines of line protocol, in nanoseconds. A row that cannot is refused with its reason; the lines
// remember which row of the file each of them was.

import { escapeMeasurement, escapeName } from '../../column/series.js'
import { UserError } from '../../errors.js'
import { CellError, type Spell, spelling } from '../cells/field-values.js'
import { timeSpelling } from '../cells/times.js'
import type { FormatOptions, PointColumn } from './point-column.js'

export interface RefusedRow {
  /** Of the file, counted from 1. */
  readonly row: number
  readonly reason: string
}

export interface PointBatch {
  /** Line protocol. */
  readonly bytes: Uint8Array
  /** The row of the file that a line was, both counted from 1. */
  rowOf(line: number): number
  /** How many rows became points, and which did not. */
  readonly pointCount: number
  readonly refused: readonly RefusedRow[]
  /** The last row that it holds. */
  readonly lastRow: number
}

/** A cell; undefined: the row has none. */
export type Cell = string | undefined

type CellReader = (cells: readonly Cell[]) => Cell

interface Part {
  readonly column: PointColumn
  readonly read: CellReader
  readonly key: string
  readonly spell: Spell
}

export class PointRows {
  readonly #measurement: Part | undefined
  readonly #tags: readonly Part[]
  readonly #fields: readonly Part[]
  readonly #fieldName: Part | undefined
  readonly #fieldValue: Part | undefined
  readonly #time: Part | undefined
  readonly #fallback: string | undefined
  #lines: string[] = []
  #rows: number[] = []
  #refused: RefusedRow[] = []
  #length = 0
  #lastRow = 0

  /** Throws UserError where the columns make no points. */
  constructor(columns: readonly PointColumn[], options: FormatOptions) {
    const { measurement } = options
    const parts = columns.map((column, i) => partOf(column, i, columns, options))
    const of = (role: PointColumn['role']) => parts.filter(({ column }) => column.role === role)
    this.#measurement = of('measurement').at(0)
    // Sorted as series keys are, so that the parser finds the series by their bytes.
    this.#tags = of('tag').sort((a, b) => (a.column.name < b.column.name ? -1 : 1))
    this.#fields = of('field')
    this.#fieldName = of('field-name').at(0)
    this.#fieldValue = of('field-value').at(0)
    this.#time = of('time').at(0)
    this.#fallback = measurement === undefined ? undefined : escapeMeasurement(measurement)
    if (this.#measurement === undefined && this.#fallback === undefined) {
      throw new UserError('invalid', 'no column names the measurement: say which it is')
    }
    if (this.#fields.length === 0 && this.#fieldValue === undefined) {
      throw new UserError('invalid', 'no column is a field')
    }
  }

  /** Characters that wait. */
  get length(): number {
    return this.#length
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0 && this.#refused.length === 0
  }

  add(cells: readonly Cell[], row: number): void {
    this.#lastRow = row
    try {
      const line = this.#line(cells)
      this.#lines.push(line)
      this.#rows.push(row)
      this.#length += line.length
    } catch (error) {
      if (!(error instanceof CellError)) throw error
      this.refuse(row, error.message)
    }
  }

  refuse(row: number, reason: string): void {
    this.#lastRow = row
    this.#refused.push({ row, reason })
    this.#length += reason.length
  }

  /** What has been added since the last time. */
  take(): PointBatch {
    const rows = this.#lines.flatMap((line, i) => repeated(line, this.#rows[i]))
    const batch = {
      bytes: Buffer.from(this.#lines.join('')),
      rowOf: (line: number) => rows[line - 1] ?? 0,
      pointCount: this.#lines.length,
      refused: this.#refused,
      lastRow: this.#lastRow,
    }
    this.#lines = []
    this.#rows = []
    this.#refused = []
    this.#length = 0
    return batch
  }

  #line(cells: readonly Cell[]): string {
    let line = this.#name(cells)
    for (const { key, read } of this.#tags) {
      const value = read(cells)
      if (value !== undefined && value !== '') line += `,${key}=${escapeTagValue(value)}`
    }
    const fields = this.#fieldList(cells)
    if (fields === '') throw new CellError('the row has no value')
    const time = this.#time
    const text = time?.read(cells)
    if (time === undefined || text === undefined) return `${line} ${fields}\n`
    return `${line} ${fields} ${spelt(time, text)}\n`
  }

  #name(cells: readonly Cell[]): string {
    const name = this.#measurement?.read(cells)
    if (name?.startsWith('#')) throw new CellError('the name of a measurement begins with #')
    if (name !== undefined && name !== '') return escapeMeasurement(writable(name, 'a measurement'))
    if (this.#fallback !== undefined) return this.#fallback
    throw new CellError('the row names no measurement')
  }

  #fieldList(cells: readonly Cell[]): string {
    let list = ''
    for (const part of this.#fields) {
      const text = part.read(cells)
      if (text !== undefined) list += `${list === '' ? '' : ','}${part.key}=${spelt(part, text)}`
    }
    const [name, value] = [this.#fieldName?.read(cells), this.#fieldValue]
    const text = value?.read(cells)
    if (name === undefined || value === undefined || text === undefined) return list
    const key = escapeName(writable(name, 'a field'))
    return `${list}${list === '' ? '' : ','}${key}=${spelt(value, text)}`
  }
}

/** A text of several lines is one of several lines in line protocol too. */
function repeated(line: string, row: number): number[] {
  if (line.indexOf('\n') === line.length - 1) return [row]
  return new Array(line.split('\n').length - 1).fill(row)
}

/** A tag's value that ends in a backslash, or has a line end in it, cannot be written. */
function escapeTagValue(value: string): string {
  if (value.includes('\n')) throw new CellError('a tag has a line end in its value')
  if (value.endsWith('\\')) throw new CellError('a tag has a backslash at its end')
  return escapeName(value)
}

/** A name with a line end in it would make two lines of a row, one that ends in a backslash takes in what follows. */
function writable(name: string, what: string): string {
  if (name.includes('\n')) throw new CellError(`the name of ${what} has a line end in it`)
  if (name.endsWith('\\')) throw new CellError(`the name of ${what} has a backslash at its end`)
  return name
}

/** Of a column that becomes a tag or a field; the file makes no sense where it cannot be written. */
function columnKey(name: string): string {
  try {
    return escapeName(writable(name, `column ${JSON.stringify(name.slice(0, 100))}`))
  } catch (error) {
    throw new UserError('invalid', (error as CellError).message)
  }
}

function spelt({ column, spell }: Part, text: string): string {
  try {
    return spell(text)
  } catch (error) {
    if (!(error instanceof CellError)) throw error
    throw new CellError(`column "${column.name}": ${error.message}`)
  }
}

function partOf(
  column: PointColumn,
  at: number,
  columns: readonly PointColumn[],
  { precision, zone }: FormatOptions,
): Part {
  const { name, role, type = 'string', format } = column
  const isTime = role === 'time' || type === 'dateTime'
  const time = isTime ? timeSpelling({ format, precision, zone }) : undefined
  const spell = time ?? spelling(type, format)
  const isTimeField = time !== undefined && role !== 'time'
  return {
    column,
    read: readerOf(column, at, columns),
    key: role === 'tag' || role === 'field' ? columnKey(name) : '',
    spell: isTimeField ? (text) => `${time(text)}i` : spell,
  }
}

function readerOf(
  { constant, template, default: otherwise }: PointColumn,
  at: number,
  columns: readonly PointColumn[],
): CellReader {
  if (constant !== undefined) return () => constant
  if (template !== undefined) return templateReader(template, columns)
  return otherwise === undefined ? (cells) => cells[at] : (cells) => cells[at] ?? otherwise
}

function templateReader(template: string, columns: readonly PointColumn[]): CellReader {
  const pieces = template.split(/\$\{([^}]*)\}/).map((piece, i) => {
    if (i % 2 === 0) return () => piece
    const at = columns.findIndex(({ name }) => name === piece)
    if (at < 0) throw new UserError('invalid', `#concat: there is no column "${piece}"`)
    return (cells: readonly Cell[]) => cells[at] ?? columns[at].default ?? ''
  })
  return (cells) => pieces.map((piece) => piece(cells)).join('')
}
