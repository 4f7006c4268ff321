// Which series of a measurement match a predicate over tags: ascending lists of positions, from
// postings where a leaf asks for one value, from one look at each distinct value where it asks for
// a pattern. A pattern over a million values may take a second: who can be interrupted asks in turns.

import {
  type LiteralPattern,
  literalPattern,
  matchesLiteral,
} from '../../../column/literal-pattern.js'
import type { TagPredicate } from '../../../column/predicate.js'
import { compileRegex, type Regex } from '../../../column/regex.js'
import { atOnce, type Work } from '../../../platform/turns.js'
import type { Measurement } from './series-index.js'
import type { TagColumn } from './tag-column.js'

type TagLeaf = Extract<TagPredicate, { kind: 'tag' }>
type RegexLeaf = Extract<TagPredicate, { kind: 'tag-regex' }>

export function matchSeries(measurement: Measurement, predicate: TagPredicate): Uint32Array {
  return atOnce(matchSeriesInTurns(measurement, predicate))
}

/** The same, interruptible. What is written in the meantime may be missing. */
export function* matchSeriesInTurns(
  measurement: Measurement,
  predicate: TagPredicate,
): Work<Uint32Array> {
  switch (predicate.kind) {
    case 'tag':
      return yield* matchTag(measurement, predicate)
    case 'tag-regex':
      return yield* matchRegex(measurement, predicate)
    case 'not':
      return without(
        measurement.seriesCount,
        yield* matchSeriesInTurns(measurement, predicate.part),
      )
    case 'and':
      return yield* matchAll(measurement, predicate.parts)
    case 'or':
      return yield* matchAny(measurement, predicate.parts)
  }
}

function* matchAny(measurement: Measurement, parts: readonly TagPredicate[]): Work<Uint32Array> {
  let all: Uint32Array = none
  for (const part of parts) {
    all = union(all, yield* matchSeriesInTurns(measurement, part))
    yield
  }
  return all
}

/** The shortest list first, so that what one value chooses out of a million series costs no more than it has. */
function* matchAll(measurement: Measurement, parts: readonly TagPredicate[]): Work<Uint32Array> {
  const chosen: Uint32Array[] = []
  const refused: Uint32Array[] = []
  for (const part of parts) {
    const opposite = oppositeOf(part)
    const matching = yield* matchSeriesInTurns(measurement, opposite ?? part)
    if (opposite === undefined) chosen.push(matching)
    else refused.push(matching)
  }
  chosen.sort((a, b) => a.length - b.length)
  let left = chosen.shift() ?? without(measurement.seriesCount, none)
  for (const positions of chosen) {
    yield
    left = intersection(left, positions)
  }
  for (const positions of refused) {
    yield
    left = difference(left, positions)
  }
  return left
}

/** What a part refuses, where that is shorter to list than what it leaves. */
function oppositeOf(part: TagPredicate): TagPredicate | undefined {
  if (part.kind === 'not') return part.part
  return part.kind === 'tag' && part.op === '!=' ? { ...part, op: '=' } : undefined
}

const none = new Uint32Array(0)

function* matchTag(measurement: Measurement, { tag, op, value }: TagLeaf): Work<Uint32Array> {
  const equal = yield* positionsEqual(measurement, measurement.tags.get(tag), value)
  return op === '=' ? equal : without(measurement.seriesCount, equal)
}

function* positionsEqual(
  measurement: Measurement,
  column: TagColumn | undefined,
  value: string,
): Work<Uint32Array> {
  const count = measurement.seriesCount
  if (column === undefined) return value === '' ? without(count, none) : none
  if (value === '') return yield* column.positionsWhere(Uint8Array.of(1), count)
  const code = column.codeOf(value)
  if (code === 0) return none
  yield* column.prepared()
  return column.positionsOf(code)
}

