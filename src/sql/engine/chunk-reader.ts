// DuckDB's answer as columns of result batches, within an engine. The types that columns of the store have are moved as
// typed arrays; whatever else DuckDB has is moved value by value: whole numbers and decimals of other widths, spans,
// lists, structs. Moments of a batch lie within what their base can tell exactly, so that one chunk may become several
// batches.

import type { Column, FieldType, Utf8Dictionary } from '../../column/column.js'
import { UserError } from '../../errors.js'
import { ColumnBuilder, dictionaryOf } from '../../query/column-builder.js'
import type { ResultColumn } from '../../query/language.js'
import type { BatchColumns } from './batch-bytes.js'
import type { Bindings, DuckDBResult, DuckDBType, Vector } from './bindings.js'
import { takeDifferences } from './words64.js'

type DataChunk = NonNullable<Awaited<ReturnType<DuckDBResult['fetchChunk']>>>

/** A column of a chunk. Moments are still 64-bit nanoseconds. */
type RawColumn =
  | Column
  | { readonly type: 'time'; readonly ns: BigInt64Array; readonly validity: Uint8Array | undefined }

export class ChunkReader {
  readonly #bindings: Bindings
  readonly #types: readonly string[]

  constructor(bindings: Bindings, types: readonly DuckDBType[]) {
    this.#bindings = bindings
    this.#types = types.map(String)
  }

  *batches(chunk: DataChunk): Generator<BatchColumns, void, void> {
    const columns = this.#types.map((type, i) => this.#read(chunk, i, type))
    const { rowCount } = chunk
    for (let from = 0; from < rowCount; ) {
      const bases = columns.map((column) => baseOf(column, from, rowCount))
      const offsets = columns.map((column) =>
        column.type === 'time' ? new Float64Array(rowCount - from) : undefined,
      )
      let to = rowCount
      columns.forEach((column, i) => {
        if (column.type !== 'time') return
        const words = new Uint32Array(column.ns.buffer, column.ns.byteOffset, rowCount * 2)
        to = takeDifferences(words, bases[i], from, to, column.validity, offsets[i]!)
      })
      const cut = columns.map((column, i) => cutColumn(column, bases[i], offsets[i], from, to))
      yield { columns: cut, rowCount: to - from }
      from = to
    }
  }

  /** Tells the types of an answer without rows. */
  emptyBatch(): BatchColumns {
    const columns = this.#types.map((type): ResultColumn => {
      const kind = kindOf(type)
      if (kind !== 'time') return new ColumnBuilder(kind).finish()
      return {
        type: 'time',
        times: { base: 0n, offsets: new Float64Array(0) },
        validity: undefined,
      }
    })
    return { columns, rowCount: 0 }
  }

  #read(chunk: DataChunk, i: number, type: string): RawColumn {
    const { low } = this.#bindings
    const vector = low.data_chunk_get_vector(chunk.chunk, i)
    const { rowCount } = chunk
    const data = (width: number) => aligned(low.vector_get_data(vector, rowCount * width))
    switch (type) {
      case 'DOUBLE':
        return {
          type: 'float',
          values: new Float64Array(data(8)),
          validity: this.#valid(vector, rowCount),
        }
      case 'BIGINT':
        return narrowed('integer', new BigInt64Array(data(8)), this.#valid(vector, rowCount))
      case 'UBIGINT':
        return narrowed('unsigned', new BigUint64Array(data(8)), this.#valid(vector, rowCount))
      case 'BOOLEAN':
        return {
          type: 'boolean',
          values: new Uint8Array(data(1)),
          validity: this.#valid(vector, rowCount),
        }
      case 'VARCHAR':
        return this.#texts(vector, rowCount)
      case 'TIMESTAMP_NS':
        return {
          type: 'time',
          ns: new BigInt64Array(data(8)),
          validity: this.#valid(vector, rowCount),
        }
    }
    return byValue(chunk, i, type)
  }

  /** One byte a row from DuckDB's one bit. */
  #valid(vector: Vector, rowCount: number): Uint8Array | undefined {
    const bits = this.#bindings.low.vector_get_validity(vector, Math.ceil(rowCount / 64) * 8)
    if (bits === null || bits === undefined) return undefined
    const bytes = new Uint8Array(rowCount)
    let hasHoles = false
    for (let i = 0; i < rowCount; i++) {
      bytes[i] = (bits[i >> 3] >> (i & 7)) & 1
      if (bytes[i] === 0) hasHoles = true
    }
    return hasHoles ? bytes : undefined
  }

  #texts(vector: Vector, rowCount: number): Column {
    const { low } = this.#bindings
    const validity = this.#valid(vector, rowCount)
    const structs = aligned(low.vector_get_data(vector, rowCount * 16))
    const view = new DataView(structs)
    let size = 0
    for (let i = 0; i < rowCount; i++) {
      if (validity === undefined || validity[i] !== 0) size += view.getUint32(i * 16, true)
    }
    const offsets = new Uint32Array(rowCount + 1)
    const values = new Uint32Array(rowCount)
    const bytes = new Uint8Array(size)
    let at = 0
    for (let i = 0; i < rowCount; i++) {
      values[i] = i
      if (validity === undefined || validity[i] !== 0) {
        const length = view.getUint32(i * 16, true)
        if (length <= 12) bytes.set(new Uint8Array(structs, i * 16 + 4, length), at)
        else bytes.set(low.get_data_from_pointer(structs, i * 16 + 8, length), at)
        at += length
      }
      offsets[i + 1] = at
    }
    const dictionary: Utf8Dictionary = { offsets, bytes, count: rowCount }
    return { type: 'string', values, dictionary, validity }
  }
}

