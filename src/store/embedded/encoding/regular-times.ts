// A cache of columns of numbers at equal distances: series that are sampled together
// have the same times, block by block, so that a read over many of them needs each such column once.
// A column is made when it is asked for the second time: series that have times of their own would
// only fill the memory.

/**
 * A read goes through some blocks of each series, one series after the other; this many different ones are found
 * again. 0.5 MB at most.
 */
const cachedMax = 16

const bases = new Float64Array(cachedMax).fill(Number.NaN)
const steps = new Float64Array(cachedMax)
const counts = new Uint32Array(cachedMax)
const columns: (Float64Array | undefined)[] = new Array(cachedMax).fill(undefined)
let next = 0

/** base, base + step, base + 2 * step and so on, `count` of them or more, if they were noted: not to be changed. */
export function findRegular(base: number, step: number, count: number): Float64Array | undefined {
  for (let k = 0; k < cachedMax; k++) {
    if (bases[k] !== base || steps[k] !== step || counts[k] < count) continue
    columns[k] ??= fillRegular(base, step, counts[k], new Float64Array(counts[k]), 0)
    return columns[k]
  }
  return undefined
}

/** The next time they will be found. */
export function noteRegular(base: number, step: number, count: number): void {
  bases[next] = base
  steps[next] = step
  counts[next] = count
  columns[next] = undefined
  next = (next + 1) % cachedMax
}

/** out[at + i] = base + step * i */
export function fillRegular(
  base: number,
  step: number,
  count: number,
  out: Float64Array,
  at: number,
): Float64Array {
  for (let i = 0; i < count; i++) out[at + i] = base + step * i
  return out
}
