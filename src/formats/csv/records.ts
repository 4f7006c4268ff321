// CSV as records of cells, from a stream of text: cells may be quoted, and then hold separators, line ends and doubled
// quotes. A cell without anything in it is no value; one with nothing between quotes is none either, as other tools
// have it.

import { UserError } from '../../errors.js'
import type { Cell } from '../points/point-rows.js'

export interface CsvRecord {
  readonly cells: readonly Cell[]
  /** Where it begins, counted from 1. */
  readonly line: number
  /** Whether nothing stands on its line. */
  readonly isBlank: boolean
}

/** A record that is longer has an open quote: the text of one value has half of it at most. */
const recordLengthMax = 2_000_000

/** More than a measurement has fields and tags. Each cell takes memory, be it empty. */
const cellsMax = 20_000

export interface CsvShape {
  /** Between cells; default: a comma, or as the first line says. */
  readonly separator?: string | undefined
  /** Lines that are taken as if the file began with them; records of theirs have the line 0. */
  readonly header?: readonly string[] | undefined
  /** So many of the file's first lines are not looked at. */
  readonly skipHeader?: number | undefined
}

/** As many records at a time as a piece of the text holds. */
export async function* csvRecords(
  texts: AsyncIterable<string>,
  { separator, header = [], skipHeader = 0 }: CsvShape,
): AsyncGenerator<readonly CsvRecord[]> {
  const splitter = new RecordSplitter(separator, 1 + skipHeader - header.length)
  const first = splitter.push(header.map((line) => `${line}\n`).join(''))
  if (first.length > 0) yield first.map((record) => ({ ...record, line: 0 }))
  for await (const text of withoutLines(texts, skipHeader)) {
    const records = splitter.push(text)
    if (records.length > 0) yield records
  }
  const last = splitter.end()
  if (last.length > 0) yield last
}

async function* withoutLines(texts: AsyncIterable<string>, count: number): AsyncGenerator<string> {
  let left = count
  for await (const text of texts) {
    let at = 0
    while (left > 0 && at < text.length) {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end + 1
      if (end >= 0) left--
    }
    if (at < text.length) yield text.slice(at)
  }
}

class RecordSplitter {
  #separator: string
  /** The first line may say what stands between cells. */
  #isFirst: boolean
  #rest = ''
  #line: number

  constructor(wanted: string | undefined, firstLine: number) {
    this.#line = firstLine
    this.#separator = wanted ?? ','
    this.#isFirst = wanted === undefined
  }

  push(text: string): CsvRecord[] {
    this.#rest = this.#rest === '' ? text : this.#rest + text
    const records = this.#records(false)
    if (this.#rest.length <= recordLengthMax) return records
    const reason = `line ${this.#line}: a record of more than ${recordLengthMax} characters`
    throw new UserError('invalid', `${reason}: is a quote never closed?`)
  }

  end(): CsvRecord[] {
    const records = this.#records(true)
    if (this.#rest === '') return records
    throw new UserError('invalid', `line ${this.#line}: the quote is never closed`)
  }

  #records(isEnd: boolean): CsvRecord[] {
    const text = this.#rest
    const records: CsvRecord[] = []
    let at = 0
    while (at < text.length) {
      const end = text.indexOf('\n', at)
      const quoteAt = text.indexOf('"', at)
      const isQuoted = quoteAt >= 0 && (end < 0 || quoteAt < end)
      if (isQuoted) {
        const next = this.#quoted(text, at, isEnd, records)
        if (next < 0) break
        at = next
        continue
      }
      if (end < 0 && !isEnd) break
      const stop = end < 0 ? text.length : end
      const line = text.slice(at, stop > at && text[stop - 1] === '\r' ? stop - 1 : stop)
      this.#add(line, records)
      at = stop + 1
    }
    this.#rest = at >= text.length ? '' : text.slice(at)
    return records
  }

  #add(text: string, records: CsvRecord[]): void {
    const line = this.#line++
    const separator = this.#isFirst ? /^sep=(.)$/.exec(text)?.[1] : undefined
    this.#isFirst = false
    if (separator !== undefined) {
      this.#separator = separator
      return
    }
    const cells: Cell[] = text.split(this.#separator, cellsMax + 1)
    if (cells.length > cellsMax) throw tooWide(line)
    for (let i = 0; i < cells.length; i++) if (cells[i] === '') cells[i] = undefined
    records.push({ cells, line, isBlank: text === '' })
  }

  /** Right behind a record with quotes; -1: it is not there to its end. */
  #quoted(text: string, start: number, isEnd: boolean, records: CsvRecord[]): number {
    const cells: Cell[] = []
    const line = this.#line
    let lineEnds = 0
    let at = start
    for (;;) {
      let cell = ''
      if (text[at] === '"') {
        for (at++; ; at++) {
          const close = text.indexOf('"', at)
          if (close < 0) return -1
          cell += text.slice(at, close)
          at = close + 1
          if (text[at] !== '"') break
          cell += '"'
        }
        // A doubled quote may be cut in the middle by the piece's end.
        if (at === text.length && !isEnd) return -1
        for (const character of cell) if (character === '\n') lineEnds++
      }
      const end = endOfCell(text, at, this.#separator)
      if (end === text.length && !isEnd) return -1
      const tail = text.slice(at, end)
      const isLast = text[end] !== this.#separator
      cell += isLast && tail.endsWith('\r') ? tail.slice(0, -1) : tail
      cells.push(cell === '' ? undefined : cell)
      if (cells.length > cellsMax) throw tooWide(line)
      at = end + 1
      if (!isLast) continue
      this.#line += lineEnds + 1
      this.#isFirst = false
      records.push({ cells, line, isBlank: false })
      return at
    }
  }
}

function tooWide(line: number): UserError {
  return new UserError('invalid', `line ${line}: more than ${cellsMax} cells`)
}

function endOfCell(text: string, from: number, separator: string): number {
  let at = from
  while (at < text.length && text[at] !== separator && text[at] !== '\n') at++
  return at
}

/** Bytes as text, in pieces. Throws UserError where they are none. */
export async function* decoded(
  chunks: AsyncIterable<Uint8Array>,
  encoding = 'utf-8',
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder>
  try {
    decoder = new TextDecoder(encoding, { fatal: true })
  } catch {
    throw new UserError('invalid', `"${encoding}" is no encoding of text`)
  }
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UserError('invalid', `the file is not ${encoding} text: name its encoding`)
  }
}
