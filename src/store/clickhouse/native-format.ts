// ClickHouse's Native format: columns as they lie in memory, both ways. A body is a sequence of blocks:
//
//   block   varint number of columns | varint number of rows | columns
//   column  string name | string type | for Nullable(T) a byte per row, 1: none | the values
//   values  little endian, one after the other; a string is a varint length and its bytes
//
// Only the types that our tables and statements have are known. A server that fails in the midst of an answer adds its
// complaint as text behind the last whole block: every block must have the columns that were asked for, and what has
// not is taken for such a text.

export type NativeBase = 'UInt8' | 'UInt16' | 'UInt32' | 'UInt64' | 'Int64' | 'Float64' | 'String'

const widths: Readonly<Record<Exclude<NativeBase, 'String'>, number>> = {
  UInt8: 1,
  UInt16: 2,
  UInt32: 4,
  UInt64: 8,
  Int64: 8,
  Float64: 8,
}

export interface NativeColumn {
  readonly name: string
  readonly base: NativeBase
  /** 1 where a row has none; present: the column is Nullable. */
  readonly nulls?: Uint8Array | undefined
  /** As they are sent: little endian, or of strings what `encodeStrings` makes. */
  readonly bytes: Uint8Array
}

/** Pieces that make a block, one after the other. The bytes of the columns are not copied. */
export function encodeBlock(columns: readonly NativeColumn[], rowCount: number): Uint8Array[] {
  const pieces: Uint8Array[] = [varints(columns.length, rowCount)]
  for (const { name, base, nulls, bytes } of columns) {
    const type = nulls === undefined ? base : `Nullable(${base})`
    const [nameBytes, typeBytes] = [Buffer.from(name), Buffer.from(type)]
    pieces.push(varints(nameBytes.length), nameBytes, varints(typeBytes.length), typeBytes)
    if (nulls !== undefined) pieces.push(nulls)
    pieces.push(bytes)
  }
  return pieces
}

function varints(...numbers: readonly number[]): Uint8Array {
  const bytes: number[] = []
  for (let rest of numbers) {
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
    bytes.push(rest)
  }
  return Uint8Array.from(bytes)
}

export function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

/** Strings as they lie in a block. */
export class StringBytes {
  #bytes = Buffer.allocUnsafe(1024)
  #length = 0

