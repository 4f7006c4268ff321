// Rows of the store into a temporary table: batches of typed arrays in, DuckDB's data chunks out, 2,048
// rows at a time. Texts of up to 12 bytes lie within a vector's 16 bytes a row; longer ones are handed over
// once for a run of a tag, and one by one for a field. Tags of many rows with few values are loaded as
// numbers of a list (`tag-lists.ts`).

import type { Batch } from '../column/batch.js'
import { type Column, isWide, type Utf8Dictionary } from '../column/column.js'
import type { QueryMeter } from '../query/limits.js'
import type { ReadRequest, Store } from '../store/store.js'
import type { Bindings, Vector } from './bindings.js'
import { quoteName, quoteText } from './names.js'
import { duckdbType, type TableColumn } from './schema.js'
import type { Session } from './session.js'
import { NewTagValue, type TagList, tagLists } from './tag-lists.js'
import { putSums } from './words64.js'

export interface TableLoad {
  /** The temporary table. */
  readonly table: string
  readonly columns: readonly LoadColumn[]
  /** Undefined: the table stays empty. */
  readonly request: ReadRequest | undefined
  /** Whether tags may be loaded as numbers of a list. */
  readonly listsTags: boolean
}

/** `field`: the place of a field among those that are read. */
export type LoadColumn = { readonly name: string; readonly type: string } & (
  | { readonly kind: 'time' }
  /** `list`: the values that it may have, of which the table holds the numbers; the column's type has the list. */
  | { readonly kind: 'tag'; readonly tag: string; readonly list?: TagList }
  | { readonly kind: 'field'; readonly field: number }
)

export function loadColumn(column: TableColumn, fields: readonly string[]): LoadColumn {
  const [name, type] = [column.insideName, duckdbType(column)]
  if (column.kind === 'time') return { name, type, kind: 'time' }
  if (column.kind === 'tag') return { name, type, kind: 'tag', tag: column.name }
  return { name, type, kind: 'field', field: fields.indexOf(column.name) }
}

export async function loadTable(
  session: Session,
  store: Store,
  load: TableLoad,
  meter: QueryMeter,
  signal: AbortSignal,
): Promise<void> {
  const { table, columns, request } = load
  if (request === undefined) return createTable(session, table, columns)
  const tags = columns.flatMap((column) => (column.kind === 'tag' ? [column.tag] : []))
  const lists = load.listsTags ? await tagLists(store, request, tags) : undefined
  if (lists !== undefined && lists.size > 0) {
    const { rows, listed } = await createListed(session, table, columns, lists)
    try {
      return await loadRows(session, store, request, rows, listed, meter, signal)
    } catch (error) {
      if (!(error instanceof NewTagValue)) throw error
      await dropListed(session, table)
    }
  }
  await createTable(session, table, columns)
  await loadRows(session, store, request, table, columns, meter, signal)
}

function createTable(
  session: Session,
  table: string,
  columns: readonly LoadColumn[],
): Promise<void> {
  const list = columns.map(({ name, type }) => `${quoteName(name)} ${type}`)
  return session.run(`CREATE TEMP TABLE ${table} (${list.join(', ')})`)
}

/** With numbers in the place of tags that have a list: the rows in a table, and a view that shows their texts. */
async function createListed(
  session: Session,
  table: string,
  columns: readonly LoadColumn[],
  lists: ReadonlyMap<string, TagList>,
): Promise<{ rows: string; listed: readonly LoadColumn[] }> {
  const rows = `${table}_rows`
  const listed: LoadColumn[] = []
  for (const [i, column] of columns.entries()) {
    const list = column.kind === 'tag' ? lists.get(column.tag) : undefined
    if (column.kind !== 'tag' || list === undefined) listed.push(column)
    else {
      const type = `${table}_list${i}`
      await session.run(
        `CREATE TEMP TYPE ${type} AS ENUM (${list.values.map(quoteText).join(', ')})`,
      )
      listed.push({ ...column, type, list })
    }
  }
  await createTable(session, rows, listed)
  const shown = columns.map(
    ({ name, type }) => `CAST(${quoteName(name)} AS ${type}) AS ${quoteName(name)}`,
  )
  await session.run(`CREATE TEMP VIEW ${table} AS SELECT ${shown.join(', ')} FROM ${rows}`)
  return { rows, listed }
}

async function dropListed(session: Session, table: string): Promise<void> {
  await session.run(`DROP VIEW ${table}`)
  await session.run(`DROP TABLE ${table}_rows`)
}

