// A cell of S2: a square piece of a face of the cube (see projection.ts). Level 0 is the whole face, each
// level further halves both sides; at level 30 a cell is about a square centimetre. All cells here are named
// by their face, their level and their place in the rows (j) and columns (i) of that level.

import type { Edge } from './distance.js'
import { bent, cubePoint, facePointOf, inFrame, unbent } from './projection.js'
import { normalized, type Vector } from './vector.js'

export const levelMax = 30

/** How far a point may seem to be out of its own cell, in u and v, by rounding. */
const roundingOfPoint = Number.EPSILON

/** The same for edges, which are clipped: as much as S2 allows for that. */
const roundingOfEdge = 2.4e-15

export class Cell {
  readonly face: number
  readonly level: number
  readonly i: number
  readonly j: number
  readonly #uMin: number
  readonly #uMax: number
  readonly #vMin: number
  readonly #vMax: number

  constructor(face: number, level: number, i: number, j: number) {
    this.face = face
    this.level = level
    this.i = i
    this.j = j
    const size = 2 ** -level
    this.#uMin = bent(i * size)
    this.#uMax = bent((i + 1) * size)
    this.#vMin = bent(j * size)
    this.#vMax = bent((j + 1) * size)
  }

  /** The cell of a level in which a point lies. */
  static at(point: Vector, level: number): Cell {
    const { face, u, v } = facePointOf(point)
    const cellsPerSide = 2 ** level
    return new Cell(face, level, placeOf(u, cellsPerSide), placeOf(v, cellsPerSide))
  }

  parent(level: number): Cell {
    const shift = this.level - level
    return new Cell(this.face, level, this.i >> shift, this.j >> shift)
  }

  /** Not of length 1. */
  center(): Vector {
    const size = 2 ** -this.level
    return cubePoint(this.face, bent((this.i + 0.5) * size), bent((this.j + 0.5) * size))
  }

  /** Counterclockwise. */
  vertices(): readonly Vector[] {
    const corner = (u: number, v: number): Vector => normalized(cubePoint(this.face, u, v))
    return [
      corner(this.#uMin, this.#vMin),
      corner(this.#uMax, this.#vMin),
      corner(this.#uMax, this.#vMax),
      corner(this.#uMin, this.#vMax),
    ]
  }

  edges(): readonly Edge[] {
    const corners = this.vertices()
    return corners.map((from, k) => ({ from, to: corners[(k + 1) % 4] }))
  }

  contains(point: Vector): boolean {
    const { x, y, z } = inFrame(this.face, point)
    if (!(z > 0)) return false
    const [u, v] = [x / z, y / z]
    return (
      u >= this.#uMin - roundingOfPoint &&
      u <= this.#uMax + roundingOfPoint &&
      v >= this.#vMin - roundingOfPoint &&
      v <= this.#vMax + roundingOfPoint
    )
  }

  /**
   * Seen from the middle of the sphere the cell is a pyramid of four planes, and the chord of an edge passes through it
   * exactly if the edge passes through the cell: cut off what lies outside of each plane and see if anything is left.
   */
  meets({ from, to }: Edge): boolean {
    const a = inFrame(this.face, from)
    const b = inFrame(this.face, to)
    const [uMin, uMax] = [this.#uMin - roundingOfEdge, this.#uMax + roundingOfEdge]
    const [vMin, vMax] = [this.#vMin - roundingOfEdge, this.#vMax + roundingOfEdge]
    const heights = [
      [a.x - uMin * a.z, b.x - uMin * b.z],
      [uMax * a.z - a.x, uMax * b.z - b.x],
      [a.y - vMin * a.z, b.y - vMin * b.z],
      [vMax * a.z - a.y, vMax * b.z - b.y],
    ]
    let [start, end] = [0, 1]
    for (const [atFrom, atTo] of heights) {
      if (atFrom < 0 && atTo < 0) return false
      if (atFrom < 0) start = Math.max(start, atFrom / (atFrom - atTo))
      if (atTo < 0) end = Math.min(end, atFrom / (atFrom - atTo))
    }
    return start <= end
  }
}

function placeOf(coordinate: number, cellsPerSide: number): number {
  // Through the finest level, as S2 does: rounding must not tell a cell from the one its token names.
  const finest = Math.floor(2 ** levelMax * unbent(coordinate))
  const place = Math.max(0, Math.min(2 ** levelMax - 1, finest))
  return Math.floor(place / (2 ** levelMax / cellsPerSide))
}
