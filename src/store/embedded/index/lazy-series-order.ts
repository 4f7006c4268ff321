// Series in the order in which answers name them: by measurement, then tag by tag. The bytes of keys sort otherwise,
// since what stands between names is neither the smallest byte nor spelt with one alone: `m,t=a!` would come before
// `m,t=a,u=b`. Sorted from the keys as far as somebody reads, as every lazy order.
//
// A key is read as symbols: its end is the smallest, then what separates names, then characters, an escaped one without
// its backslash. All keys of a part begin with the same bytes, so that they are in the same kind of name there, and
// equal symbols are spelt with equal bytes.

import type { ByteTableView } from '../../../column/byte-table.js'
import type { Work } from '../../../platform/turns.js'
import { LazyOrder, largeMin, pivotOf } from './lazy-order.js'

const comma = 44
const equals = 61
const space = 32
const backslash = 92

/** In what kind of name a place of a key is. */
const inMeasurement = 0
const inTagKey = 1
const inTagValue = 2

/** A place of a part: how many bytes its keys share, and the kind of name there. */
const placeOf = (byteCount: number, kind: number) => byteCount * 4 + kind
const bytesBefore = (place: number) => Math.floor(place / 4)

const end = 0
const separator = 1
/** Characters are their bytes and this. */
const firstCharacter = 2

export class LazySeriesOrder extends LazyOrder {
  protected override *split(start: number, stop: number, place: number): Work<void> {
    const { ids, strings } = this
    if (stop - start >= largeMin) {
      const behind = yield* this.#sharedUpTo(start, stop, place)
      if (behind !== place) {
        this.parts.push(start, stop, behind)
        return
      }
    }
    const at = bytesBefore(place)
    const kind = place & 3
    const symbolOf = (id: number) => symbolAt(strings, id, at, kind)
    const pivot = pivotOf(start, stop, (i) => symbolOf(ids[i]))
    const [less, greater] = yield* this.partition(start, stop, pivot, symbolOf)
    const next = pivot === end ? undefined : placeAfter(strings, ids[less], at, kind)
    this.afterSplit([start, less, greater, stop], place, next)
  }

  /** Series of one measurement begin alike, and in the same kind of name. */
  *#sharedUpTo(start: number, stop: number, place: number): Work<number> {
    const first = this.ids[start]
    const shared = yield* this.sharedBytes(start, stop, bytesBefore(place))
    let next = place
    for (;;) {
      if (symbolAt(this.strings, first, bytesBefore(next), next & 3) === end) return next
      const behind = placeAfter(this.strings, first, bytesBefore(next), next & 3)
      if (bytesBefore(behind) > shared) return next
      next = behind
    }
  }

  protected override isBefore(a: number, b: number): boolean {
    return sortsAfter(this.strings, b, a, 0)
  }

  /** Most differ from the bound in a character, and there the bytes tell. */
  protected override setBefore(bound: number, start: number, stop: number, before: number): number {
    const { ids, strings } = this
    let count = before
    for (let i = start; i < stop; i++) {
      const id = ids[i]
      const difference = differenceInCharacter(strings, id, bound)
      if (difference === 0 ? !this.isBefore(id, bound) : difference > 0) continue
      ids[i] = ids[count]
      ids[count++] = id
    }
    return count
  }

  protected override sortFew(start: number, stop: number, place: number): void {
    const { ids, strings } = this
    for (let i = start + 1; i < stop; i++) {
      const id = ids[i]
      let to = i
      while (to > start && sortsAfter(strings, ids[to - 1], id, place)) {
        ids[to] = ids[to - 1]
        to--
      }
      ids[to] = id
    }
  }
}

function symbolAt(keys: ByteTableView, id: number, at: number, kind: number): number {
  const length = keys.lengths[id]
  if (at >= length) return end
  const start = keys.starts[id] + at
  const byte = keys.arena[start]
  if (byte === (kind === inTagKey ? equals : comma)) return separator
  if (byte !== backslash || at + 1 >= length) return byte + firstCharacter
  const next = keys.arena[start + 1]
  return (isEscaped(next, kind) ? next : byte) + firstCharacter
}

function isEscaped(byte: number, kind: number): boolean {
  return byte === comma || byte === space || (byte === equals && kind !== inMeasurement)
}

/** Behind a symbol that is not the end. */
function placeAfter(keys: ByteTableView, id: number, at: number, kind: number): number {
  const symbol = symbolAt(keys, id, at, kind)
  if (symbol === separator) return placeOf(at + 1, kind === inTagKey ? inTagValue : inTagKey)
  const isPlain = symbol === keys.arena[keys.starts[id] + at] + firstCharacter
  return placeOf(at + (isPlain ? 1 : 2), kind)
}

/**
 * By the first bytes that differ, where both are characters that neither separate names nor escape; else 0. What stands
 * before them is the same, so that they are in the same kind of name.
 */
function differenceInCharacter(keys: ByteTableView, a: number, b: number): number {
  const { arena, starts, lengths } = keys
  const length = Math.min(lengths[a], lengths[b])
  const aStart = starts[a]
  const bStart = starts[b]
  let at = 0
  while (at < length && arena[aStart + at] === arena[bStart + at]) at++
  if (at >= length) return 0
  const aByte = arena[aStart + at]
  const bByte = arena[bStart + at]
  return isCharacter(aByte) && isCharacter(bByte) ? aByte - bByte : 0
}

function isCharacter(byte: number): boolean {
  return byte !== comma && byte !== equals && byte !== space && byte !== backslash
}

/** Both share what stands before the place. */
function sortsAfter(keys: ByteTableView, a: number, b: number, from: number): boolean {
  for (let place = from; ; ) {
    const at = bytesBefore(place)
    const kind = place & 3
    const symbol = symbolAt(keys, a, at, kind)
    const other = symbolAt(keys, b, at, kind)
    if (symbol !== other) return symbol > other
    if (symbol === end) return false
    place = placeAfter(keys, a, at, kind)
  }
}