async function loadRows(
  session: Session,
  store: Store,
  request: ReadRequest,
  table: string,
  columns: readonly LoadColumn[],
  meter: QueryMeter,
  signal: AbortSignal,
): Promise<void> {
  const rowBytes = columns.reduce((sum, { type }) => sum + (type === 'VARCHAR' ? 16 : 8), 0)
  const appender = await session.connection.createAppender(table)
  const writer = new ChunkWriter(session.bindings, columns, (chunk) =>
    appender.appendDataChunk(chunk),
  )
  let rows = 0
  try {
    for await (const batch of store.read(request, signal)) {
      rows += batch.rowCount
      meter.addPoints(batch.rowCount)
      meter.checkMemory(rows * rowBytes)
      writer.add(batch)
    }
    writer.flush()
  } finally {
    appender.closeSync()
  }
}

type DataChunk = InstanceType<Bindings['api']['DuckDBDataChunk']>

const chunkRows = 2048
const inlineBytesMax = 12
const textBytes = 16

class ChunkWriter {
  readonly #bindings: Bindings
  readonly #columns: readonly LoadColumn[]
  readonly #append: (chunk: DataChunk) => void
  readonly #chunk: DataChunk
  readonly #vectors: VectorWriter[]
  #count = 0

  constructor(
    bindings: Bindings,
    columns: readonly LoadColumn[],
    append: (chunk: DataChunk) => void,
  ) {
    const { api, low } = bindings
    this.#bindings = bindings
    this.#columns = columns
    this.#append = append
    const types = {
      TIMESTAMP_NS: api.TIMESTAMP_NS,
      VARCHAR: api.VARCHAR,
      DOUBLE: api.DOUBLE,
      BIGINT: api.BIGINT,
      UBIGINT: api.UBIGINT,
      BOOLEAN: api.BOOLEAN,
    }
    const kinds = columns.map((column) => {
      const list = column.kind === 'tag' ? column.list : undefined
      return list === undefined
        ? types[column.type as keyof typeof types]
        : api.ENUM(list.values as string[])
    })
    this.#chunk = api.DuckDBDataChunk.create(kinds, chunkRows)
    this.#vectors = columns.map(
      (column, i) =>
        new VectorWriter(
          bindings,
          low.data_chunk_get_vector(this.#chunk.chunk, i),
          widthOf(column),
        ),
    )
  }

