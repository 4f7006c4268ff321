// Blocks are made of parts of 128 values, which can be read one by one: how many there are, and what room arrays need
// that they are read into.

export const partRows = 128

export function partCount(count: number): number {
  return (count + partRows - 1) >>> 7
}

/** Arrays that blocks are read into have room for whole parts. */
export function roomForParts(count: number): number {
  return partCount(count) * partRows
}
