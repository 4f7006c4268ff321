// Distances between points and edges of the sphere. They are compared as squares of chords (the straight
// way through the sphere, at most 4), which need no trigonometry, and become angles at the end.

import { isCrossing } from './crossing.js'
import { cross, dot, type LatLon, minus, normalOf, type Vector } from './vector.js'

/** A geodesic; from a point to itself it is that point. */
export interface Edge {
  readonly from: Vector
  readonly to: Vector
}

/** The edges of an open line; those of a single point: one without length. */
export function edgesThrough(points: readonly Vector[]): readonly Edge[] {
  if (points.length === 1) return [{ from: points[0], to: points[0] }]
  return points.slice(1).map((to, i) => ({ from: points[i], to }))
}

/** Called with the number of edges looked at, so that very long lines do not hold everybody up. */
export type Work = (edges: number) => void

export function chordOfAngle(angle: number): number {
  if (angle < 0) return -1
  const length = 2 * Math.sin(0.5 * Math.min(Math.PI, angle))
  return length * length
}

export function angleOfChord(chord: number): number {
  return 2 * Math.asin(Math.min(1, 0.5 * Math.sqrt(chord)))
}

export function chordBetween(a: Vector, b: Vector): number {
  const way = minus(a, b)
  return Math.min(4, dot(way, way))
}

export function chordToEdge(point: Vector, { from, to }: Edge): number {
  const fromChord = chordBetween(point, from)
  const toChord = chordBetween(point, to)
  return chordToInside(point, from, to, fromChord, toChord) ?? Math.min(fromChord, toChord)
}

/** undefined: the nearest point is one of the ends. */
function chordToInside(
  point: Vector,
  from: Vector,
  to: Vector,
  fromChord: number,
  toChord: number,
): number | undefined {
  const edgeChord = chordBetween(from, to)
  // A flat triangle with an angle over 90° at an end is one on the sphere as well; the rest allows for rounding.
  const error =
    4.75 * Number.EPSILON * (fromChord + toChord + edgeChord) + 8 * Number.EPSILON * Number.EPSILON
  if (Math.abs(fromChord - toChord) >= edgeChord + error) return undefined
  const normal = normalOf(from, to)
  const across = cross(normal, point)
  if (dot(minus(from, point), across) >= 0 || dot(minus(to, point), across) <= 0) return undefined
  // Square of the way down to the plane of the edge, and of the rest within the plane.
  const normalSquare = dot(normal, normal)
  const height = dot(point, normal)
  const rest = 1 - Math.sqrt(dot(across, across) / normalSquare)
  return (height * height) / normalSquare + rest * rest
}

export function chordToEdges(point: Vector, edges: readonly Edge[], work: Work): number {
  let least = Number.POSITIVE_INFINITY
  for (const edge of edges) least = Math.min(least, chordToEdge(point, edge))
  work(edges.length)
  return least
}

export function chordBetweenEdges(
  edges: readonly Edge[],
  others: readonly Edge[],
  work: Work,
): number {
  let least = Number.POSITIVE_INFINITY
  for (const edge of edges) {
    for (const other of others) {
      if (isCrossing(edge.from, edge.to, other.from, other.to)) return 0
      least = Math.min(
        least,
        chordToEdge(edge.from, other),
        chordToEdge(edge.to, other),
        chordToEdge(other.from, edge),
        chordToEdge(other.to, edge),
      )
    }
    work(others.length)
  }
  return least
}

/** The haversine formula: exact for short ways. */
export function angleBetweenPlaces(a: LatLon, b: LatLon): number {
  const sinLat = Math.sin(0.5 * (b.lat - a.lat))
  const sinLon = Math.sin(0.5 * (b.lon - a.lon))
  const square = sinLat * sinLat + sinLon * sinLon * Math.cos(a.lat) * Math.cos(b.lat)
  return 2 * Math.atan2(Math.sqrt(square), Math.sqrt(Math.max(0, 1 - square)))
}
