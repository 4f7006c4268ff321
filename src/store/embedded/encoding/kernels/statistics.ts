// Least, greatest and sum of the values that a column has. The sum is made from front to back, so that the same values
// always have the same.

import { at8 } from './bits'

export let least: f64 = 0
export let greatest: f64 = 0
export let sum: f64 = 0

export function summarize(values: usize, count: i32): void {
  least = Infinity
  greatest = -Infinity
  sum = 0
  const stop = at8(values, count)
  for (let at = values; at < stop; at += 8) {
    const value = load<f64>(at)
    if (value < least) least = value
    if (value > greatest) greatest = value
    sum += value
  }
}
