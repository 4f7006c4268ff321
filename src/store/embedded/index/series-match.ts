// Which series of a measurement match a predicate over tags: ascending lists of positions, from
// postings where a leaf asks for one value, from one look at each distinct value where it asks for
// a pattern. A pattern over a million values takes a second: who can be interrupted has these looked at before.

import type { TagPredicate } from '../../../column/predicate.js'
import { compileRegex } from '../../../column/regex.js'
import type { Work } from '../../../platform/turns.js'
import type { Measurement } from './series-index.js'
import type { TagColumn } from './tag-column.js'

type RegexLeaf = Extract<TagPredicate, { kind: 'tag-regex' }>
type Leaf = RegexLeaf | Extract<TagPredicate, { kind: 'tag' }>

/** By leaf: 1 for each code of its column that the pattern takes. */
type Accepted = ReadonlyMap<RegexLeaf, Uint8Array>

const nothingAccepted: Accepted = new Map()

export function matchSeries(measurement: Measurement, predicate: TagPredicate): Uint32Array {
  return match(measurement, predicate, nothingAccepted)
}

/** The same, interruptible. What is written in the meantime may be missing. */
export function* matchSeriesInTurns(
  measurement: Measurement,
  predicate: TagPredicate,
): Work<Uint32Array> {
  const accepted = new Map<RegexLeaf, Uint8Array>()
  for (const leaf of leaves(predicate)) {
    const column = measurement.tags.get(leaf.tag)
    if (column === undefined) continue
    if (leaf.kind === 'tag-regex') accepted.set(leaf, yield* acceptedCodes(column, leaf))
    else if (leaf.value !== '') yield* column.prepared()
  }
  return match(measurement, predicate, accepted)
}

function match(measurement: Measurement, predicate: TagPredicate, accepted: Accepted): Uint32Array {
  switch (predicate.kind) {
    case 'tag':
      return matchTag(measurement, predicate.tag, predicate.op, predicate.value)
    case 'tag-regex':
      return matchRegex(measurement, predicate, accepted.get(predicate))
    case 'not':
      return without(measurement.seriesCount, match(measurement, predicate.part, accepted))
    case 'and':
      return matchAll(measurement, predicate.parts, accepted)
    case 'or':
      return predicate.parts.map((part) => match(measurement, part, accepted)).reduce(union, none)
  }
}

function* leaves(predicate: TagPredicate): Generator<Leaf, void, void> {
  if (predicate.kind === 'not') yield* leaves(predicate.part)
  else if (predicate.kind === 'tag' || predicate.kind === 'tag-regex') yield predicate
  else for (const part of predicate.parts) yield* leaves(part)
}

/** The shortest list first, so that what one value chooses out of a million series costs no more than it has. */
function matchAll(
  measurement: Measurement,
  parts: readonly TagPredicate[],
  accepted: Accepted,
): Uint32Array {
  const chosen: Uint32Array[] = []
  const refused: Uint32Array[] = []
  for (const part of parts) {
    const opposite = oppositeOf(part)
    if (opposite === undefined) chosen.push(match(measurement, part, accepted))
    else refused.push(match(measurement, opposite, accepted))
  }
  chosen.sort((a, b) => a.length - b.length)
  const first = chosen.shift() ?? without(measurement.seriesCount, none)
  return refused.reduce(difference, chosen.reduce(intersection, first))
}

/** What a part refuses, where that is shorter to list than what it leaves. */
function oppositeOf(part: TagPredicate): TagPredicate | undefined {
  if (part.kind === 'not') return part.part
  return part.kind === 'tag' && part.op === '!=' ? { ...part, op: '=' } : undefined
}

const none = new Uint32Array(0)

function matchTag(
  measurement: Measurement,
  tag: string,
  op: '=' | '!=',
  value: string,
): Uint32Array {
  const column = measurement.tags.get(tag)
  const equal = positionsEqual(measurement, column, value)
  return op === '=' ? equal : without(measurement.seriesCount, equal)
}

function positionsEqual(
  measurement: Measurement,
  column: TagColumn | undefined,
  value: string,
): Uint32Array {
  const count = measurement.seriesCount
  if (column === undefined) return value === '' ? without(count, none) : none
  if (value === '') return column.positionsWhere(Uint8Array.of(1), count)
  const code = column.codeOf(value)
  return code === 0 ? none : column.positionsOf(code)
}

function matchRegex(
  measurement: Measurement,
  leaf: RegexLeaf,
  accepted: Uint8Array | undefined,
): Uint32Array {
  const count = measurement.seriesCount
  const column = measurement.tags.get(leaf.tag)
  if (column === undefined) {
    return compileRegex(leaf.pattern).test('') !== leaf.negated ? without(count, none) : none
  }
  return column.positionsWhere(accepted ?? allAtOnce(acceptedCodes(column, leaf)), count)
}

function allAtOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/** Values between two places where the work may be interrupted: one takes about a microsecond. */
const stepValues = 512

function* acceptedCodes({ values }: TagColumn, { pattern, negated }: RegexLeaf): Work<Uint8Array> {
  const regex = compileRegex(pattern)
  const accepts = new Uint8Array(values.count + 1)
  accepts[0] = Number(regex.test('') !== negated)
  for (let id = 0; id < accepts.length - 1; id++) {
    accepts[id + 1] = Number(regex.test(values.text(id)) !== negated)
    if (id % stepValues === 0) yield
  }
  return accepts
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
