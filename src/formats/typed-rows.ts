// Rows whose file says what its columns are, as points: a line of JSON that names the columns and their types, then a
// list of texts and nulls for each row. What a program makes of a Parquet file comes this way. Which texts are tags the
// file says, or it is guessed.

import { UserError } from '../errors.js'
import { decoded } from './csv/records.js'
import { guessColumns } from './points/guess.js'
import { columnOf, type FormatOptions, type PointColumn } from './points/point-column.js'
import { type Cell, type PointBatch, PointRows } from './points/point-rows.js'

/** The first line. */
export interface RowsHeader {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** What the file's writer says of it, where it is one of ours. */
  readonly measurement?: string
  readonly tags?: readonly string[]
}

const sampleRows = 1000

export async function* typedRows(
  chunks: AsyncIterable<Uint8Array>,
  options: FormatOptions,
  batchLength: number,
): AsyncGenerator<PointBatch> {
  let header: RowsHeader | undefined
  let rows: PointRows | undefined
  let sample: Cell[][] = []
  let row = 0
  for await (const lines of textLines(decoded(chunks))) {
    for (const line of lines) {
      if (header === undefined) {
        header = JSON.parse(line) as RowsHeader
        continue
      }
      const cells = cellsOf(line)
      row++
      if (rows === undefined) sample.push(cells)
      else rows.add(cells, row)
      if (sample.length >= sampleRows) {
        rows = begin(header, sample, options)
        sample = []
      }
      if (rows !== undefined && rows.length >= batchLength) yield rows.take()
    }
  }
  if (rows === undefined && header !== undefined && sample.length > 0) {
    rows = begin(header, sample, options)
  }
  if (rows?.isEmpty === false) yield rows.take()
}

function cellsOf(line: string): Cell[] {
  const cells = JSON.parse(line) as (string | null)[]
  return cells.map((cell) => cell ?? undefined)
}

function begin(header: RowsHeader, sample: readonly Cell[][], options: FormatOptions): PointRows {
  const columns = columnsOf(header, sample, options)
  options.onColumns?.(columns)
  const { measurement = header.measurement } = options
  const rows = new PointRows(columns, { ...options, measurement })
  sample.forEach((cells, i) => {
    rows.add(cells, i + 1)
  })
  return rows
}

function columnsOf(
  { columns, tags }: RowsHeader,
  sample: readonly Cell[][],
  options: FormatOptions,
): PointColumn[] {
  const sampled = columns.map(({ name, type }, at) => ({
    name,
    values: sample.map((cells) => cells[at]).filter((cell) => cell !== undefined),
    kind: type === 'dateTime' ? ('time' as const) : ('text' as const),
  }))
  const guesses = guessColumns(sampled, options)
  return columns.map(({ name, type }, at) => {
    const guess = guesses[at]
    if (guess.role === 'time' && type === 'dateTime') return { ...guess, format: 'ns' }
    if (guess.role !== 'field' && guess.role !== 'tag') return guess
    const isTold = Object.hasOwn(options.columns ?? {}, name)
    if (isTold && guess.type !== 'string') return guess
    if (tags !== undefined && !isTold && type === 'string') {
      return tags.includes(name) ? { name, role: 'tag' } : { name, role: 'field', type: 'string' }
    }
    if (type === 'dateTime') return { name, role: 'field', type: 'dateTime', format: 'ns' }
    return type === 'string' ? guess : (columnOf(name, type) ?? guess)
  })
}

async function* textLines(texts: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = ''
  for await (const text of texts) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  if (rest !== '') throw new UserError('invalid', 'the rows of the file broke off')
}
