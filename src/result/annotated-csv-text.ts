// Fields of annotated CSV, quoted where Go's writer quotes them, with quotes doubled. Line breaks within
// a text stay as they are: Go's writer would make CRLF of a line feed and leave carriage returns out,
// which its own reader takes back and every other one does not. And a column's dictionary, each entry
// spelt when it is first met and copied from then on.

import { ByteWriter } from './byte-writer.js'

const [lineFeed, carriageReturn, quote, space] = [10, 13, 34, 32]

export class CsvFields {
  readonly delimiter: number

  /** `delimiter`: one ASCII character, and none of those that quoting is made of. */
  constructor(delimiter: string) {
    this.delimiter = delimiter.charCodeAt(0)
  }

  putDelimiter(out: ByteWriter): void {
    out.reserve(1)
    out.view.setUint8(out.length++, this.delimiter)
  }

  /** Several fields, with a delimiter between them. */
  putAll(out: ByteWriter, texts: readonly string[]): void {
    for (let i = 0; i < texts.length; i++) {
      if (i > 0) this.putDelimiter(out)
      this.put(out, texts[i])
    }
  }

  put(out: ByteWriter, text: string): void {
    const { length } = text
    out.reserve(length)
    const { view, length: at } = out
    const { delimiter } = this
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      // Below the space there are the line breaks, and tabs that may stand in front.
      if (code < space || code > 126 || code === quote || code === delimiter) {
        return this.#putSlowly(out, text)
      }
      view.setUint8(at + i, code)
    }
    if (length > 0 && (text.charCodeAt(0) === space || text === '\\.')) {
      return this.#putSlowly(out, text)
    }
    out.length = at + length
  }

  #putSlowly(out: ByteWriter, text: string): void {
    const spelt = this.#needsQuotes(text) ? `"${text.replaceAll('"', '""')}"` : text
    // No character of a string takes more than three bytes.
    out.reserve(spelt.length * 3)
    out.length += out.bytes.write(spelt, out.length)
  }

  #needsQuotes(text: string): boolean {
    if (text === '\\.') return true
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code === quote || code === lineFeed || code === carriageReturn) return true
      if (code === this.delimiter) return true
    }
    // JavaScript calls the byte order mark a space, and Go the next-line control.
    return /^(?!\ufeff)[\s\u0085]/.test(text)
  }
}

export class CsvDictionary {
  readonly #fields: CsvFields
  readonly #spelt = new ByteWriter()
  #entries: readonly string[] = []
  /** Where an entry's text begins in `#spelt`, plus one; 0: not spelt yet. */
  #starts = new Uint32Array(16)
  #ends = new Uint32Array(16)

  constructor(fields: CsvFields) {
    this.#fields = fields
  }

  /** Whether entries repeat enough for this to be of use. */
  static suits(entries: readonly string[], rowCount: number): boolean {
    return entries.length * 2 <= rowCount
  }

  use(entries: readonly string[]): void {
    this.#entries = entries
    const { length } = entries
    if (length > this.#starts.length) {
      this.#starts = new Uint32Array(length)
      this.#ends = new Uint32Array(length)
    } else this.#starts.fill(0, 0, length)
    this.#spelt.length = 0
  }

  put(out: ByteWriter, entry: number): void {
    if (this.#starts[entry] === 0) this.#spell(entry)
    const start = this.#starts[entry] - 1
    const end = this.#ends[entry]
    out.reserve(end - start)
    out.length = copyBytes(this.#spelt.view, start, end, out.view, out.length)
  }

  #spell(entry: number): void {
    this.#starts[entry] = this.#spelt.length + 1
    this.#fields.put(this.#spelt, this.#entries[entry])
    this.#ends[entry] = this.#spelt.length
  }
}

/** Four bytes at a time; may write and read up to three more than asked for. */
export function copyBytes(
  source: DataView,
  start: number,
  end: number,
  view: DataView,
  at: number,
): number {
  const distance = at - start
  for (let i = start; i < end; i += 4) view.setInt32(i + distance, source.getInt32(i, true), true)
  return end + distance
}
