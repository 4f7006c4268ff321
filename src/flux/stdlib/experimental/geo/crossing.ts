// Whether two edges cross, as S2 defines it: such that a point lies inside of a loop exactly if a line to it
// from outside crosses an odd number of edges, also where that line goes through a vertex.

import { turnOf } from './orientation.js'
import { isSame, orthogonal, type Vector } from './vector.js'

/** Whether AB and CD cross at a point inside of both; edges that only share a vertex do not. */
export function isCrossing(a: Vector, b: Vector, c: Vector, d: Vector): boolean {
  return !isSharing(a, b, c, d) && crossesInside(a, b, c, d)
}

/** As `isCrossing`; of edges that share a vertex, AB crosses CD if it comes later on a turn to the left around it. */
export function isCounted(a: Vector, b: Vector, c: Vector, d: Vector): boolean {
  return isSharing(a, b, c, d) ? crossesAtVertex(a, b, c, d) : crossesInside(a, b, c, d)
}

function isSharing(a: Vector, b: Vector, c: Vector, d: Vector): boolean {
  return isSame(a, c) || isSame(a, d) || isSame(b, c) || isSame(b, d)
}

/** The four triangles of the quadrilateral ACBD all turn the same way. */
function crossesInside(a: Vector, b: Vector, c: Vector, d: Vector): boolean {
  if (isSame(a, b) || isSame(c, d)) return false
  const side = turnOf(a, b, c)
  return turnOf(a, b, d) === -side && turnOf(c, d, b) === side && turnOf(c, d, a) === -side
}

function crossesAtVertex(a: Vector, b: Vector, c: Vector, d: Vector): boolean {
  if (isSame(a, b) || isSame(c, d)) return false
  if (isSame(a, c)) return isSame(b, d) || isOrdered(orthogonal(a), d, b, a)
  if (isSame(b, d)) return isOrdered(orthogonal(b), c, a, b)
  if (isSame(a, d)) return isSame(b, c) || isOrdered(orthogonal(a), c, b, a)
  return isOrdered(orthogonal(b), d, a, b)
}

/** Whether a turn to the left around `center` that starts at A meets B no later than C. */
export function isOrdered(a: Vector, b: Vector, c: Vector, center: Vector): boolean {
  const first = turnOf(b, center, a) !== -1 ? 1 : 0
  const second = turnOf(c, center, b) !== -1 ? 1 : 0
  const third = turnOf(a, center, c) === 1 ? 1 : 0
  return first + second + third >= 2
}