/** A buffer of its own: what the bindings return may begin anywhere. */
function aligned(bytes: Uint8Array): ArrayBuffer {
  const isWhole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength
  return (isWhole ? bytes.buffer : bytes.slice().buffer) as ArrayBuffer
}

/** Nearly all are safe integers, and then floats are what everybody behind here wants. */
function narrowed(
  type: 'integer' | 'unsigned',
  wide: BigInt64Array | BigUint64Array,
  validity: Uint8Array | undefined,
): Column {
  const words = new Uint32Array(wide.buffer)
  const values = new Float64Array(wide.length)
  for (let i = 0; i < wide.length; i++) {
    if (validity !== undefined && validity[i] === 0) continue
    const high = type === 'integer' ? words[i * 2 + 1] | 0 : words[i * 2 + 1]
    const value = high * 2 ** 32 + words[i * 2]
    if (!Number.isSafeInteger(value)) return { type, values: wide, validity } as Column
    values[i] = value
  }
  return { type, values, validity }
}

function baseOf(column: RawColumn, from: number, to: number): bigint {
  if (column.type !== 'time') return 0n
  for (let i = from; i < to; i++) {
    if (column.validity === undefined || column.validity[i] !== 0) return column.ns[i]
  }
  return 0n
}

function cutColumn(
  column: RawColumn,
  base: bigint,
  offsets: Float64Array | undefined,
  from: number,
  to: number,
): ResultColumn {
  const validity = column.validity?.subarray(from, to)
  if (column.type === 'time') {
    return { type: 'time', times: { base, offsets: offsets!.subarray(0, to - from) }, validity }
  }
  return { ...column, values: column.values.subarray(from, to), validity } as Column
}

/** What a column of DuckDB's type becomes. */
function kindOf(type: string): FieldType | 'time' {
  if (/^(TIMESTAMP|DATE$)/.test(type)) return 'time'
  if (/^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/.test(type)) return 'integer'
  if (/^(UTINYINT|USMALLINT|UINTEGER|UBIGINT|UHUGEINT)$/.test(type)) return 'unsigned'
  if (/^(FLOAT|DOUBLE|DECIMAL)/.test(type) && !type.endsWith(']')) return 'float'
  return type === 'BOOLEAN' ? 'boolean' : 'string'
}

function byValue(chunk: DataChunk, i: number, type: string): RawColumn {
  const vector = chunk.getColumnVector(i)
  const kind = kindOf(type)
  const { rowCount } = chunk
  if (kind === 'time') return moments((row) => vector.getItem(row), rowCount)
  const builder = new ColumnBuilder(kind, rowCount)
  for (let row = 0; row < rowCount; row++) {
    const value = vector.getItem(row)
    if (value === null) builder.pushNull()
    else if (kind === 'integer' || kind === 'unsigned') builder.pushBigint(fitting(value, kind))
    else if (kind === 'float') builder.pushNumber(Number(String(value)))
    else if (kind === 'boolean') builder.pushBoolean(value === true)
    else builder.pushString(String(value))
  }
  return rowCount === 0 ? { ...emptyText } : builder.finish()
}

const emptyText: Column = {
  type: 'string',
  values: new Uint32Array(0),
  dictionary: dictionaryOf([]),
  validity: undefined,
}

/** Sums of whole numbers have 128 bits in DuckDB. */
function fitting(value: unknown, kind: 'integer' | 'unsigned'): bigint {
  const number = BigInt(value as number | bigint)
  const fits =
    kind === 'integer'
      ? BigInt.asIntN(64, number) === number
      : BigInt.asUintN(64, number) === number
  if (fits) return number
  throw new UserError('invalid', `Arithmetic overflow: ${number} has more than 64 bits`)
}

/** Moments of other widths, and days. */
function moments(itemAt: (row: number) => unknown, rowCount: number): RawColumn {
  const ns = new BigInt64Array(rowCount)
  const validity = new Uint8Array(rowCount)
  for (let row = 0; row < rowCount; row++) {
    const item = itemAt(row) as Moment | null
    if (item === null) continue
    validity[row] = 1
    ns[row] = nanoseconds(item)
  }
  return { type: 'time', ns, validity: validity.includes(0) ? validity : undefined }
}

type Moment =
  | { readonly micros: bigint }
  | { readonly millis: bigint }
  | { readonly seconds: bigint }
  | { readonly days: number }

function nanoseconds(moment: Moment): bigint {
  const ns =
    'micros' in moment
      ? moment.micros * 1000n
      : 'millis' in moment
        ? moment.millis * 1_000_000n
        : 'seconds' in moment
          ? moment.seconds * 1_000_000_000n
          : BigInt(moment.days) * 86_400_000_000_000n
  if (BigInt.asIntN(64, ns) === ns) return ns
  throw new UserError('invalid', 'Arrow error: a moment lies beyond what nanoseconds can tell')
}
