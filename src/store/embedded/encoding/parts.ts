// Blocks are made of parts of 128 values, which can be read one by one: a few rows of a block of thousands cost what
// their parts do.

export const partRows = 128

/** Where the part begins that a row lies in. */
export function partStart(row: number): number {
  return row & -partRows
}

/** Where the part ends that the row before this one lies in. */
export function partStop(row: number): number {
  return (row + partRows - 1) & -partRows
}
