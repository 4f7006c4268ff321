// A polygon of geodesics, at most half of the sphere: its points may go round it either way. A point lies
// inside if the line to it from a fixed point of the sphere crosses an odd number of edges, or an even
// number if that point lies inside itself.

import type { Cell } from './cell.js'
import { isCounted, isOrdered } from './crossing.js'
import type { Edge } from './distance.js'
import { sureTurn } from './orientation.js'
import { everything, type Region, type Shape } from './region.js'
import {
  angleBetween,
  cross,
  dot,
  isSame,
  minus,
  normalized,
  orthogonal,
  type Vector,
} from './vector.js'

/** Where S2 starts: near the north pole, in line with nothing. */
const start: Vector = { x: -0.00999946643502502, y: 0.002592454260932412, z: 0.999946643502502 }

export class Polygon implements Region {
  readonly edges: readonly Edge[]
  readonly #vertices: readonly Vector[]
  readonly #isStartInside: boolean

  /** At least three vertices, no two neighbours the same. */
  constructor(vertices: readonly Vector[]) {
    this.#vertices = vertices
    this.edges = vertices.map((from, k) => ({ from, to: vertices[(k + 1) % vertices.length] }))
    const [before, vertex, after] = vertices
    const isVertexInside = isOrdered(orthogonal(vertex), before, after, vertex)
    const isStartOnLeft = isVertexInside !== this.#isOddTo(vertex)
    this.#isStartInside = isStartOnLeft !== isLeftLarger(vertices)
  }

  get size(): number {
    return this.edges.length
  }

  contains(point: Vector): boolean {
    if (Number.isNaN(point.x)) return false
    return this.#isStartInside !== this.#isOddTo(point)
  }

  within(cell: Cell): Shape | undefined {
    return new PolygonPart(this, this.edges).within(cell)
  }

  #isOddTo(point: Vector): boolean {
    const normal = cross(start, point)
    let isOdd = false
    let from = this.#vertices[this.#vertices.length - 1]
    let fromSide = sureTurn(dot(normal, from))
    for (const to of this.#vertices) {
      const toSide = sureTurn(dot(normal, to))
      const isOnOneSide = fromSide !== 0 && fromSide === toSide
      if (!isOnOneSide && isCounted(start, point, from, to)) isOdd = !isOdd
      ;[from, fromSide] = [to, toSide]
    }
    return isOdd
  }
}

/** A polygon within a cell that some of its edges pass through. */
class PolygonPart implements Shape {
  readonly #polygon: Polygon
  readonly #edges: readonly Edge[]

  constructor(polygon: Polygon, edges: readonly Edge[]) {
    this.#polygon = polygon
    this.#edges = edges
  }

  get size(): number {
    return this.#edges.length
  }

  within(cell: Cell): Shape | undefined {
    const edges = this.#edges.filter((edge) => cell.meets(edge))
    if (edges.length > 0) return new PolygonPart(this.#polygon, edges)
    return this.#polygon.contains(normalized(cell.center())) ? everything : undefined
  }
}

/** Whether what lies on the left of the line through all vertices is at least half of the sphere. */
function isLeftLarger(vertices: readonly Vector[]): boolean {
  const [first] = vertices
  // Triangles with two corners on opposite sides of the sphere have no area to speak of.
  const isSpread = vertices.some((vertex) => angleBetween(first, vertex) > Math.PI - 1e-5)
  const corner = isSpread ? start : first
  let area = 0
  for (const [k, vertex] of vertices.entries()) {
    area += triangleArea(corner, vertex, vertices[(k + 1) % vertices.length])
  }
  return (area < 0 ? area + 4 * Math.PI : area) >= 2 * Math.PI
}

/** Negative for a triangle that turns to the right. */
function triangleArea(a: Vector, b: Vector, c: Vector): number {
  if (isSame(a, b) || isSame(a, c)) return 0
  const volume = dot(cross(minus(b, a), minus(c, a)), a)
  return 2 * Math.atan2(volume, 1 + dot(a, b) + dot(b, c) + dot(c, a))
}
