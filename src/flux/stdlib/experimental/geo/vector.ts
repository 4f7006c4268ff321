// Points of the sphere as vectors of length 1, and the arithmetic on them. Angles are in radians, latitudes
// and longitudes come in here and go out again; everything between is done with vectors, which know no
// poles and no date line.

export interface Vector {
  readonly x: number
  readonly y: number
  readonly z: number
}

/** In radians. */
export interface LatLon {
  readonly lat: number
  readonly lon: number
}

export function fromDegrees(lat: number, lon: number): LatLon {
  return { lat: lat * (Math.PI / 180), lon: lon * (Math.PI / 180) }
}

export function degreesOf(angle: number): number {
  return angle * (180 / Math.PI)
}

export function pointOf({ lat, lon }: LatLon): Vector {
  const cosLat = Math.cos(lat)
  return { x: Math.cos(lon) * cosLat, y: Math.sin(lon) * cosLat, z: Math.sin(lat) }
}

/** The vector may have any length. */
export function latLonOf({ x, y, z }: Vector): LatLon {
  return { lat: Math.atan2(z, Math.sqrt(x * x + y * y)), lon: Math.atan2(y, x) }
}

export function plus(a: Vector, b: Vector): Vector {
  return { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z }
}

export function minus(a: Vector, b: Vector): Vector {
  return { x: a.x - b.x, y: a.y - b.y, z: a.z - b.z }
}

export function times(factor: number, { x, y, z }: Vector): Vector {
  return { x: factor * x, y: factor * y, z: factor * z }
}

export function dot(a: Vector, b: Vector): number {
  return a.x * b.x + a.y * b.y + a.z * b.z
}

export function cross(a: Vector, b: Vector): Vector {
  return { x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x }
}

export function normalized(a: Vector): Vector {
  const length = Math.sqrt(dot(a, a))
  return length === 0 ? a : times(1 / length, a)
}

export function isSame(a: Vector, b: Vector): boolean {
  return a.x === b.x && a.y === b.y && a.z === b.z
}

export function angleBetween(a: Vector, b: Vector): number {
  const product = cross(a, b)
  return Math.atan2(Math.sqrt(dot(product, product)), dot(a, b))
}

export type Axis = 'x' | 'y' | 'z'

export function largestComponent(a: Vector): Axis {
  const [x, y, z] = [Math.abs(a.x), Math.abs(a.y), Math.abs(a.z)]
  if (x > y) return x > z ? 'x' : 'z'
  return y > z ? 'y' : 'z'
}

/**
 * Some vector at right angles to a point, always the same for the same one. Which of two polygons that touch in a
 * vertex has it is told from this vector, so its numbers are those of the S2 library.
 */
export function orthogonal(a: Vector): Vector {
  const largest = largestComponent(a)
  const helper = {
    x: largest === 'y' ? 1 : 0.012,
    y: largest === 'z' ? 1 : 0.0053,
    z: largest === 'x' ? 1 : 0.00457,
  }
  return normalized(cross(a, helper))
}

/** The direction of `cross(a, b)`, exact also where the points are close together; its length means nothing. */
export function normalOf(a: Vector, b: Vector): Vector {
  const normal = cross(plus(a, b), minus(b, a))
  return normal.x === 0 && normal.y === 0 && normal.z === 0 ? orthogonal(a) : normal
}
