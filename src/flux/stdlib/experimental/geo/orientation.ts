// Whether three points turn left or right, without ever being wrong: in floating point where that is sure,
// else in whole numbers of any size, and where the three lie exactly on one great circle as if each point
// had been moved by an infinitely small step of its own (Edelsbrunner and Mücke, "Simulation of
// Simplicity", 1990). So whatever counts crossings gets answers that fit together.

import { cross, dot, isSame, type Vector } from './vector.js'

/** 1: counterclockwise, -1: clockwise, 0: two of the points are the same. */
export type Turn = -1 | 0 | 1

/** How far a determinant of three unit vectors may be off: (3 + 2/√3) roundings of 2^-53. */
const determinantErrorMax = 1.8274 * Number.EPSILON

export function turnOf(a: Vector, b: Vector, c: Vector): Turn {
  return sureTurn(dot(cross(a, b), c)) || exactTurn(a, b, c)
}

/** 0: not sure. */
export function sureTurn(determinant: number): Turn {
  if (determinant > determinantErrorMax) return 1
  return determinant < -determinantErrorMax ? -1 : 0
}

interface ExactVector {
  readonly x: bigint
  readonly y: bigint
  readonly z: bigint
}

function exactTurn(a: Vector, b: Vector, c: Vector): Turn {
  if (isSame(a, b) || isSame(b, c) || isSame(c, a)) return 0
  const { points, isOdd } = sorted([a, b, c])
  const [first, second, third] = points.map(exact)
  const normal = exactCross(second, third)
  const determinant = first.x * normal.x + first.y * normal.y + first.z * normal.z
  const turn = signOf(determinant) || movedTurn(first, second, third, normal)
  return isOdd ? (-turn as Turn) : turn
}

/** Sorts three by exchanges and says whether their number is odd: each turns the triangle over. */
function sorted([a, b, c]: readonly [Vector, Vector, Vector]): {
  readonly points: readonly Vector[]
  readonly isOdd: boolean
} {
  let [first, second, third] = [a, b, c]
  let isOdd = false
  if (isAfter(first, second)) [first, second, isOdd] = [second, first, !isOdd]
  if (isAfter(second, third)) [second, third, isOdd] = [third, second, !isOdd]
  if (isAfter(first, second)) [first, second, isOdd] = [second, first, !isOdd]
  return { points: [first, second, third], isOdd }
}

function isAfter(a: Vector, b: Vector): boolean {
  if (a.x !== b.x) return a.x > b.x
  return a.y !== b.y ? a.y > b.y : a.z > b.z
}

/** Components are at most 1, so that this never overflows; what is smaller than 2^-908 loses digits nobody misses. */
const exactScale = 2 ** 960

function exact({ x, y, z }: Vector): ExactVector {
  const whole = (value: number): bigint => BigInt(Math.trunc(value * exactScale))
  return { x: whole(x), y: whole(y), z: whole(z) }
}

function exactCross(a: ExactVector, b: ExactVector): ExactVector {
  return { x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x }
}

function signOf(value: bigint): Turn {
  if (value > 0n) return 1
  return value < 0n ? -1 : 0
}

/**
 * The turn of three points in line, in lexicographic order, after their infinitely small steps: those of a are much
 * larger than those of b, which are much larger than those of c, and in each z before y before x. What follows are the
 * factors of the steps in the determinant, the largest steps first; the first that is not zero decides.
 */
function movedTurn(a: ExactVector, b: ExactVector, c: ExactVector, bc: ExactVector): Turn {
  const factors = [
    bc.z,
    bc.y,
    bc.x,
    c.x * a.y - c.y * a.x,
    c.x,
    -c.y,
    c.z * a.x - c.x * a.z,
    c.z,
    a.x * b.y - a.y * b.x,
    -b.x,
    b.y,
    a.x,
  ]
  return signOf(factors.find((factor) => factor !== 0n) ?? 1n)
}
