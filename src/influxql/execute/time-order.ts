// Brings runs that are each in time order into one order. Runs are merged two by two, neighbours first,
// so that equal times stay in the order of their runs.

/** Where each run ends; the first starts at 0. Gives the rows in order. */
export function mergeRuns(
  offsets: Float64Array,
  ends: readonly number[],
  descending: boolean,
): Uint32Array {
  const count = ends.length === 0 ? 0 : ends[ends.length - 1]
  let from = new Uint32Array(count)
  for (let i = 0; i < count; i++) from[i] = i
  let to = new Uint32Array(count)
  let borders = [0, ...ends]
  while (borders.length > 2) {
    const merged = [0]
    for (let r = 0; r + 1 < borders.length; r += 2) {
      const start = borders[r]
      const middle = borders[r + 1]
      const stop = r + 2 < borders.length ? borders[r + 2] : middle
      mergeTwo(offsets, from, to, start, middle, stop, descending)
      merged.push(stop)
    }
    ;[from, to] = [to, from]
    borders = merged
  }
  return from
}

function mergeTwo(
  offsets: Float64Array,
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  middle: number,
  stop: number,
  descending: boolean,
): void {
  let a = start
  let b = middle
  for (let out = start; out < stop; out++) {
    const takeA =
      a < middle &&
      (b >= stop ||
        (descending ? offsets[from[a]] >= offsets[from[b]] : offsets[from[a]] <= offsets[from[b]]))
    to[out] = takeA ? from[a++] : from[b++]
  }
}
