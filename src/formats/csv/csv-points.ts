// CSV as points: annotated in either way, or plain with a header, whose types are guessed from the first rows. A file
// may have several tables, each with annotations and a header of its own.

import { completed, guessColumns, type SampledColumn } from '../points/guess.js'
import type { FormatOptions, PointColumn } from '../points/point-column.js'
import { type Cell, type PointBatch, PointRows } from '../points/point-rows.js'
import { Annotations, type CsvHeader } from './annotations.js'
import { type CsvRecord, csvRecords, decoded } from './records.js'

/** Rows that types are guessed from. */
const sampleRows = 1000
/** In characters, a few for each cell: rows may be megabytes long. */
const sampleLength = 4_000_000
const cellLength = 8

export async function* csvPoints(
  chunks: AsyncIterable<Uint8Array>,
  options: FormatOptions,
  batchLength: number,
): AsyncGenerator<PointBatch> {
  const tables = new CsvTables(options)
  for await (const records of csvRecords(decoded(chunks, options.encoding), options)) {
    for (const record of records) {
      const before = tables.take(record)
      if (before !== undefined) yield before
      if ((tables.rows?.length ?? 0) >= batchLength) yield tables.rows!.take()
    }
  }
  const last = tables.end()
  if (last !== undefined) yield last
}

class CsvTables {
  readonly #options: FormatOptions
  #annotations: Annotations | undefined
  #header: CsvHeader | undefined
  /** Rows that wait until there are enough to guess from. */
  #sample: CsvRecord[] = []
  #sampleLength = 0
  rows: PointRows | undefined

  constructor(options: FormatOptions) {
    this.#options = options
  }

  /** What was there of the table before, where the record begins another one. */
  take(record: CsvRecord): PointBatch | undefined {
    if (record.isBlank) return undefined
    let before: PointBatch | undefined
    if (record.cells[0]?.startsWith('#')) {
      const annotations = this.#annotations ?? new Annotations()
      if (annotations.take(record.cells)) {
        if (this.#header !== undefined) before = this.end()
        this.#header = undefined
        this.#annotations = annotations
        return before
      }
      // Above the header it is a comment; below it may be a name.
      if (this.#header === undefined) return undefined
    }
    if (this.#header === undefined) {
      this.#header = (this.#annotations ?? new Annotations()).header(record.cells, this.#options)
      this.#annotations = undefined
      this.rows = undefined
    } else if (this.rows !== undefined) this.rows.add(record.cells, record.line)
    else this.#addToSample(record)
    return undefined
  }

  end(): PointBatch | undefined {
    if (this.rows === undefined && this.#sample.length > 0) this.#begin()
    const batch = this.rows?.isEmpty === false ? this.rows.take() : undefined
    this.rows = undefined
    return batch
  }

  #addToSample(record: CsvRecord): void {
    this.#sample.push(record)
    for (const cell of record.cells) this.#sampleLength += cellLength + (cell?.length ?? 0)
    const isEnough = this.#sample.length >= sampleRows || this.#sampleLength >= sampleLength
    const isKnown = this.#header?.columns.every(isTyped) ?? false
    if (isKnown || isEnough) this.#begin()
  }

  #begin(): void {
    const header = this.#header!
    const columns = withGuesses(header, this.#sample, this.#options)
    this.#options.onColumns?.(columns)
    const zone = header.zone ?? this.#options.zone
    const rows = new PointRows(columns, { ...this.#options, zone })
    for (const { cells, line } of this.#sample) rows.add(cells, line)
    this.#sample = []
    this.#sampleLength = 0
    this.rows = rows
  }
}

function isTyped(column: PointColumn | undefined): boolean {
  if (column === undefined) return false
  const isField = column.role === 'field' || column.role === 'field-value'
  return !isField || column.type !== undefined
}

/** With what the first rows tell where nobody else does. */
function withGuesses(
  { columns, names }: CsvHeader,
  sample: readonly CsvRecord[],
  options: FormatOptions,
): PointColumn[] {
  const sampled = (at: number): SampledColumn => ({
    name: names[at] ?? '',
    values: sample.map(({ cells }) => cells[at]).filter((cell: Cell) => cell !== undefined),
  })
  const unknown = columns.flatMap((column, at) => (column === undefined ? [at] : []))
  const hasTime = columns.some((column) => column?.role === 'time')
  const guesses = guessColumns(unknown.map(sampled), options, hasTime)
  return columns.map((column, at) =>
    column === undefined ? guesses[unknown.indexOf(at)] : completed(column, sampled(at)),
  )
}
