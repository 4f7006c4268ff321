// Answers as annotated CSV, the way InfluxDB 2 has it: for each result, blocks of annotations, a line of
// names and rows; a new block behind a blank line wherever the columns, their types or the group key
// change, and around tables without rows; a blank line ends each result. The columns are an empty one
// (where annotations have their names), `result`, `table` and the table's own.
//
//     #datatype,string,long,dateTime:RFC3339,string,double
//     #group,false,false,false,true,false
//     #default,_result,,,,
//     ,result,table,_time,host,_value
//     ,,0,2020-01-01T00:00:00Z,a,1.5
//
// The result's name stands in `#default` where that is asked for, and in every row otherwise. A table
// without rows is told by its key in `#default`. What fails after something was written becomes a table
// of its own, `error` and `reference`; what fails before is thrown.

import { assert } from '../errors.js'
import type { ResultRows, ResultTable, ResultTableColumn, TablePiece } from '../query/language.js'
import type { CellType } from '../query/table.js'
import { CsvRows } from './annotated-csv-rows.js'
import { CsvFields } from './annotated-csv-text.js'
import { ByteWriter } from './byte-writer.js'

export type Annotation = 'datatype' | 'group' | 'default'

export interface CsvDialect {
  /** In the order in which they are written. */
  readonly annotations: readonly Annotation[]
  readonly hasHeader: boolean
  /** One ASCII character, and none of quote, line feed and carriage return. */
  readonly delimiter: string
  readonly commentPrefix: string
  /** Moments are printed alike, with as many decimals as they have; only the annotation tells the two apart. */
  readonly dateTimeFormat: 'RFC3339' | 'RFC3339Nano'
}

/** Each chunk of bytes is valid until the next one is asked for: its memory is then written again. */
export async function* encodeTables(
  pieces: AsyncIterable<TablePiece>,
  dialect: CsvDialect,
  failureText: (error: Error) => string = (error) => error.message,
): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new AnnotatedCsv(dialect)
  const { out } = encoder
  try {
    for await (const piece of pieces) {
      if (piece.kind === 'table') encoder.table(piece)
      else {
        for (let row = 0; row < piece.rowCount; ) {
          row = encoder.rows(piece, row)
          if (out.isFull) yield out.take()
        }
      }
      if (out.isFull) yield out.take()
    }
    encoder.end()
  } catch (error) {
    if (!encoder.hasBegun) throw error
    endLine(out)
    encoder.failure(failureText(error as Error))
  }
  if (out.length > 0) yield out.take()
}

/** The table that stands for a failure, by itself. */
export function encodeFailure(message: string, dialect: CsvDialect): Uint8Array {
  const encoder = new AnnotatedCsv(dialect)
  encoder.failure(message)
  return encoder.out.take()
}

class AnnotatedCsv {
  readonly out = new ByteWriter()
  readonly #dialect: CsvDialect
  readonly #fields: CsvFields
  readonly #rows: CsvRows
  readonly #namesInRows: boolean
  /** The table that began last; its block may not be written yet. */
  #table: ResultTable | undefined
  #hasRows = false
  /** Of the block that was written last in this result; undefined: none was. */
  #columns: readonly ResultTableColumn[] | undefined
  #wasEmpty = false

  constructor(dialect: CsvDialect) {
    this.#dialect = dialect
    this.#fields = new CsvFields(dialect.delimiter)
    this.#rows = new CsvRows(this.#fields)
    this.#namesInRows = !dialect.annotations.includes('default')
  }

  get hasBegun(): boolean {
    return this.out.length > 0 || this.out.takes > 0
  }

  table(table: ResultTable): void {
    this.#finishTable()
    if (table.table === 0 && this.#table !== undefined) this.#endResult()
    this.#table = table
    this.#hasRows = false
  }

  /** From `row` on, as many as fit; returns the row to go on with. */
  rows(rows: ResultRows, row: number): number {
    const table = this.#table
    assert(table !== undefined, 'rows belong to a table')
    if (row === 0) {
      if (!this.#hasRows) this.#beginRows(table)
      this.#rows.use(this.#namesInRows ? table.name : '', table.table, rows)
    }
    return this.#rows.write(this.out, row, rows.rowCount)
  }

  #beginRows(table: ResultTable): void {
    this.#hasRows = true
    const isSame = this.#columns !== undefined && sameColumns(table.columns, this.#columns)
    if (this.#wasEmpty || !isSame) this.#openBlock(table, false)
    this.#wasEmpty = false
  }

  /** A table that has no rows still gets its block. */
  #finishTable(): void {
    if (this.#table === undefined || this.#hasRows) return
    this.#openBlock(this.#table, true)
    this.#wasEmpty = true
  }

  #endResult(): void {
    endLine(this.out)
    this.#columns = undefined
    this.#wasEmpty = false
  }

  /** An answer without any table is a blank line, as that of one result without tables. */
  end(): void {
    this.#finishTable()
    endLine(this.out)
  }

  failure(message: string): void {
    for (const annotation of this.#dialect.annotations) {
      this.#putLine([this.#comment(annotation), ...failureAnnotations[annotation]])
    }
    this.#putLine(['', 'error', 'reference'])
    this.#putLine(['', message, ''])
  }

  #openBlock(table: ResultTable, isEmpty: boolean): void {
    const { columns } = table
    if (this.#columns !== undefined) endLine(this.out)
    this.#columns = columns
    for (const annotation of this.#dialect.annotations) {
      const comment = this.#comment(annotation)
      if (annotation === 'datatype') {
        const types = columns.map(({ type }) => this.#datatype(type))
        this.#putLine([comment, 'string', 'long', ...types])
      } else if (annotation === 'group') {
        // What is called `result` or `table` here is never part of the key.
        this.#putLine([comment, 'false', 'false', ...columns.map((column) => `${column.isGroup}`)])
      } else this.#putDefaults(comment, table, isEmpty)
    }
    if (!this.#dialect.hasHeader) return
    this.#putLine(['', 'result', 'table', ...columns.map(({ name }) => name)])
  }

  #putDefaults(comment: string, { name, table, columns }: ResultTable, isEmpty: boolean): void {
    const { out } = this
    this.#fields.putAll(out, [comment, name, isEmpty ? String(table) : ''])
    for (const { type, isGroup, value } of columns) {
      this.#fields.putDelimiter(out)
      if (isEmpty && isGroup && value !== null) this.#rows.putCell(out, type, value)
    }
    endLine(out)
  }

  #comment(annotation: Annotation): string {
    return `${this.#dialect.commentPrefix}${annotation}`
  }

  #datatype(type: CellType): string {
    return type === 'time' ? `dateTime:${this.#dialect.dateTimeFormat}` : datatypes[type]
  }

  #putLine(texts: readonly string[]): void {
    this.#fields.putAll(this.out, texts)
    endLine(this.out)
  }
}

const failureAnnotations: Readonly<Record<Annotation, readonly string[]>> = {
  datatype: ['string', 'string'],
  group: ['true', 'true'],
  default: ['', ''],
}

function endLine(out: ByteWriter): void {
  out.ascii('\r\n')
}

const datatypes: Readonly<Record<Exclude<CellType, 'time'>, string>> = {
  bool: 'boolean',
  int: 'long',
  uint: 'unsignedLong',
  float: 'double',
  string: 'string',
}

function sameColumns(a: readonly ResultTableColumn[], b: readonly ResultTableColumn[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (a[i].name !== b[i].name || a[i].type !== b[i].type) return false
    if (a[i].isGroup !== b[i].isGroup) return false
  }
  return true
}
