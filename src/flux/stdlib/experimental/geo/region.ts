// The regions that points are searched in: circles and boxes here, polygons beside. A region tells whether
// it has a point, and what of it matters within a cell, so that large ones get simpler as cells get small.

import type { Cell } from './cell.js'
import {
  angleBetweenPlaces,
  angleOfChord,
  chordBetween,
  chordOfAngle,
  chordToEdge,
  type Edge,
} from './distance.js'
import {
  cross,
  dot,
  type LatLon,
  latLonOf,
  normalized,
  normalOf,
  plus,
  pointOf,
  times,
  type Vector,
} from './vector.js'

export interface Shape {
  /** Of how many edges: about what it costs to ask. */
  readonly size: number
  /** The shape as far as this cell and its parts are concerned; undefined: they do not meet. */
  within(cell: Cell): Shape | undefined
}

export interface Region extends Shape {
  contains(point: Vector): boolean
}

/** The shape within a cell that it covers. */
export const everything: Shape = { size: 1, within: () => everything }

export class Circle implements Region {
  readonly size = 4
  readonly #center: Vector
  readonly #radiusChord: number

  /** With a negative radius it has no points. */
  constructor(center: LatLon, radius: number) {
    this.#center = pointOf(center)
    this.#radiusChord = chordOfAngle(radius)
  }

  contains(point: Vector): boolean {
    return chordBetween(this.#center, point) <= this.#radiusChord
  }

  within(cell: Cell): Shape | undefined {
    if (this.#radiusChord < 0) return undefined
    if (cell.contains(this.#center)) return this
    const isNear = (edge: Edge): boolean => chordToEdge(this.#center, edge) <= this.#radiusChord
    return cell.edges().some(isNear) ? this : undefined
  }
}

/** Between two parallels and two meridians, their lines included. */
export class Box implements Region {
  readonly size = 16
  readonly #min: LatLon
  readonly #max: LatLon
  readonly #corners: readonly Vector[]
  readonly #sides: readonly Edge[]

  constructor(min: LatLon, max: LatLon) {
    this.#min = min
    this.#max = max
    this.#corners = [min.lat, max.lat].flatMap((lat) =>
      [min.lon, max.lon].map((lon) => pointOf({ lat, lon })),
    )
    this.#sides = [min.lon, max.lon].flatMap((lon) => this.#meridian(lon))
  }

  contains(point: Vector): boolean {
    return this.#has(latLonOf(point))
  }

  within(cell: Cell): Shape | undefined {
    return this.#meets(cell) ? this : undefined
  }

  distanceTo(place: LatLon): number {
    if (this.#hasLon(place.lon)) {
      return Math.max(0, place.lat - this.#max.lat, this.#min.lat - place.lat)
    }
    const point = pointOf(place)
    const equator = (lon: number): LatLon => ({ lat: 0, lon })
    const toMin = angleBetweenPlaces(equator(place.lon), equator(this.#min.lon))
    const toMax = angleBetweenPlaces(equator(place.lon), equator(this.#max.lon))
    const side = this.#meridian(toMax <= toMin ? this.#max.lon : this.#min.lon)
    return angleOfChord(Math.min(...side.map((edge) => chordToEdge(point, edge))))
  }

  /** A side in two pieces: from pole to pole there would be no telling which way it goes. */
  #meridian(lon: number): readonly Edge[] {
    const middle = 0.5 * (this.#min.lat + this.#max.lat)
    const [from, between, to] = [this.#min.lat, middle, this.#max.lat].map((lat) =>
      pointOf({ lat, lon }),
    )
    return [
      { from, to: between },
      { from: between, to },
    ]
  }

  #has({ lat, lon }: LatLon): boolean {
    return lat >= this.#min.lat && lat <= this.#max.lat && this.#hasLon(lon)
  }

  #hasLon(lon: number): boolean {
    const isBetween = (angle: number): boolean => angle >= this.#min.lon && angle <= this.#max.lon
    return isBetween(lon) || (Math.abs(lon) === Math.PI && isBetween(-lon))
  }

  #meets(cell: Cell): boolean {
    if (this.contains(cell.center()) || this.#corners.some((corner) => cell.contains(corner))) {
      return true
    }
    const edges = cell.edges()
    return (
      edges.some(({ from }) => this.contains(from)) ||
      this.#sides.some((side) => cell.meets(side)) ||
      edges.some((edge) => this.#meetsParallel(edge, this.#min.lat)) ||
      edges.some((edge) => this.#meetsParallel(edge, this.#max.lat))
    )
  }

  /**
   * Whether an edge meets the parallel of the box at a latitude. On the great circle of the edge, `top` is the
   * northernmost point and `side` lies 90° further: at an angle from the top it is `cos(angle) * top.z` high.
   */
  #meetsParallel(edge: Edge, lat: number): boolean {
    const normal = normalized(normalOf(edge.from, edge.to))
    const north = normal.z < 0 ? times(-1, normal) : normal
    const side = normalized(normalOf(north, { x: 0, y: 0, z: 1 }))
    const top = cross(side, north)
    const height = Math.sin(lat)
    if (Math.abs(height) >= top.z) return false
    const cosine = height / top.z
    const sine = Math.sqrt(1 - cosine * cosine)
    return [sine, -sine].some((toSide) => {
      const point = plus(times(cosine, top), times(toSide, side))
      return isBetween(point, edge, normal) && this.#hasLon(Math.atan2(point.y, point.x))
    })
  }
}

/** Whether a point of its great circle lies on an edge. */
function isBetween(point: Vector, { from, to }: Edge, normal: Vector): boolean {
  return dot(cross(from, point), normal) >= 0 && dot(cross(point, to), normal) >= 0
}
