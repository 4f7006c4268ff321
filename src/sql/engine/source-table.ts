// Rows of the store as a table of DuckDB, within an engine: the table function `mr_source(number)`. Whenever DuckDB
// wants rows, the next frame of the input channel is waited for and put into its vectors. Nothing else can happen in
// the process meanwhile, but whoever feeds a source also ends it.

import type { BlockingInput } from '../../platform/blocking-input.js'
import type { Bindings, DuckDBConnection, DuckDBDataChunk, DuckDBType, Vector } from './bindings.js'
import {
  extraHeadBytes,
  extras,
  frameHeadBytes,
  inlineTextBytesMax,
  inputs,
  padded,
  rowsHeadBytes,
  type SourceColumn,
  type SourceText,
  sourceRowsMax,
  textStructBytes,
} from './protocol.js'

const stoppedText = 'the rows of a table ended early'

interface InputFrame {
  readonly kind: number
  readonly payload: Buffer
}

export class Sources {
  readonly #bindings: Bindings
  readonly #input: BlockingInput
  readonly #onClosed: () => void
  readonly #sources = new Map<number, SourceText>()
  readonly #texts = new Uint8Array(sourceRowsMax * textStructBytes)
  /** Sources whose last frame was read. */
  #endCount = 0

  /** `onClosed`: nobody is there any more to feed a source; does not return. */
  constructor(bindings: Bindings, input: BlockingInput, onClosed: () => void) {
    this.#bindings = bindings
    this.#input = input
    this.#onClosed = onClosed
  }

  add(source: SourceText): void {
    this.#sources.set(source.number, source)
  }

  /** Reads what is left of the first `count` sources. */
  drain(count: number): void {
    while (this.#endCount < count) this.#next()
  }

  /** The sources are gone, and counting begins anew. */
  clear(): void {
    this.#sources.clear()
    this.#endCount = 0
  }

  register(connection: DuckDBConnection): void {
    const { api } = this.#bindings
    const table = api.DuckDBTableFunction.create({
      name: 'mr_source',
      parameterTypes: [api.INTEGER],
      bindFunction: (info) => {
        const source = this.#sources.get(info.getParameter(0) as number)!
        for (const column of source.columns) info.addResultColumn(column.name, this.#type(column))
        info.setBindData(source)
      },
      initFunction: (info) => {
        // Rows come in one order and once.
        info.setMaxThreads(1)
        this.drain((info.bindData as SourceText).number)
      },
      mainFunction: (info, chunk) => {
        const { number, columns } = info.bindData as SourceText
        const frame = this.#endCount > number ? undefined : this.#next()
        if (frame?.kind === inputs.stopped) info.setError(stoppedText)
        if (frame?.kind === inputs.rows) this.#fill(chunk, columns, frame.payload)
        else chunk.rowCount = 0
      },
    })
    connection.registerTableFunction(table)
  }

  #type({ type, values }: SourceColumn): DuckDBType {
    const { api } = this.#bindings
    if (values !== undefined) return api.ENUM(values as string[])
    const types = {
      TIMESTAMP_NS: api.TIMESTAMP_NS,
      VARCHAR: api.VARCHAR,
      DOUBLE: api.DOUBLE,
      BIGINT: api.BIGINT,
      UBIGINT: api.UBIGINT,
      BOOLEAN: api.BOOLEAN,
    }
    return types[type as keyof typeof types]
  }

  #next(): InputFrame {
    const head = this.#take(frameHeadBytes)
    const size = head.readUInt32LE(0)
    const kind = head.readUInt32LE(4)
    if (kind !== inputs.rows) this.#endCount++
    return { kind, payload: this.#take(size) }
  }

  #take(byteCount: number): Buffer {
    const bytes = this.#input.take(byteCount)
    if (bytes === undefined) this.#onClosed()
    return bytes!
  }

  #fill(chunk: DuckDBDataChunk, columns: readonly SourceColumn[], payload: Buffer): void {
    const { low } = this.#bindings
    const rowCount = payload.readUInt32LE(0)
    low.data_chunk_set_size(chunk.chunk, rowCount)
    const vectors = columns.map((_, i) => low.data_chunk_get_vector(chunk.chunk, i))
    const { found, end } = readExtras(payload)
    const whole = found.filter(({ kind }) => kind === extras.whole)
    const imageless = new Set(whole.map(({ column }) => column))
    let at = end
    columns.forEach(({ width }, i) => {
      if (imageless.has(i)) return
      const { buffer, byteOffset } = payload
      low.copy_data_to_vector(vectors[i], 0, buffer, byteOffset + at, rowCount * width)
      at += padded(rowCount * width)
    })
    for (const { kind, column, row, count, bytes } of found) {
      if (kind === extras.holes) this.#putHoles(vectors[column], bytes)
      else this.#putText(vectors[column], row, count, bytes)
    }
  }

  #putHoles(vector: Vector, bits: Buffer): void {
    const { low } = this.#bindings
    low.vector_ensure_validity_writable(vector)
    low.copy_data_to_vector_validity(vector, 0, bits.buffer, bits.byteOffset, bits.length)
  }

  /** The same text in each of the rows. */
  #putText(vector: Vector, row: number, count: number, text: Buffer): void {
    const { low } = this.#bindings
    const texts = this.#texts
    if (text.length <= inlineTextBytesMax) {
      texts.fill(0, 0, textStructBytes)
      texts[0] = text.length
      texts.set(text, 4)
    } else {
      low.vector_assign_string_element_len(vector, row, text)
      if (count === 1) return
      const end = (row + 1) * textStructBytes
      texts.set(low.vector_get_data(vector, end).subarray(end - textStructBytes))
    }
    for (let done = 1; done < count; done *= 2) {
      const size = Math.min(done, count - done) * textStructBytes
      texts.copyWithin(done * textStructBytes, 0, size)
    }
    const { buffer } = texts
    low.copy_data_to_vector(vector, row * textStructBytes, buffer, 0, count * textStructBytes)
  }
}

interface Extra {
  readonly kind: number
  readonly column: number
  readonly row: number
  readonly count: number
  readonly bytes: Buffer
}

function readExtras(payload: Buffer): { found: Extra[]; end: number } {
  const extraCount = payload.readUInt32LE(4)
  const found: Extra[] = []
  let at = rowsHeadBytes
  for (let i = 0; i < extraCount; i++) {
    const length = payload.readUInt32LE(at + 16)
    found.push({
      kind: payload.readUInt32LE(at),
      column: payload.readUInt32LE(at + 4),
      row: payload.readUInt32LE(at + 8),
      count: payload.readUInt32LE(at + 12),
      bytes: payload.subarray(at + extraHeadBytes, at + extraHeadBytes + length),
    })
    at += extraHeadBytes + padded(length)
  }
  return { found, end: at }
}
