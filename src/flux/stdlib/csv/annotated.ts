// Annotated CSV read back into tables: blocks of annotations and a header, then rows, of which those
// with the same table number follow each other. Without annotations (raw), one table of texts.

import type { Cell, Chunk, TableColumn } from '../../../query/table.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { type Table, tableOf } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { GroupKey } from '../../value/key.js'
import { quoted } from '../../value/quote.js'
import { columnType, parseCell } from './cells.js'
import { CsvRecords } from './records.js'

interface CsvColumn extends TableColumn {
  readonly isGroup: boolean
  /** What an empty field means. */
  readonly default: Cell | null
}

interface Block {
  readonly resultName: string
  readonly tableId: string
  readonly columns: readonly CsvColumn[]
  readonly fieldCount: number
  /** Where the columns begin: behind the annotation, the result and the table; 0 without annotations. */
  readonly firstField: number
}

const annotatedFirstField = 3
const rowsPerChunk = 8192
const knownAnnotations = ['datatype', 'group', 'default']
const wrongFieldCount = 'wrong number of fields'

/** Tables; undefined where the reader has done some work and others may have their turn. */
export type TablesRead = Generator<Table | undefined, void, void>

const fieldsPerPause = 16_384

/** Throws FluxError where the text is no CSV of that kind, or has several results. */
export function* readAnnotatedCsv(text: string): TablesRead {
  const records = new CsvRecords(text)
  let resultName: string | undefined
  for (;;) {
    const block = readBlock(records)
    if (block === undefined) return
    if (resultName !== undefined && resultName !== block.resultName) {
      throw new FluxError('csv.from() can only parse 1 result')
    }
    resultName = block.resultName
    yield* readTables(records, block)
  }
}

export function* readRawCsv(text: string): TablesRead {
  const records = new CsvRecords(text)
  const header = records.next()
  if (header === undefined) return
  const columns = header.map((name) => ({
    name,
    type: 'string' as const,
    isGroup: false,
    default: null,
  }))
  const raw = { resultName: '_result', tableId: '0', fieldCount: header.length, firstField: 0 }
  yield yield* readTable(records, { ...raw, columns })
}

function* readTables(records: CsvRecords, block: Block): TablesRead {
  for (;;) {
    yield yield* readTable(records, block)
    const next = records.next()
    if (next === undefined) return
    records.unread(next)
    if (next[0] !== '') return
  }
}

/** Undefined: the text has ended. */
function readBlock(records: CsvRecords): Block | undefined {
  const annotations = new Map<string, readonly string[]>()
  let fieldCount: number | undefined
  while (!knownAnnotations.every((name) => annotations.has(name))) {
    const record = records.next()
    if (record === undefined) {
      if (annotations.size === 0) return undefined
      throw missingAnnotation(annotations)
    }
    fieldCount ??= record.length
    if (record.length !== fieldCount) {
      throw metadataError(`failed to read annotations: ${wrongFieldCount}`)
    }
    const hasMark = record[0].startsWith('#')
    const name = hasMark ? record[0].slice(1) : record[0]
    const isKnown = knownAnnotations.includes(name)
    // A known one may stand without its mark; others with it are stepped over.
    if (!hasMark && !isKnown) throw missingAnnotation(annotations)
    if (isKnown && record.length < annotatedFirstField) {
      throw metadataError(`failed to read "${name}" annotation: ${wrongFieldCount}`)
    }
    if (isKnown) annotations.set(name, record)
  }
  return blockOf(annotations, readHeader(records, fieldCount!))
}

function readHeader(records: CsvRecords, fieldCount: number): readonly string[] {
  const header = records.next()
  if (header === undefined) throw metadataError('missing expected header row')
  if (header.length !== fieldCount) {
    throw metadataError(`failed to read header row: ${wrongFieldCount}`)
  }
  // The answer of a query that failed.
  if (header[1] === 'error') throw new FluxError(records.next()?.[1] ?? 'unexpected EOF')
  return header
}

