// Rows of one series from several sources as stretches that follow each other in time, over the arrays that they lie
// in. Groups that series share tell when the first of them begins and the last one ends: where a few points came late,
// the pieces of all series seem to overlap, and of most hardly a row does. To copy and sort them all took a fifth of a
// scan.

import { type LoadedRows, lowerBound } from './cursor.js'

/** Where stretches would be shorter than this, to sort the rows costs less. */
const stretchRowsMin = 16

/**
 * Undefined where rows have to be brought together: two have the same time, or they lie side by side all the way.
 * `loaded` have rows, each in the order of time.
 */
export function stretchesOf(loaded: readonly LoadedRows[]): readonly LoadedRows[] | undefined {
  const open = loaded.toSorted((a, b) => firstOffset(a) - firstOffset(b))
  const stretches: LoadedRows[] = []
  const stretchesMax = loaded.length + rowCount(loaded) / stretchRowsMin
  while (open.length > 1) {
    const { rows, start, stop } = open[0]
    const cut = lowerBound(rows.offsets, start, stop, firstOffset(open[1]))
    if (cut === start || stretches.length > stretchesMax) return undefined
    stretches.push({ rows, start, stop: cut })
    if (cut === stop) open.shift()
    else putBack(open, { rows, start: cut, stop })
  }
  stretches.push(...open)
  return stretches
}

function firstOffset({ rows, start }: LoadedRows): number {
  return rows.offsets[start]
}

function rowCount(loaded: readonly LoadedRows[]): number {
  let count = 0
  for (const { start, stop } of loaded) count += stop - start
  return count
}

/** What is left of the first one, behind those that begin earlier now. */
function putBack(open: LoadedRows[], left: LoadedRows): void {
  let at = 0
  while (at + 1 < open.length && firstOffset(open[at + 1]) <= firstOffset(left)) {
    open[at] = open[at + 1]
    at++
  }
  open[at] = left
}
