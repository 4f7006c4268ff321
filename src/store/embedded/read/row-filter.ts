// The part of a predicate that must look at rows: a tree over marks, one byte per row, each leaf
// one loop over a column. The part that looks at tags alone was answered by the index before; tag
// leaves that are left stand beside field leaves under an `or`, and are answered once per series.

import { type Column, type FieldType, type StringColumn, valueAt } from '../../../column/column.js'
import {
  type Comparison,
  isTagPredicate,
  type Predicate,
  type TagPredicate,
} from '../../../column/predicate.js'
import { compileRegex, type Regex } from '../../../column/regex.js'
import { parseSeriesKey, type Series } from '../../../column/series.js'
import { keyOf } from '../index/key-order.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { LoadedRows, Piece } from './cursor.js'
import { TextTest } from './text-test.js'

export interface SplitPredicate {
  readonly tags: TagPredicate | undefined
  readonly rows: Predicate | undefined
}

/** What the index can answer, and what is left for the rows; both must hold. */
export function splitPredicate(predicate: Predicate | undefined): SplitPredicate {
  if (predicate === undefined) return { tags: undefined, rows: undefined }
  if (isTagPredicate(predicate)) return { tags: predicate, rows: undefined }
  if (predicate.kind !== 'and') return { tags: undefined, rows: predicate }
  const tags: TagPredicate[] = []
  const rows: Predicate[] = []
  for (const part of predicate.parts) {
    if (isTagPredicate(part)) tags.push(part)
    else rows.push(part)
  }
  return {
    tags: tags.length === 0 ? undefined : { kind: 'and', parts: tags },
    rows: rows.length === 1 ? rows[0] : { kind: 'and', parts: rows },
  }
}

export class RowFilter {
  readonly #predicate: Predicate
  readonly #fields: readonly string[]
  readonly #keys: SeriesKeyView
  readonly #regexes = new Map<Predicate, Regex>()
  /** By condition on a field whose values are texts. */
  readonly #texts = new Map<Predicate, TextTest>()
  /** Whose tags were looked at last. */
  #seriesId = -1
  #series: Series | undefined

  /** `fields` are the names of the rows' columns. */
  constructor(predicate: Predicate, fields: readonly string[], keys: SeriesKeyView) {
    this.#predicate = predicate
    this.#fields = fields
    this.#keys = keys
    this.#compile(predicate)
  }

  /** One mark per row from `start` to `stop`, all of one series. */
  marks(loaded: LoadedRows, series: number): Uint8Array {
    return this.#evaluate(this.#predicate, loaded, series)
  }

  /** False where the bounds of its values tell that no row of a piece matches. */
  mayMatch(piece: Piece): boolean {
    return this.#mayMatch(this.#predicate, piece)
  }

  #mayMatch(predicate: Predicate, piece: Piece): boolean {
    switch (predicate.kind) {
      case 'field':
      case 'field-regex':
      case 'field-present': {
        const at = this.#fields.indexOf(predicate.field)
        const bounds = at < 0 ? undefined : piece.bounds(at)
        if (bounds === undefined) return at >= 0
        if (bounds.kind === 'no values') return false
        return predicate.kind !== 'field' || mayHold(predicate, bounds.min, bounds.max)
      }
      case 'and':
        return predicate.parts.every((part) => this.#mayMatch(part, piece))
      case 'or':
        return predicate.parts.some((part) => this.#mayMatch(part, piece))
      case 'not':
      case 'tag':
      case 'tag-regex':
        return true
    }
  }

  #compile(predicate: Predicate): void {
    if (predicate.kind === 'tag-regex' || predicate.kind === 'field-regex') {
      this.#regexes.set(predicate, compileRegex(predicate.pattern))
    } else if (predicate.kind === 'not') this.#compile(predicate.part)
    else if (predicate.kind === 'and' || predicate.kind === 'or') {
      for (const part of predicate.parts) this.#compile(part)
    }
  }

  #evaluate(predicate: Predicate, loaded: LoadedRows, series: number): Uint8Array {
    const count = loaded.stop - loaded.start
    switch (predicate.kind) {
      case 'tag': {
        const equal = this.#tagValue(series, predicate.tag) === predicate.value
        return new Uint8Array(count).fill(Number(equal === (predicate.op === '=')))
      }
      case 'tag-regex': {
        const matches = this.#regexes.get(predicate)!.test(this.#tagValue(series, predicate.tag))
        return new Uint8Array(count).fill(Number(matches !== predicate.negated))
      }
      case 'field':
      case 'field-regex': {
        const column = this.#column(predicate.field, loaded)
        if (column?.type === 'string') return this.#markTexts(column, predicate, loaded)
        if (predicate.kind === 'field-regex') return new Uint8Array(count)
        return compareField(column, predicate, loaded)
      }
      case 'field-present':
        return presenceMarks(this.#column(predicate.field, loaded), loaded)
      case 'not': {
        const marks = this.#evaluate(predicate.part, loaded, series)
        for (let i = 0; i < count; i++) marks[i] ^= 1
        return marks
      }
      case 'and':
      case 'or':
        return this.#combine(predicate.kind, predicate.parts, loaded, series)
    }
  }