function* matchRegex(measurement: Measurement, leaf: RegexLeaf): Work<Uint32Array> {
  const count = measurement.seriesCount
  const column = measurement.tags.get(leaf.tag)
  if (column === undefined) {
    return compileRegex(leaf.pattern).test('') !== leaf.negated ? without(count, none) : none
  }
  return yield* column.positionsWhere(yield* acceptedCodes(column, leaf), count)
}

/** Values between two places where the work may be interrupted: a pattern takes about a microsecond for one. */
const stepValues = 512

/** 1 for each code that the leaf takes. */
function* acceptedCodes(column: TagColumn, { pattern, negated }: RegexLeaf): Work<Uint8Array> {
  const test = new ValueTest(column, pattern)
  const accepts = new Uint8Array(column.values.count + 1)
  accepts[0] = Number(test.matches(noBytes, 0, 0) !== negated)
  for (let code = 1; code < accepts.length; code += stepValues) {
    test.mark(accepts, code, Math.min(code + stepValues, accepts.length), !negated)
    yield
  }
  return accepts
}

const noBytes = new Uint8Array(0)

/** Whether values match a pattern: from their bytes where these tell. */
class ValueTest {
  readonly #values: TagColumn['values']
  readonly #pattern: string
  readonly #literal: LiteralPattern | undefined
  #regex: Regex | undefined

  constructor({ values }: TagColumn, pattern: string) {
    this.#values = values
    this.#pattern = pattern
    this.#literal = literalPattern(pattern)
  }

  /** Marks the codes from `start` to `stop` whose value matches, or those whose value does not. */
  mark(accepts: Uint8Array, start: number, stop: number, wanted: boolean): void {
    const { arena, starts, lengths } = this.#values
    for (let code = start; code < stop; code++) {
      const matches = this.matches(arena, starts[code - 1], lengths[code - 1])
      accepts[code] = Number(matches === wanted)
    }
  }

  matches(arena: Uint8Array, start: number, length: number): boolean {
    const literal = this.#literal
    const found = literal && matchesLiteral(literal, arena, start, length)
    return found ?? this.#compiled().test(textOf(arena, start, length))
  }

  #compiled(): Regex {
    this.#regex ??= compileRegex(this.#pattern)
    return this.#regex
  }
}

function textOf({ buffer, byteOffset }: Uint8Array, start: number, length: number): string {
  return Buffer.from(buffer, byteOffset + start, length).toString('utf8')
}

function without(count: number, positions: Uint32Array): Uint32Array {
  const rest = new Uint32Array(count - positions.length)
  let next = 0
  let length = 0
  for (let i = 0; i < count; i++) {
    if (next < positions.length && positions[next] === i) next++
    else rest[length++] = i
  }
  return rest
}

/** From so many times as many on the few are looked for among the many. */
const farMore = 32

function intersection(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (a.length * farMore < b.length) return a.filter((position) => has(b, position))
  if (b.length * farMore < a.length) return b.filter((position) => has(a, position))
  const both = new Uint32Array(Math.min(a.length, b.length))
  let length = 0
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      both[length++] = a[i++]
      j++
    } else if (a[i] < b[j]) i++
    else j++
  }
  return both.subarray(0, length)
}

function difference(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (a.length * farMore < b.length) return a.filter((position) => !has(b, position))
  const rest = new Uint32Array(a.length)
  let length = 0
  for (let i = 0, j = 0; i < a.length; i++) {
    while (j < b.length && b[j] < a[i]) j++
    if (j >= b.length || b[j] !== a[i]) rest[length++] = a[i]
  }
  return rest.subarray(0, length)
}

function has(positions: Uint32Array, position: number): boolean {
  let low = 0
  let high = positions.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (positions[middle] < position) low = middle + 1
    else high = middle
  }
  return positions[low] === position
}

function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  const all = new Uint32Array(a.length + b.length)
  let length = 0
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const next = j >= b.length || (i < a.length && a[i] <= b[j]) ? a[i] : b[j]
    if (i < a.length && a[i] === next) i++
    if (j < b.length && b[j] === next) j++
    all[length++] = next
  }
  return all.subarray(0, length)
}
