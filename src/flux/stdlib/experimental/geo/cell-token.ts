// The names of cells. An S2 cell id has 64 bits: 3 for the face, then two per level that say which of the
// four parts of the parent, in the order in which Hilbert's curve passes through them, then a 1 and zeros.
// A token is the id in hexadecimal digits without the zeros at the end.

import { Cell, levelMax } from './cell.js'

/**
 * The curve enters and leaves a cell in one of four ways: as it stands, with i and j exchanged (1), backwards (2), or
 * both (3). By way and place on the curve: the part as `2i + j`; what changes about the way inside of that part.
 */
const partsOfWay: readonly (readonly number[])[] = [
  [0, 1, 3, 2],
  [0, 2, 3, 1],
  [3, 2, 0, 1],
  [3, 1, 0, 2],
]
const placesOfWay = partsOfWay.map((parts) => parts.map((_, part) => parts.indexOf(part)))
const wayChanges: readonly number[] = [1, 0, 0, 3]

export function wayOfFace(face: number): number {
  return face & 1
}

export interface Child {
  readonly cell: Cell
  readonly way: number
}

/** The four parts of a cell in the order of the curve, which is that of their tokens. */
export function childrenOf({ face, level, i, j }: Cell, way: number): readonly Child[] {
  return partsOfWay[way].map((part, place) => ({
    cell: new Cell(face, level + 1, 2 * i + (part >> 1), 2 * j + (part & 1)),
    way: way ^ wayChanges[place],
  }))
}

export function tokenOf({ face, level, i, j }: Cell): string {
  let way = wayOfFace(face)
  let bits = face.toString(2).padStart(3, '0')
  for (let shift = level - 1; shift >= 0; shift--) {
    const part = 2 * ((i >> shift) & 1) + ((j >> shift) & 1)
    const place = placesOfWay[way][part]
    bits += pairs[place]
    way ^= wayChanges[place]
  }
  bits += '1'
  const digits = Math.ceil(bits.length / 4)
  const padded = bits.padEnd(4 * digits, '0')
  let token = ''
  for (let digit = 0; digit < digits; digit++) {
    token += Number.parseInt(padded.slice(4 * digit, 4 * digit + 4), 2).toString(16)
  }
  return token
}

const pairs: readonly string[] = ['00', '01', '10', '11']

/** undefined: no cell is called so. */
export function cellOfToken(token: string): Cell | undefined {
  if (!/^[0-9a-f]{1,16}$/i.test(token)) return undefined
  let bits = ''
  for (const digit of token) bits += Number.parseInt(digit, 16).toString(2).padStart(4, '0')
  const end = bits.lastIndexOf('1')
  const face = Number.parseInt(bits.slice(0, 3), 2)
  if (end < 3 || face > 5 || (end - 3) % 2 !== 0) return undefined
  const level = (end - 3) / 2
  if (level > levelMax) return undefined
  let [i, j, way] = [0, 0, wayOfFace(face)]
  for (let at = 3; at < end; at += 2) {
    const place = pairs.indexOf(bits.slice(at, at + 2))
    const part = partsOfWay[way][place]
    ;[i, j] = [2 * i + (part >> 1), 2 * j + (part & 1)]
    way ^= wayChanges[place]
  }
  return new Cell(face, level, i, j)
}
