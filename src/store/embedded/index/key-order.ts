// Ordering series numbers by the bytes of their keys: three-way radix quicksort. Keys of one
// measurement share long prefixes, which this sort looks at once per level instead of once per
// comparison.

import type { ByteTableView } from '../../../column/byte-table.js'
import { numberAt, placeOf, type SeriesKeyView } from './series-key-table.js'

/** Below this, comparing whole rests of keys is cheaper than splitting once more. */
const insertionSortMax = 12

/** Negative, zero or positive as key `a` sorts before, with or after key `b`. */
export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] - b[i]
  return a.length - b.length
}

/** The same for series by number, without a view of either key: a merge asks this for every series. */
export function compareSeries(keys: SeriesKeyView, a: number, b: number): number {
  if (a === b) return 0
  const { arena, starts, lengths } = keys
  const aPlace = placeOf(keys, a)
  const bPlace = placeOf(keys, b)
  const aStart = starts[aPlace]
  const bStart = starts[bPlace]
  const length = Math.min(lengths[aPlace], lengths[bPlace])
  for (let i = 0; i < length; i++) {
    const difference = arena[aStart + i] - arena[bStart + i]
    if (difference !== 0) return difference
  }
  return lengths[aPlace] - lengths[bPlace]
}

/** The bytes of a key. */
export function keyOf(keys: SeriesKeyView, id: number): Uint8Array {
  const place = placeOf(keys, id)
  const start = keys.starts[place]
  return keys.arena.subarray(start, start + keys.lengths[place])
}

/** Sorts the numbers in place. What is sorted are the places of their keys: each is looked at many times. */
export function sortByKey(ids: Uint32Array, keys: SeriesKeyView): void {
  toPlaces(ids, keys)
  sortRange(ids, 0, ids.length, 0, keys)
  for (let i = 0; i < ids.length; i++) ids[i] = numberAt(keys, ids[i])
}

export function toPlaces(ids: Uint32Array, keys: SeriesKeyView): void {
  for (let i = 0; i < ids.length; i++) ids[i] = placeOf(keys, ids[i])
}

/** Iterates over the equal part and recurses into the others, so that depth in bytes costs no stack. */
function sortRange(
  ids: Uint32Array,
  from: number,
  to: number,
  fromDepth: number,
  keys: ByteTableView,
): void {
  let start = from
  let stop = to
  let depth = fromDepth
  while (stop - start > insertionSortMax) {
    const pivot = byteAt(ids[start + ((stop - start) >>> 1)], depth, keys)
    let less = start
    let greater = stop
    for (let i = start; i < greater; ) {
      const id = ids[i]
      const byte = byteAt(id, depth, keys)
      if (byte < pivot) {
        ids[i++] = ids[less]
        ids[less++] = id
      } else if (byte > pivot) {
        ids[i] = ids[--greater]
        ids[greater] = id
      } else i++
    }
    sortRange(ids, start, less, depth, keys)
    sortRange(ids, greater, stop, depth, keys)
    if (pivot < 0) return
    start = less
    stop = greater
    depth++
  }
  sortSmall(ids, start, stop, depth, keys)
}

/** -1 behind the end: a key sorts before its extensions. */
function byteAt(id: number, depth: number, keys: ByteTableView): number {
  return depth < keys.lengths[id] ? keys.arena[keys.starts[id] + depth] : -1
}

/** For few; all share their first `depth` bytes. */
export function sortSmall(
  ids: Uint32Array,
  start: number,
  stop: number,
  depth: number,
  keys: ByteTableView,
): void {
  for (let i = start + 1; i < stop; i++) {
    const id = ids[i]
    let at = i
    while (at > start && sortsAfter(ids[at - 1], id, depth, keys)) {
      ids[at] = ids[at - 1]
      at--
    }
    ids[at] = id
  }
}

function sortsAfter(a: number, b: number, depth: number, keys: ByteTableView): boolean {
  const { arena, starts, lengths } = keys
  const length = Math.min(lengths[a], lengths[b])
  for (let i = depth; i < length; i++) {
    const difference = arena[starts[a] + i] - arena[starts[b] + i]
    if (difference !== 0) return difference > 0
  }
  return lengths[a] > lengths[b]
}
