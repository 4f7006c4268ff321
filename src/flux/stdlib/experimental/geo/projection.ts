// How S2 flattens the sphere: onto the six faces of a cube around it (0 to 2: where x, y, z are largest,
// 3 to 5: where they are smallest). A point of a face has coordinates u and v from -1 to 1 as seen from the
// middle of the sphere, and s and t from 0 to 1, bent such that cells of equal size in s and t are of nearly
// equal size on the sphere.

import { largestComponent, type Vector } from './vector.js'

export interface FacePoint {
  readonly face: number
  readonly u: number
  readonly v: number
}

export function faceOf(point: Vector): number {
  const axis = largestComponent(point)
  const face = { x: 0, y: 1, z: 2 }[axis]
  return point[axis] < 0 ? face + 3 : face
}

export function facePointOf(point: Vector): FacePoint {
  const face = faceOf(point)
  const { x, y, z } = inFrame(face, point)
  return { face, u: x / z, v: y / z }
}

/** The same vector in the axes of a face: x along u, y along v, z away from the middle of the sphere. */
export function inFrame(face: number, { x, y, z }: Vector): Vector {
  switch (face) {
    case 0:
      return { x: y, y: z, z: x }
    case 1:
      return { x: -x, y: z, z: y }
    case 2:
      return { x: -x, y: -y, z }
    case 3:
      return { x: -z, y: -y, z: -x }
    case 4:
      return { x: -z, y: x, z: -y }
    default:
      return { x: y, y: x, z: -z }
  }
}

/** Not of length 1: on the cube. */
export function cubePoint(face: number, u: number, v: number): Vector {
  switch (face) {
    case 0:
      return { x: 1, y: u, z: v }
    case 1:
      return { x: -u, y: 1, z: v }
    case 2:
      return { x: -u, y: -v, z: 1 }
    case 3:
      return { x: -1, y: -v, z: -u }
    case 4:
      return { x: v, y: -1, z: -u }
    default:
      return { x: v, y: u, z: -1 }
  }
}

export function bent(s: number): number {
  return s >= 0.5 ? (1 / 3) * (4 * s * s - 1) : (1 / 3) * (1 - 4 * (1 - s) * (1 - s))
}

export function unbent(u: number): number {
  return u >= 0 ? 0.5 * Math.sqrt(1 + 3 * u) : 1 - 0.5 * Math.sqrt(1 - 3 * u)
}
