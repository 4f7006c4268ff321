// Blocks are made of parts of 128 values, which can be read one by one: how many there are, and how many
// values whole ones have.

export const partRows = 128

export function partCount(count: number): number {
  return (count + partRows - 1) >>> 7
}

/** Values of whole parts, the last one filled up. */
export function roomForParts(count: number): number {
  return partCount(count) * partRows
}
