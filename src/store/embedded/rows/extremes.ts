// The least and the greatest of some offsets. These loops stand by themselves: V8 compiles a loop while it runs for the
// first time, and leaves it again where code follows in the same function that it has not seen run by then, each time.

/** Of the first `count` values and `start`. */
export function leastOf(values: Float64Array, count: number, start: number): number {
  let least = start
  for (let i = 0; i < count; i++) if (values[i] < least) least = values[i]
  return least
}

/** Of the first `count` values and `start`. */
export function greatestOf(values: Float64Array, count: number, start: number): number {
  let greatest = start
  for (let i = 0; i < count; i++) if (values[i] > greatest) greatest = values[i]
  return greatest
}
