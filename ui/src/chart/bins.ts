// Counting into bins of equal width, along one axis
// and on a plane.

export interface Bin {
  readonly from: number
  readonly to: number
  /** One for each group, in their order. */
  readonly counts: readonly number[]
}

/** Lowest and highest of all; a single value gets some room around it. */
export function extentOf(lists: readonly (readonly number[])[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const list of lists) {
    for (const value of list) {
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  if (low > high) return [0, 1]
  return low === high ? [low - 0.5, high + 0.5] : [low, high]
}

export function binsOf(
  groups: readonly (readonly number[])[],
  [low, high]: readonly [number, number],
  count: number,
): Bin[] {
  const width = (high - low) / count
  const counts = Array.from({ length: count }, () => groups.map(() => 0))
  groups.forEach((values, group) => {
    for (const value of values) {
      if (value < low || value > high) continue
      counts[Math.min(count - 1, Math.floor((value - low) / width))][group]++
    }
  })
  return counts.map((own, i) => ({ from: low + i * width, to: low + (i + 1) * width, counts: own }))
}

/** Row by row from the lowest: how many points lie in each field. */
export function fieldCounts(
  points: { readonly xs: readonly number[]; readonly ys: readonly number[] },
  x: { readonly low: number; readonly high: number; readonly count: number },
  y: { readonly low: number; readonly high: number; readonly count: number },
): Uint32Array {
  const counts = new Uint32Array(x.count * y.count)
  const at = (value: number, { low, high, count }: typeof x) =>
    Math.min(count - 1, Math.floor(((value - low) / (high - low || 1)) * count))
  for (let i = 0; i < points.xs.length; i++) {
    const [column, row] = [at(points.xs[i], x), at(points.ys[i], y)]
    if (column >= 0 && row >= 0) counts[row * x.count + column]++
  }
  return counts
}
