// The cells that a region meets, level by level: each level comes from the one before, of whose cells only
// the parts that still meet the region are kept. The cells come in the order of their tokens.

import { FluxError } from '../../../value/error.js'
import { Cell } from './cell.js'
import { childrenOf, tokenOf, wayOfFace } from './cell-token.js'
import type { Work } from './distance.js'
import type { Region, Shape } from './region.js'

/** More cells than this are no use to anybody who looks rows up in them, and take long to find. */
const cellsMax = 20_000

interface Piece {
  readonly cell: Cell
  /** How the curve passes through the cell. */
  readonly way: number
  /** What of the region matters there. */
  readonly shape: Shape
}

export class Covering {
  readonly level: number
  readonly #pieces: readonly Piece[]
  readonly #work: Work

  private constructor(level: number, pieces: readonly Piece[], work: Work) {
    this.level = level
    this.#pieces = pieces
    this.#work = work
  }

  /** Of level 0: the faces. */
  static of(region: Region, work: Work): Covering {
    const pieces: Piece[] = []
    for (let face = 0; face < 6; face++) {
      const cell = new Cell(face, 0, 0, 0)
      const shape = region.within(cell)
      if (shape !== undefined) pieces.push({ cell, way: wayOfFace(face), shape })
    }
    return new Covering(0, pieces, work)
  }

  get size(): number {
    return this.#pieces.length
  }

  tokens(): readonly string[] {
    return this.#pieces.map(({ cell }) => tokenOf(cell))
  }

  /** Of the next level. undefined: it would have more cells than that. */
  finer(sizeMax = Number.POSITIVE_INFINITY): Covering | undefined {
    const pieces: Piece[] = []
    for (const { cell, way, shape } of this.#pieces) {
      for (const child of childrenOf(cell, way)) {
        const part = shape.within(child.cell)
        if (part !== undefined) pieces.push({ ...child, shape: part })
      }
      this.#work(shape.size)
      if (pieces.length > sizeMax) return undefined
      if (pieces.length > cellsMax) {
        throw new FluxError(
          `the region meets more than ${cellsMax} cells of level ${this.level + 1}`,
        )
      }
    }
    return new Covering(this.level + 1, pieces, this.#work)
  }
}
