// Text cut into records of fields as CSV has them (RFC 4180), taking quotes as easily as Go's reader
// does when it is told to: a quote inside a field that was not quoted is itself, and so is one inside a
// quoted field that neither ends it nor is doubled. Empty lines are no records.

const quote = 34
const lineFeed = 10
const carriageReturn = 13
const comma = 44

export class CsvRecords {
  readonly #text: string
  #at = 0
  #unread: readonly string[] | undefined

  constructor(text: string) {
    // A mark of byte order at the beginning says nothing about UTF-8.
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text
  }

  /** undefined: there are no more. */
  next(): readonly string[] | undefined {
    if (this.#unread !== undefined) {
      const record = this.#unread
      this.#unread = undefined
      return record
    }
    this.#skipEmptyLines()
    return this.#at >= this.#text.length ? undefined : this.#record()
  }

  /** The next call of `next` gives it again. */
  unread(record: readonly string[]): void {
    this.#unread = record
  }

  #skipEmptyLines(): void {
    const text = this.#text
    for (;;) {
      const c = text.charCodeAt(this.#at)
      if (c === lineFeed) this.#at++
      else if (c === carriageReturn && text.charCodeAt(this.#at + 1) === lineFeed) this.#at += 2
      else return
    }
  }

  #record(): string[] {
    const fields: string[] = []
    for (;;) {
      const isQuoted = this.#text.charCodeAt(this.#at) === quote
      fields.push(isQuoted ? this.#quotedField() : this.#plainField())
      if (this.#text.charCodeAt(this.#at) !== comma) break
      this.#at++
    }
    this.#endLine()
    return fields
  }

  /** Up to the next comma or the end of the line. */
  #plainField(): string {
    const text = this.#text
    const start = this.#at
    let at = start
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at)
      if (c === comma || c === lineFeed) break
    }
    this.#at = at
    const isCrLf = text.charCodeAt(at) !== comma && text.charCodeAt(at - 1) === carriageReturn
    return text.slice(start, isCrLf && at > start ? at - 1 : at)
  }

  #quotedField(): string {
    const text = this.#text
    let field = ''
    let start = ++this.#at
    for (;;) {
      const end = text.indexOf('"', start)
      if (end < 0) {
        this.#at = text.length
        return withPlainLineEnds(field + text.slice(start))
      }
      field += text.slice(start, end)
      const after = text.charCodeAt(end + 1)
      if (after === quote) {
        field += '"'
        start = end + 2
      } else if (this.#isFieldEnd(end + 1)) {
        this.#at = end + 1
        return withPlainLineEnds(field)
      } else {
        field += '"'
        start = end + 1
      }
    }
  }

  #isFieldEnd(at: number): boolean {
    const text = this.#text
    if (at >= text.length) return true
    const c = text.charCodeAt(at)
    if (c === carriageReturn) return at + 1 >= text.length || text.charCodeAt(at + 1) === lineFeed
    return c === comma || c === lineFeed
  }

  #endLine(): void {
    if (this.#text.charCodeAt(this.#at) === carriageReturn) this.#at++
    if (this.#text.charCodeAt(this.#at) === lineFeed) this.#at++
  }
}

function withPlainLineEnds(field: string): string {
  return field.includes('\r\n') ? field.replaceAll('\r\n', '\n') : field
}