  push(text: Uint8Array): void {
    const room = this.#length + text.length + 5
    if (room > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(room, 2 * this.#bytes.length))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    let rest = text.length
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
    this.#bytes[this.#length++] = rest
    this.#bytes.set(text, this.#length)
    this.#length += text.length
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

export function encodeStrings(texts: Iterable<Uint8Array>): Uint8Array {
  const all = new StringBytes()
  for (const text of texts) all.push(text)
  return all.bytes
}

/** A column of an answer. Nulls: 1 where a row has none. */
export type ReadColumn = { readonly nulls: Uint8Array | undefined } & (
  | { readonly base: 'UInt8'; readonly values: Uint8Array }
  | { readonly base: 'UInt16'; readonly values: Uint16Array }
  | { readonly base: 'UInt32'; readonly values: Uint32Array }
  | { readonly base: 'UInt64'; readonly values: BigUint64Array }
  | { readonly base: 'Int64'; readonly values: BigInt64Array }
  | { readonly base: 'Float64'; readonly values: Float64Array }
  /** Row i has the bytes from offsets[i] to offsets[i + 1]. */
  | { readonly base: 'String'; readonly offsets: Uint32Array; readonly bytes: Uint8Array }
)

export interface ReadBlock {
  readonly rowCount: number
  readonly columns: readonly ReadColumn[]
}

/** What came is no block: a server that failed, or bytes that are missing. */
export class NativeFormatError extends Error {
  /** What the server says, where it said something. */
  readonly serverText: string

  constructor(message: string, serverText = '') {
    super(message)
    this.name = 'NativeFormatError'
    this.serverText = serverText
  }
}

/** Types as a server names them, without what makes no difference to the bytes. */
const simpleAggregate = /^SimpleAggregateFunction\(\w+, (.*)\)$/
const nullable = /^Nullable\((\w+)\)$/

/** All blocks of an answer with these columns, each as soon as it is there; empty ones are left out. */
export async function* readBlocks(
  body: AsyncIterable<Uint8Array>,
  types: readonly NativeBase[],
): AsyncGenerator<ReadBlock, void, void> {
  const source = new ByteSource(body)
  while (await source.hasMore()) {
    source.mark()
    const columnCount = await source.varint()
    if (columnCount !== types.length) throw await notABlock(source)
    const rowCount = await source.varint()
    const columns: ReadColumn[] = []
    for (const base of types) columns.push(await readColumn(source, base, rowCount))
    if (rowCount > 0) yield { rowCount, columns }
  }
}

async function notABlock(source: ByteSource): Promise<NativeFormatError> {
  const text = await source.textFromMark()
  return new NativeFormatError('the answer is broken off', text)
}

async function readColumn(
  source: ByteSource,
  base: NativeBase,
  rowCount: number,
): Promise<ReadColumn> {
  await source.text()
  const told = await source.text()
  const type = simpleAggregate.exec(told)?.[1] ?? told
  const inner = nullable.exec(type)?.[1]
  if ((inner ?? type) !== base) throw await notABlock(source)
  const nulls = inner === undefined ? undefined : await source.copy(rowCount)
  if (base === 'String') return { base, nulls, ...(await readStrings(source, rowCount)) }
  const { buffer } = await source.copy(rowCount * widths[base])
  switch (base) {
    case 'UInt8':
      return { base, nulls, values: new Uint8Array(buffer) }
    case 'UInt16':
      return { base, nulls, values: new Uint16Array(buffer) }
    case 'UInt32':
      return { base, nulls, values: new Uint32Array(buffer) }
    case 'UInt64':
      return { base, nulls, values: new BigUint64Array(buffer) }
    case 'Int64':
      return { base, nulls, values: new BigInt64Array(buffer) }
    case 'Float64':
      return { base, nulls, values: new Float64Array(buffer) }
  }
}

async function readStrings(source: ByteSource, rowCount: number) {
  const offsets = new Uint32Array(rowCount + 1)
  let bytes: Uint8Array = new Uint8Array(Math.max(64, rowCount * 8))
  let length = 0
  for (let row = 0; row < rowCount; row++) {
    const size = await source.varint()
    if (length + size > bytes.length) {
      const larger = new Uint8Array(Math.max(length + size, 2 * bytes.length))
      larger.set(bytes)
      bytes = larger
    }
    if (!source.has(size)) await source.need(size)
    source.copyTo(bytes, length, size)
    length += size
    offsets[row + 1] = length
  }
  return { offsets, bytes: bytes.subarray(0, length) }
}

/** What a server may say of a failure. */
const serverTextBytes = 4096

/** The bytes of an answer, as far as they have come. */
class ByteSource {
  readonly #iterator: AsyncIterator<Uint8Array>
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #mark = 0
  #isOver = false

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#iterator = body[Symbol.asyncIterator]()
  }

  has(count: number): boolean {
    return this.#at + count <= this.#bytes.length
  }

  /** Where a block begins: bytes from here on can be read again. */
  mark(): void {
    this.#bytes = this.#bytes.subarray(this.#at)
    this.#at = 0
    this.#mark = 0
  }

  async hasMore(): Promise<boolean> {
    while (!this.has(1) && !this.#isOver) await this.#more(1)
    return this.has(1)
  }

  async need(count: number): Promise<void> {
    while (!this.has(count)) {
      if (this.#isOver) {
        const text = this.#bytes.toString('utf8', this.#mark, this.#mark + serverTextBytes)
        throw new NativeFormatError('the answer is broken off', text)
      }
      await this.#more(this.#at + count - this.#bytes.length)
    }
  }

  async #more(countMin: number): Promise<void> {
    const pieces: Uint8Array[] = [this.#bytes]
    for (let got = 0; got < countMin; ) {
      const { done, value } = await this.#iterator.next()
      if (done === true) {
        this.#isOver = true
        break
      }
      pieces.push(value)
      got += value.length
    }
    this.#bytes = Buffer.concat(pieces)
  }

  async varint(): Promise<number> {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      if (!this.has(1)) await this.need(1)
      const byte = this.#bytes[this.#at++]
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
      if (factor > 2 ** 42) throw await notABlock(this)
    }
  }

  async text(): Promise<string> {
    const length = await this.varint()
    await this.need(length)
    this.#at += length
    return this.#bytes.toString('utf8', this.#at - length, this.#at)
  }

  /** In memory of its own, from its beginning. */
  async copy(length: number): Promise<Uint8Array<ArrayBuffer>> {
    await this.need(length)
    const copy = new Uint8Array(length)
    copy.set(this.#bytes.subarray(this.#at, this.#at + length))
    this.#at += length
    return copy
  }

  copyTo(target: Uint8Array, at: number, length: number): void {
    target.set(this.#bytes.subarray(this.#at, this.#at + length), at)
    this.#at += length
  }

  /** Whatever came since the mark, and what comes after it. */
  async textFromMark(): Promise<string> {
    while (!this.#isOver && this.#bytes.length < serverTextBytes) await this.#more(1)
    return this.#bytes.toString('utf8', this.#mark, this.#mark + serverTextBytes)
  }
}