  add(batch: Batch): void {
    for (const run of batch.runs) {
      for (let row = run.start; row < run.stop; ) {
        const stop = Math.min(run.stop, row + chunkRows - this.#count)
        this.#columns.forEach((column, i) => {
          const vector = this.#vectors[i]
          if (column.kind === 'time') {
            const { base, offsets } = batch.times
            putSums(vector.words, this.#count, base, offsets, row, stop)
          } else if (column.kind === 'field') {
            vector.putColumn(this.#count, batch.columns[column.field], row, stop)
          } else {
            const tag = run.series.tags.find(({ key }) => key === column.tag)
            if (column.list === undefined) vector.putText(this.#count, tag?.value, stop - row)
            else vector.putNumber(this.#count, column.list.numberOf(tag?.value), stop - row)
          }
        })
        this.#count += stop - row
        row = stop
        if (this.#count === chunkRows) this.flush()
      }
    }
  }

  flush(): void {
    if (this.#count === 0) return
    const { low } = this.#bindings
    const { chunk } = this.#chunk
    low.data_chunk_set_size(chunk, this.#count)
    for (const vector of this.#vectors) vector.finish(this.#count)
    this.#append(this.#chunk)
    low.data_chunk_reset(chunk)
    this.#count = 0
  }
}

function widthOf(column: LoadColumn): number {
  const { type } = column
  if (column.kind === 'tag' && column.list !== undefined) return column.list.width
  if (type === 'VARCHAR') return textBytes
  return type === 'BOOLEAN' ? 1 : 8
}

/** One column of the chunk that is being filled. */
class VectorWriter {
  readonly words: Uint32Array
  readonly #bindings: Bindings
  readonly #vector: Vector
  readonly #width: number
  readonly #bytes: Uint8Array
  readonly #floats: Float64Array
  readonly #shorts: Uint16Array
  readonly #valid = new Uint8Array(chunkRows / 8).fill(255)
  #hasHoles = false
  /** Rows of long texts, which DuckDB must be handed one by one behind the rest. */
  readonly #long: { readonly row: number; readonly bytes: Uint8Array }[] = []
  readonly #shared = new Map<string, Uint8Array>()

  constructor(bindings: Bindings, vector: Vector, width: number) {
    this.#bindings = bindings
    this.#vector = vector
    this.#width = width
    this.#bytes = new Uint8Array(chunkRows * width)
    const { buffer } = this.#bytes
    this.words = new Uint32Array(buffer)
    this.#floats = new Float64Array(buffer)
    this.#shorts = new Uint16Array(buffer)
  }

  putColumn(at: number, column: Column, from: number, to: number): void {
    if (column.validity !== undefined) this.#putHoles(at, column.validity, from, to)
    switch (column.type) {
      case 'float':
        this.#floats.set(column.values.subarray(from, to), at)
        return
      case 'boolean':
        this.#bytes.set(column.values.subarray(from, to), at)
        return
      case 'string':
        this.#putTexts(at, column.values, column.dictionary, column.validity, from, to)
        return
    }
    if (isWide(column)) {
      const { buffer, byteOffset } = column.values.subarray(from, to)
      this.#bytes.set(new Uint8Array(buffer, byteOffset, (to - from) * 8), at * 8)
    } else putSums(this.words, at, 0n, column.values as Float64Array, from, to)
  }

  /** The same place in a list of texts in each of the rows. */
  putNumber(at: number, number: number | undefined, count: number): void {
    if (number === undefined) for (let i = 0; i < count; i++) this.#putHole(at + i)
    else if (this.#width === 1) this.#bytes.fill(number, at, at + count)
    else this.#shorts.fill(number, at, at + count)
  }

  /** The same text in each of the rows. */
  putText(at: number, text: string | undefined, count: number): void {
    if (text === undefined) {
      for (let i = 0; i < count; i++) this.#putHole(at + i)
      return
    }
    const start = at * textBytes
    this.#bytes.set(this.#textStruct(at, text), start)
    for (let done = 1; done < count; done *= 2) {
      const size = Math.min(done, count - done) * textBytes
      this.#bytes.copyWithin(start + done * textBytes, start, start + size)
    }
  }

  /** DuckDB's 16 bytes of a text; a long one is kept by the vector until the chunk is finished. */
  #textStruct(at: number, text: string): Uint8Array {
    const known = this.#shared.get(text)
    if (known !== undefined) return known
    const bytes = Buffer.from(text)
    let struct = new Uint8Array(textBytes)
    if (bytes.length <= inlineBytesMax) {
      struct[0] = bytes.length
      struct.set(bytes, 4)
    } else {
      const { low } = this.#bindings
      low.vector_assign_string_element_len(this.#vector, at, bytes)
      const end = (at + 1) * textBytes
      struct = low.vector_get_data(this.#vector, end).slice(end - textBytes)
    }
    this.#shared.set(text, struct)
    return struct
  }

  #putTexts(
    at: number,
    entries: Uint32Array,
    dictionary: Utf8Dictionary,
    validity: Uint8Array | undefined,
    from: number,
    to: number,
  ): void {
    const { offsets, bytes } = dictionary
    for (let i = from; i < to; i++) {
      if (validity !== undefined && validity[i] === 0) continue
      const start = offsets[entries[i]]
      const end = offsets[entries[i] + 1]
      const row = at + i - from
      if (end - start > inlineBytesMax) {
        this.#long.push({ row, bytes: bytes.slice(start, end) })
        continue
      }
      const place = row * textBytes
      this.#bytes.fill(0, place, place + textBytes)
      this.#bytes[place] = end - start
      for (let k = start; k < end; k++) this.#bytes[place + 4 + k - start] = bytes[k]
    }
  }

  #putHoles(at: number, validity: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to; i++) if (validity[i] === 0) this.#putHole(at + i - from)
  }

  #putHole(row: number): void {
    this.#valid[row >> 3] &= ~(1 << (row & 7))
    this.#hasHoles = true
    if (this.#width === textBytes) this.#bytes.fill(0, row * textBytes, (row + 1) * textBytes)
  }

  finish(rowCount: number): void {
    const { low } = this.#bindings
    const { buffer } = this.#bytes
    low.copy_data_to_vector(this.#vector, 0, buffer, 0, rowCount * this.#width)
    for (const { row, bytes } of this.#long) {
      low.vector_assign_string_element_len(this.#vector, row, bytes)
    }
    if (this.#hasHoles) {
      low.vector_ensure_validity_writable(this.#vector)
      low.copy_data_to_vector_validity(this.#vector, 0, this.#valid.buffer, 0, this.#valid.length)
      this.#valid.fill(255)
      this.#hasHoles = false
    }
    this.#long.length = 0
    this.#shared.clear()
  }
}