  #combine(
    kind: 'and' | 'or',
    parts: readonly Predicate[],
    loaded: LoadedRows,
    series: number,
  ): Uint8Array {
    const count = loaded.stop - loaded.start
    const marks = new Uint8Array(count).fill(Number(kind === 'and'))
    for (const part of parts) {
      const others = this.#evaluate(part, loaded, series)
      if (kind === 'and') for (let i = 0; i < count; i++) marks[i] &= others[i]
      else for (let i = 0; i < count; i++) marks[i] |= others[i]
    }
    return marks
  }

  #markTexts(
    column: StringColumn,
    predicate: TextCondition,
    { start, stop }: LoadedRows,
  ): Uint8Array {
    const marks = new Uint8Array(stop - start)
    if (predicate.kind === 'field' && typeof predicate.value !== 'string') return marks
    let test = this.#texts.get(predicate)
    if (test === undefined) {
      test = textTest(predicate, this.#regexes.get(predicate))
      this.#texts.set(predicate, test)
    }
    test.mark(column, start, stop, marks)
    return marks
  }

  /** Keys are only spelled out where a tag is looked at. */
  #tagValue(series: number, tag: string): string {
    if (series !== this.#seriesId) {
      this.#seriesId = series
      this.#series = parseSeriesKey(keyOf(this.#keys, series))
    }
    return this.#series?.tags.find(({ key }) => key === tag)?.value ?? ''
  }

  #column(field: string, loaded: LoadedRows): Column | undefined {
    const at = this.#fields.indexOf(field)
    return at < 0 ? undefined : loaded.rows.columns[at]
  }
}

type FieldComparison = Predicate & { kind: 'field' }

type TextCondition = Predicate & { kind: 'field' | 'field-regex' }

function textTest(predicate: TextCondition, regex: Regex | undefined): TextTest {
  if (predicate.kind === 'field-regex') {
    return TextTest.of((text) => regex!.test(text) !== predicate.negated)
  }
  const { op } = predicate
  const value = predicate.value as string
  if (op === '=' || op === '!=') return TextTest.equal(value, op === '!=')
  return TextTest.of((text) => holds(op, text, value))
}

function presenceMarks(column: Column | undefined, { start, stop }: LoadedRows): Uint8Array {
  if (column?.validity !== undefined) return column.validity.slice(start, stop)
  return new Uint8Array(stop - start).fill(Number(column !== undefined))
}

function compareField(
  column: Column | undefined,
  predicate: FieldComparison,
  { start, stop }: LoadedRows,
): Uint8Array {
  const marks = new Uint8Array(stop - start)
  const { op, value } = predicate
  if (column === undefined || !sameFamily(column.type, typeof value)) return marks
  if (column.values instanceof Float64Array && typeof value === 'number') {
    compareNumbers(column.values, op, value, start, stop, marks)
    if (column.validity !== undefined) {
      for (let row = start; row < stop; row++) marks[row - start] &= column.validity[row]
    }
    return marks
  }
  for (let row = start; row < stop; row++) {
    const found = valueAt(column, row)
    if (found !== null) marks[row - start] = Number(holds(op, found, value))
  }
  return marks
}

/** Whether a number between the two may pass. */
function mayHold({ op, value }: FieldComparison, min: number, max: number): boolean {
  if (typeof value !== 'number' && typeof value !== 'bigint') return true
  switch (op) {
    case '=':
      return min <= value && value <= max
    case '!=':
      return true
    case '<':
    case '<=':
      return holds<number | bigint>(op, min, value)
    case '>':
    case '>=':
      return holds<number | bigint>(op, max, value)
  }
}

function sameFamily(type: FieldType, kind: string): boolean {
  if (type === 'string' || type === 'boolean') return kind === type
  return kind === 'number' || kind === 'bigint'
}

function compareNumbers(
  values: Float64Array,
  op: Comparison,
  value: number,
  start: number,
  stop: number,
  marks: Uint8Array,
): void {
  switch (op) {
    case '=':
      for (let i = start; i < stop; i++) marks[i - start] = values[i] === value ? 1 : 0
      break
    case '!=':
      for (let i = start; i < stop; i++) marks[i - start] = values[i] !== value ? 1 : 0
      break
    case '<':
      for (let i = start; i < stop; i++) marks[i - start] = values[i] < value ? 1 : 0
      break
    case '<=':
      for (let i = start; i < stop; i++) marks[i - start] = values[i] <= value ? 1 : 0
      break
    case '>':
      for (let i = start; i < stop; i++) marks[i - start] = values[i] > value ? 1 : 0
      break
    case '>=':
      for (let i = start; i < stop; i++) marks[i - start] = values[i] >= value ? 1 : 0
      break
  }
}

/** JavaScript compares numbers with bigints exactly, and texts by code units. */
function holds<T extends number | bigint | boolean | string>(op: Comparison, a: T, b: T): boolean {
  switch (op) {
    case '=':
      // biome-ignore lint/suspicious/noDoubleEquals: 1 == 1n is what is meant; families were checked
      return a == b
    case '!=':
      // biome-ignore lint/suspicious/noDoubleEquals: as above
      return a != b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
  }
}
