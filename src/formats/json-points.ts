// JSON lines as points: an object a line, flat, or with the members `tags` and `fields` as client libraries write
// points. Numbers keep their spelling, so that 1.0 is no integer and large integers stay exact. What members are is
// guessed from the first lines; one that comes later is judged by the lines that bring it.

import { checkJsonBounds } from '../column/json-bounds.js'
import { UserError } from '../errors.js'
import { decoded } from './csv/records.js'
import { guessColumns, type SampledColumn } from './points/guess.js'
import type { FormatOptions, PointColumn } from './points/point-column.js'
import { type Cell, type PointBatch, PointRows } from './points/point-rows.js'

const sampleRows = 1000
/** In characters: lines may be megabytes long. */
const sampleLength = 4_000_000
/** A line that is longer is none: the text of one value has half of it at most. */
const lineLengthMax = 2_000_000
const membersMax = 10_000

interface JsonLine {
  readonly text: string
  readonly line: number
}

export async function* jsonPoints(
  chunks: AsyncIterable<Uint8Array>,
  options: FormatOptions,
  batchLength: number,
): AsyncGenerator<PointBatch> {
  const members = new JsonMembers(options)
  let waiting: JsonLine[] = []
  let isFirst = true
  let length = 0
  for await (const lines of jsonLines(decoded(chunks, options.encoding))) {
    waiting = waiting.concat(lines)
    for (const { text } of lines) length += text.length
    if (isFirst && waiting.length < sampleRows && length < sampleLength) continue
    isFirst = false
    yield* members.take(waiting, batchLength)
    waiting = []
  }
  yield* members.take(waiting, batchLength)
}

async function* jsonLines(texts: AsyncIterable<string>): AsyncGenerator<JsonLine[]> {
  let rest = ''
  let line = 1
  for await (const text of texts) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > lineLengthMax) throw new UserError('invalid', `line ${line}: too long`)
    yield lines.map((one) => ({ text: one, line: line++ })).filter(({ text: one }) => one.trim())
  }
  if (rest.trim() !== '') yield [{ text: rest, line }]
}

/** A row by the numbers of its members. */
interface JsonRow {
  readonly cells: Cell[]
  readonly line: number
}

class JsonMembers {
  readonly #options: FormatOptions
  /** By path: `f`, or `tags` and `host` with a zero character between them. */
  readonly #numbers = new Map<string, number>()
  readonly #kinds: SampledColumn['kind'][] = []
  #columns: PointColumn[] = []
  #rows: PointRows | undefined

  constructor(options: FormatOptions) {
    this.#options = options
  }

  *take(lines: readonly JsonLine[], batchLength: number): Generator<PointBatch> {
    const read: JsonRow[] = []
    const refused: { line: number; reason: string }[] = []
    for (const { text, line } of lines) {
      const row = this.#read(text, line)
      if (typeof row === 'string') refused.push({ line, reason: row })
      else read.push(row)
    }
    if (read.length === 0 && refused.length > 0 && this.#rows === undefined) {
      throw new UserError('invalid', `line ${refused[0].line}: ${refused[0].reason}`)
    }
    if (this.#columns.length < this.#numbers.size) {
      if (this.#rows?.isEmpty === false) yield this.#rows.take()
      this.#addColumns(read)
    }
    const rows = this.#rows
    if (rows === undefined) return
    for (const { line, reason } of refused) rows.refuse(line, reason)
    for (const { cells, line } of read) {
      rows.add(cells, line)
      if (rows.length >= batchLength) yield rows.take()
    }
    if (!rows.isEmpty) yield rows.take()
  }

  #addColumns(read: readonly JsonRow[]): void {
    const paths = [...this.#numbers.keys()].slice(this.#columns.length)
    const from = this.#columns.length
    const sampled = paths.map((path, i) => {
      const values = read.map(({ cells }) => cells[from + i]).filter((cell) => cell !== undefined)
      return { name: path.split('\0').at(-1) ?? '', values, kind: this.#kinds[from + i] }
    })
    const hasTime = this.#columns.some(({ role }) => role === 'time')
    const guesses = guessColumns(sampled, this.#options, hasTime)
    const added = guesses.map((guess, i) => byPlace(paths[i], guess, sampled[i]))
    this.#columns = [...this.#columns, ...added]
    this.#options.onColumns?.(this.#columns)
    this.#rows = new PointRows(this.#columns, this.#options)
  }

  /** Why it is no point, where it is none. */
  #read(text: string, line: number): JsonRow | string {
    let value: unknown
    try {
      checkJsonBounds(text)
      value = JSON.parse(withSpeltNumbers(text))
    } catch (error) {
      return error instanceof UserError ? error.message : 'the line is not JSON'
    }
    if (!isObject(value)) return 'the line is no JSON object'
    const row: JsonRow = { cells: [], line }
    for (const [name, member] of Object.entries(value)) {
      if (!isObject(member)) this.#put(row, name, member)
      else
        for (const [below, inner] of Object.entries(member))
          this.#put(row, `${name}\0${below}`, inner)
    }
    return row
  }

  #put({ cells }: JsonRow, path: string, value: unknown): void {
    if (value === null) return
    const known = this.#numbers.get(path)
    const number = known ?? this.#numbers.size
    if (number >= membersMax) throw new UserError('invalid', `more than ${membersMax} members`)
    if (known === undefined) {
      this.#numbers.set(path, number)
      this.#kinds.push(kindOf(value))
    } else if (this.#kinds[number] !== kindOf(value)) this.#kinds[number] = 'text'
    cells[number] = cellOf(value)
  }
}

/** Members of `tags` and `fields` are what they say. */
function byPlace(path: string, guess: PointColumn, { name }: SampledColumn): PointColumn {
  if (path.startsWith('tags\0')) return { name, role: 'tag' }
  if (!path.includes('\0')) {
    return path === 'name' && guess.role !== 'field' ? { name, role: 'measurement' } : guess
  }
  return guess.role === 'field' ? guess : { name, role: 'field', type: 'string' }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const marker = '\0'

/** Numbers as texts that begin with a zero character: their digits would be lost. */
function withSpeltNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (found) =>
    found.startsWith('"') ? found : `"\\u0000${found}"`,
  )
}

function kindOf(value: unknown): SampledColumn['kind'] {
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'string' && value.startsWith(marker) ? 'number' : 'text'
}

function cellOf(value: unknown): string {
  if (typeof value !== 'string') {
    return typeof value === 'boolean'
      ? String(value)
      : JSON.stringify(value).replace(/"\\u0000([^"]*)"/g, '$1')
  }
  return value.startsWith(marker) ? value.slice(1) : value
}
