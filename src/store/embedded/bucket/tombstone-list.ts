// The deletes of a segment that are not carried out yet, as few as say the same: spans of the same series that touch
// become one, series of the same span become one choice, and what another covers is left out. The manifest is written
// anew with every delete, and every read asks each of them, so that a thousand deletes in a row must not leave a
// thousand behind.

import type { TagPredicate } from '../../../column/predicate.js'
import type { SegmentEntry, Tombstone } from '../files/manifest.js'

/** Rows of a segment lie from `minTime` to `maxTime`, both included. */
type Span = Pick<SegmentEntry, 'minTime' | 'maxTime'>

/** The list with one more; the same list where that changes nothing. */
export function withTombstone(
  list: readonly Tombstone[],
  added: Tombstone,
  span: Span,
): readonly Tombstone[] {
  let next = cut(added, span)
  if (next.start >= next.stop || list.some((known) => covers(known, next))) return list
  let rest = list.filter((known) => !covers(next, known))
  for (;;) {
    const at = rest.findIndex((known) => united(known, next) !== undefined)
    if (at < 0) return [...rest, next]
    next = united(rest[at], next)!
    rest = rest.filter((known, i) => i !== at && !covers(next, known))
  }
}

/** Whether every row of the segment is gone, whatever it is of. `names` are its measurements, where they are known. */
export function takesAll(
  list: readonly Tombstone[],
  { minTime, maxTime }: Span,
  names: readonly string[],
): boolean {
  const isWhole = (t: Tombstone) =>
    t.predicate === undefined && t.start <= minTime && t.stop > maxTime
  if (list.some((t) => t.measurement === undefined && isWhole(t))) return true
  if (names.length > list.length) return false
  return names.every((name) => list.some((t) => t.measurement === name && isWhole(t)))
}

/** How much they are to the manifest: each counts as much as its predicate has leaves, and at least one. */
export function weightOf(list: readonly Tombstone[]): number {
  let weight = 0
  for (const { predicate } of list) weight += predicate === undefined ? 1 : leafCount(predicate)
  return weight
}

function leafCount(predicate: TagPredicate): number {
  if (predicate.kind === 'not') return leafCount(predicate.part)
  if (predicate.kind !== 'and' && predicate.kind !== 'or') return 1
  return Math.max(
    1,
    predicate.parts.reduce((sum, part) => sum + leafCount(part), 0),
  )
}

/** Only rows that are there count, so that spans which differ outside are the same. */
function cut(tombstone: Tombstone, { minTime, maxTime }: Span): Tombstone {
  const { start, stop, ...what } = tombstone
  return {
    start: start > minTime ? start : minTime,
    stop: stop <= maxTime ? stop : maxTime + 1n,
    ...what,
  }
}

function covers(a: Tombstone, b: Tombstone): boolean {
  if (a.start > b.start || a.stop < b.stop) return false
  if (a.measurement !== undefined && a.measurement !== b.measurement) return false
  if (a.predicate === undefined) return true
  if (b.predicate === undefined) return false
  const known = new Set(partsOf(a.predicate))
  return partsOf(b.predicate).every((part) => known.has(part))
}

/** One that says what both say; undefined: there is none. */
function united(a: Tombstone, b: Tombstone): Tombstone | undefined {
  if (a.measurement !== b.measurement) return undefined
  const isSameSpan = a.start === b.start && a.stop === b.stop
  if (a.predicate === undefined || b.predicate === undefined) {
    return a.predicate === b.predicate ? spanning(a, b) : undefined
  }
  const ofA = partsOf(a.predicate)
  const parts = new Set([...ofA, ...partsOf(b.predicate)])
  if (parts.size === ofA.length && parts.size === partsOf(b.predicate).length) {
    return spanning(a, b)
  }
  if (!isSameSpan) return undefined
  const predicate = { kind: 'or' as const, parts: Array.from(parts, (part) => JSON.parse(part)) }
  return { ...a, predicate }
}

function spanning(a: Tombstone, b: Tombstone): Tombstone | undefined {
  if (a.start > b.stop || b.start > a.stop) return undefined
  return {
    ...a,
    start: a.start < b.start ? a.start : b.start,
    stop: a.stop > b.stop ? a.stop : b.stop,
  }
}

/** What a predicate chooses one of, each spelt out. */
function partsOf(predicate: TagPredicate): string[] {
  const parts = predicate.kind === 'or' ? predicate.parts : [predicate]
  return parts.map((part) => JSON.stringify(part))
}