function blockOf(
  annotations: ReadonlyMap<string, readonly string[]>,
  header: readonly string[],
): Block {
  const dataTypes = annotations.get('datatype')!
  const groups = annotations.get('group')!
  const defaults = annotations.get('default')!
  const tableId = defaults[2]
  if (tableId !== '' && !/^[+-]?\d+$/.test(tableId)) {
    throw metadataError('default Table ID is not an integer')
  }
  const columns: CsvColumn[] = []
  for (let i = annotatedFirstField; i < header.length; i++) {
    const name = header[i]
    const type = explained(`column ${quoted(name)} has invalid datatype`, () =>
      columnType(dataTypes[i]),
    )
    const missing = explained(`column ${quoted(name)} has invalid default value`, () =>
      defaults[i] === '' ? null : parseCell(defaults[i], type),
    )
    columns.push({ name, type, isGroup: groups[i] === 'true', default: missing })
  }
  const fieldCount = header.length
  return {
    resultName: defaults[1],
    tableId,
    columns,
    fieldCount,
    firstField: annotatedFirstField,
  }
}

function* readTable(records: CsvRecords, block: Block): Generator<undefined, Table, void> {
  const { columns, firstField } = block
  let id: string | undefined = firstField === 0 ? block.tableId : undefined
  let key: GroupKey | undefined
  const rows = new RowChunks(columns)
  let fields = 0
  for (;;) {
    const record = records.next()
    if (record === undefined) break
    if (isOfNextBlock(record, block)) {
      records.unread(record)
      break
    }
    id ??= record[2]
    if (firstField > 0 && record[2] !== '' && record[2] !== id) {
      records.unread(record)
      break
    }
    const cells = columns.map((column, i) => cellOfField(record[firstField + i], column))
    key ??= keyOf(columns, cells)
    rows.push(cells)
    fields += record.length
    if (fields < fieldsPerPause) continue
    fields = 0
    yield undefined
  }
  if ((id ?? block.tableId) === '') throw new FluxError('missing table ID')
  key ??= keyOf(
    columns,
    columns.map((column) => column.default),
  )
  const plain = columns.map(({ name, type }) => ({ name, type }))
  return tableOf(key, plain, rows.finish())
}

function isOfNextBlock(record: readonly string[], { fieldCount, firstField }: Block): boolean {
  const isRow = firstField === 0 || record[0] === ''
  if (record.length !== fieldCount && isRow) throw new FluxError(wrongFieldCount)
  return !isRow
}

function cellOfField(field: string, column: CsvColumn): Cell | null {
  return field === '' ? column.default : parseCell(field, column.type)
}

function keyOf(columns: readonly CsvColumn[], cells: readonly (Cell | null)[]): GroupKey {
  const entries = columns.map(({ name, type }, i) => ({ name, type, value: cells[i] }))
  return GroupKey.of(entries.filter((_, i) => columns[i].isGroup))
}

/** Rows of one table, in chunks of a size that readers like. */
class RowChunks {
  readonly #columns: readonly TableColumn[]
  readonly #chunks: Chunk[] = []
  #builders: CellsBuilder[]
  #rowCount = 0

  constructor(columns: readonly TableColumn[]) {
    this.#columns = columns
    this.#builders = this.#newBuilders()
  }

  push(cells: readonly (Cell | null)[]): void {
    // Rows that have nothing to say are none.
    if (cells.length === 0) return
    for (let i = 0; i < cells.length; i++) this.#builders[i].push(cells[i])
    if (++this.#rowCount === rowsPerChunk) this.#cut()
  }

  finish(): readonly Chunk[] {
    if (this.#rowCount > 0) this.#cut()
    return this.#chunks
  }

  #cut(): void {
    const columns = this.#builders.map((builder) => builder.finish())
    this.#chunks.push({ rowCount: this.#rowCount, columns })
    this.#builders = this.#newBuilders()
    this.#rowCount = 0
  }

  #newBuilders(): CellsBuilder[] {
    return this.#columns.map(({ type }) => new CellsBuilder(type))
  }
}

function missingAnnotation(annotations: ReadonlyMap<string, unknown>): FluxError {
  const missing = knownAnnotations.find((name) => !annotations.has(name))
  const advice =
    '. consider using the mode: "raw" for csv that is not expected to have annotations.'
  return metadataError(
    `missing expected annotation ${missing}${missing === 'datatype' ? advice : ''}`,
  )
}

function metadataError(cause: string): FluxError {
  return new FluxError(`failed to read metadata: ${cause}`)
}

function explained<T>(where: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FluxError)) throw error
    throw metadataError(`${where}: ${error.message}`)
  }
}
