// An answer as the page keeps it, whichever language asked: tables of columns in typed arrays and dictionaries, no
// object per row. Moments are milliseconds with the nanoseconds beside them.

import type { SeriesList } from './series.js'

export type ColumnKind = 'time' | 'number' | 'text' | 'boolean'

export interface Column {
  readonly name: string
  readonly kind: ColumnKind
  /** Numbers, milliseconds since 1970, or codes of the dictionary; NaN: there is none. */
  readonly values: Float64Array
  /** Of texts and booleans. */
  readonly dictionary?: readonly string[] | undefined
  /** Of moments: nanoseconds within the millisecond; absent: none has any. */
  readonly nanos?: Int32Array | undefined
}

export interface Table {
  /** A measurement, a statement, a yield; empty where the language tells none. */
  readonly name: string
  /** What all rows of it share. */
  readonly tags: Readonly<Record<string, string>>
  readonly columns: readonly Column[]
  readonly rowCount: number
}

export interface Result {
  readonly tables: readonly Table[]
  readonly rowCount: number
  readonly byteCount: number
  readonly elapsedMs: number
  /** Whether reading stopped before the end, and at which limit. */
  readonly stoppedAt?: 'rows' | 'bytes'
  /** Of a long answer: what a chart draws of it. */
  readonly lines?: SeriesList
}

export interface Failure {
  readonly message: string
  readonly code?: string
  readonly requestId?: string
}

/** One column that grows: doubles, and is cut to its length at the end. */
export class ColumnBuilder {
  readonly name: string
  kind: ColumnKind | undefined
  #values = new Float64Array(64)
  #nanos: Int32Array | undefined
  #length = 0
  #lastCode = Number.NaN
  readonly #codes = new Map<string, number>()

  constructor(name: string, kind?: ColumnKind) {
    this.name = name
    this.kind = kind
  }

  get length(): number {
    return this.#length
  }

  /** Up to so many rows there is nothing. */
  padTo(length: number): void {
    while (this.#length < length) this.#push(Number.NaN)
  }

  number(value: number): void {
    this.kind ??= 'number'
    if (this.kind === 'number' || this.kind === 'time') this.#push(value)
    else this.text(String(value))
  }

  /** Of a column of numbers. */
  numbers(values: Float64Array): void {
    while (this.#length + values.length > this.#values.length) this.#grow()
    this.#values.set(values, this.#length)
    this.#length += values.length
  }

  /** The last row so many times more. */
  repeat(count: number): void {
    const last = this.#length - 1
    const nanos = this.#nanos?.[last] ?? 0
    while (this.#length + count > this.#values.length) this.#grow()
    this.#values.fill(this.#values[last], this.#length, this.#length + count)
    if (nanos !== 0) this.#nanos?.fill(nanos, this.#length, this.#length + count)
    this.#length += count
  }

  text(value: string): void {
    if (this.kind === 'number' || this.kind === 'time') this.#becomeText()
    this.kind ??= 'text'
    let code = this.#codes.get(value)
    if (code === undefined) {
      code = this.#codes.size
      this.#codes.set(value, code)
    }
    this.#lastCode = code
    this.#push(code)
  }

  boolean(value: boolean): void {
    if (this.kind === undefined) this.kind = 'boolean'
    if (this.kind === 'boolean') {
      for (const name of ['false', 'true']) {
        if (!this.#codes.has(name)) this.#codes.set(name, this.#codes.size)
      }
    }
    this.text(String(value))
  }

  /** The last text once more. */
  again(): void {
    this.#push(this.#lastCode)
  }

  nothing(): void {
    this.#push(Number.NaN)
  }

  time(ms: number, nanos: number): void {
    if (this.#length === this.#values.length) this.#grow()
    if (nanos !== 0) {
      this.#nanos ??= new Int32Array(this.#values.length)
      this.#nanos[this.#length] = nanos
    }
    this.#push(ms)
  }

  /** A moment in RFC 3339, with or without a zone (then UTC). What is none becomes text. */
  moment(text: string): void {
    this.kind ??= 'time'
    const parsed = this.kind === 'time' ? parseMoment(text) : undefined
    if (parsed === undefined) {
      this.text(text)
      return
    }
    this.time(parsed.ms, parsed.nanos)
  }

  finish(): Column {
    const { name, kind = 'text' } = this
    const values = this.#values.slice(0, this.#length)
    if (kind === 'number') return { name, kind, values }
    if (kind !== 'time') return { name, kind, values, dictionary: [...this.#codes.keys()] }
    const nanos = this.#nanos?.slice(0, this.#length)
    return nanos === undefined ? { name, kind, values } : { name, kind, values, nanos }
  }

  #push(value: number): void {
    if (this.#length === this.#values.length) this.#grow()
    this.#values[this.#length++] = value
  }

  #grow(): void {
    const values = new Float64Array(this.#values.length * 2)
    values.set(this.#values)
    this.#values = values
    if (this.#nanos === undefined) return
    const nanos = new Int32Array(values.length)
    nanos.set(this.#nanos)
    this.#nanos = nanos
  }

  /** A column that turned out to be mixed: what it has so far is spelt. */
  #becomeText(): void {
    const before = { name: this.name, kind: this.kind!, values: this.#values, nanos: this.#nanos }
    const length = this.#length
    this.kind = 'text'
    this.#length = 0
    const copy = { ...before, values: before.values.slice(0, length) }
    for (let row = 0; row < length; row++) {
      if (Number.isNaN(copy.values[row])) this.#push(Number.NaN)
      else this.text(cellText(copy, row))
    }
  }
}

const momentPattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/

export function parseMoment(text: string): { ms: number; nanos: number } | undefined {
  const found = momentPattern.exec(text)
  if (found === null) return undefined
  const fraction = (found[3] ?? '').padEnd(9, '0')
  const ms = Date.parse(`${found[1]}T${found[2]}.${fraction.slice(0, 3)}${found[4] ?? 'Z'}`)
  return Number.isNaN(ms) ? undefined : { ms, nanos: Number(fraction.slice(3)) }
}

/** Moments in UTC with as many digits as they have. Empty where there is nothing. */
export function cellText(
  column: Pick<Column, 'kind' | 'values' | 'dictionary' | 'nanos'>,
  row: number,
): string {
  const value = column.values[row]
  if (Number.isNaN(value)) return ''
  if (column.dictionary !== undefined) return column.dictionary[value] ?? ''
  if (column.kind !== 'time') return String(value)
  const text = new Date(value).toISOString()
  const nanos = column.nanos?.[row] ?? 0
  if (nanos !== 0) return text.replace('Z', `${String(nanos).padStart(6, '0')}Z`)
  return text.replace('.000Z', 'Z')
}

/** What may be handed to another thread without copying. */
export function transferable(tables: readonly Table[], lines?: SeriesList): ArrayBuffer[] {
  const buffers = new Set<ArrayBufferLike>()
  for (const { columns } of tables) {
    for (const { values, nanos } of columns) {
      buffers.add(values.buffer)
      if (nanos !== undefined) buffers.add(nanos.buffer)
    }
  }
  // Lines may be columns of the tables, and share their moments.
  for (const { times, values } of lines?.series ?? []) buffers.add(times.buffer).add(values.buffer)
  return [...buffers] as ArrayBuffer[]
}
