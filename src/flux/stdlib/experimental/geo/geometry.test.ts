// The geometry under `experimental/geo`: tokens that are known, coverings that have every point of their
// region and nothing far from it, and polygons where rounding would be wrong.

import { describe, expect, test } from 'vitest'
import { type Random, seededRandom } from '../../../../platform/random.js'
import { Cell } from './cell.js'
import { cellOfToken, tokenOf } from './cell-token.js'
import { Covering } from './covering.js'
import { angleOfChord, chordBetween, chordToEdge } from './distance.js'
import { turnOf } from './orientation.js'
import { Polygon } from './polygon.js'
import { Box, Circle, type Region } from './region.js'
import { degreesOf, fromDegrees, latLonOf, normalized, pointOf, type Vector } from './vector.js'

const work = (): void => {}

function at(lat: number, lon: number): Vector {
  return pointOf(fromDegrees(lat, lon))
}

function randomPoint(random: Random): Vector {
  const coordinate = (): number => random.float() - 0.5
  return normalized({ x: coordinate(), y: coordinate(), z: coordinate() })
}

function tokensAt(region: Region, level: number): readonly string[] {
  let covering = Covering.of(region, work)
  while (covering.level < level) covering = covering.finer() as Covering
  return covering.tokens()
}

describe('tokens', () => {
  test('of leaf cells, as S2 lists them', () => {
    const known: [string, number, number][] = [
      ['47a1cbd595522b39', 49.703498679, 11.770681595],
      ['46525318b63be0f9', 55.685376759, 12.588490937],
      ['52b30b71698e729d', 45.486546517, -93.449700022],
      ['010a06c0a948cf5d', -30.694551352, -30.048758753],
      ['b09dff882a7809e1', -75.000000031, 0.000000133],
      ['3b00955555555555', 10.050986518, 78.29317061],
    ]
    for (const [token, lat, lon] of known) {
      expect(tokenOf(Cell.at(at(lat, lon), 30))).toBe(token)
      const center = latLonOf((cellOfToken(token) as Cell).center())
      expect(degreesOf(center.lat)).toBeCloseTo(lat, 7)
      expect(degreesOf(center.lon)).toBeCloseTo(lon, 7)
    }
  })

  test('of faces, and back from any cell', () => {
    const faces = [0, 1, 2, 3, 4, 5].map((face) => tokenOf(new Cell(face, 0, 0, 0)))
    expect(faces).toEqual(['1', '3', '5', '7', '9', 'b'])
    const random = seededRandom(1)
    for (let k = 0; k < 500; k++) {
      const cell = Cell.at(randomPoint(random), random.below(31))
      const { face, level, i, j } = cellOfToken(tokenOf(cell)) as Cell
      expect([face, level, i, j]).toEqual([cell.face, cell.level, cell.i, cell.j])
      const again = Cell.at(normalized(cell.center()), level)
      expect([again.i, again.j]).toEqual([i, j])
    }
  })

  test('that name no cell', () => {
    for (const token of ['', '0', '89c28', 'd', 'f', 'X', '%*^', '89c2840000000000a', '-1', ' 1']) {
      expect(cellOfToken(token), token).toBeUndefined()
    }
    expect(cellOfToken('89C28C')?.level).toBe(9)
  })
})

describe('coverings', () => {
  // A region, and points around it.
  const regions: [string, Region, (random: Random) => Vector][] = [
    ['a circle', new Circle(fromDegrees(40.7, -73.6), 0.02), near(40.7, -73.6, 2)],
    ['a circle around a pole', new Circle(fromDegrees(-89.5, 10), 0.05), near(-87, 10, 9)],
    ['a box', new Box(fromDegrees(-10, 170), fromDegrees(12, 179.9)), near(0, 175, 14)],
    ['a box up to the pole', new Box(fromDegrees(60, -180), fromDegrees(90, 180)), near(80, 0, 99)],
    ['a polygon', new Polygon([at(1, 1), at(1, 11), at(11, 11), at(11, 1)]), near(6, 6, 8)],
    [
      'a star',
      new Polygon([at(50, 0), at(46, 3), at(41, 1), at(45, 5), at(43, 9), at(47, 6), at(52, 7)]),
      near(46, 4, 7),
    ],
  ]

  function near(lat: number, lon: number, degrees: number): (random: Random) => Vector {
    const off = (random: Random): number => (random.float() - 0.5) * 2 * degrees
    return (random) => at(Math.max(-90, Math.min(90, lat + off(random))), lon + off(random))
  }

  test.each(regions)('%s: has the cells of all its points', (_, region, point) => {
    const random = seededRandom(7)
    const levels = [1, 4, 7].map((level) => new Set(tokensAt(region, level)))
    let inside = 0
    for (let k = 0; k < 4000; k++) {
      const place = point(random)
      if (!region.contains(place)) continue
      inside++
      for (const [n, level] of [1, 4, 7].entries()) {
        expect(levels[n].has(tokenOf(Cell.at(place, level)))).toBe(true)
      }
    }
    expect(inside).toBeGreaterThan(100)
  })

  test.each(regions)('%s: has no cell without a point of it', (_, region) => {
    const random = seededRandom(9)
    const cells = tokensAt(region, 6).map((token) => cellOfToken(token) as Cell)
    const isMet = (cell: Cell): boolean => {
      // Points of the cell at random and on its lines; cells that are only just touched may be missed.
      const [a, b, c, d] = cell.vertices()
      const mixed = (): Vector => {
        const [s, t] = [random.float(), random.float()]
        const mix = (k: 'x' | 'y' | 'z'): number =>
          (1 - t) * ((1 - s) * a[k] + s * b[k]) + t * ((1 - s) * d[k] + s * c[k])
        return normalized({ x: mix('x'), y: mix('y'), z: mix('z') })
      }
      return Array.from({ length: 1000 }, mixed)
        .concat(a, b, c, d)
        .some((p) => region.contains(p))
    }
    const unmet = cells.filter((cell) => !isMet(cell)).length
    expect(cells.length).toBeGreaterThan(3)
    expect(unmet).toBeLessThanOrEqual(Math.max(1, cells.length * 0.12))
  })

  test('tokens come in order, cells of one level make those of the level above', () => {
    const region = new Circle(fromDegrees(0, 45), 0.3)
    const fine = tokensAt(region, 6)
    expect([...fine].sort()).toEqual(fine)
    const parents = fine.map((token) => tokenOf((cellOfToken(token) as Cell).parent(5)))
    expect([...new Set(parents)]).toEqual(tokensAt(region, 5))
  })

  test('too many cells are refused, and more than wanted not even counted', () => {
    const whole = Covering.of(new Box(fromDegrees(-90, -180), fromDegrees(90, 180)), work)
    expect(whole.size).toBe(6)
    expect(whole.finer(23)).toBeUndefined()
    let covering: Covering = whole
    for (let level = 1; level <= 5; level++) covering = covering.finer() as Covering
    expect(covering.size).toBe(6 * 4 ** 5)
    expect(() => covering.finer()).toThrow('more than 20000 cells of level 6')
  })
})

describe('polygons', () => {
  const square = [at(0, 0), at(0, 10), at(10, 10), at(10, 0)]

  test('either way round, with the smaller side inside', () => {
    for (const polygon of [new Polygon(square), new Polygon([...square].reverse())]) {
      expect(polygon.contains(at(5, 5))).toBe(true)
      expect(polygon.contains(at(5, 11))).toBe(false)
      expect(polygon.contains(at(-80, -120))).toBe(false)
    }
  })

  test('that share a vertex and edges: each point belongs to exactly one', () => {
    // Four squares around (0, 0); their edges lie exactly on the equator and on the meridian.
    const around = [
      [at(0, 0), at(0, 9), at(9, 9), at(9, 0)],
      [at(0, 0), at(9, 0), at(9, -9), at(0, -9)],
      [at(0, 0), at(0, -9), at(-9, -9), at(-9, 0)],
      [at(0, 0), at(-9, 0), at(-9, 9), at(0, 9)],
    ].map((points) => new Polygon(points))
    for (const [lat, lon] of [
      [0, 0],
      [0, 4],
      [0, -4],
      [5, 0],
      [-5, 0],
      [1, 1],
      [-1, 1],
    ]) {
      const owners = around.filter((polygon) => polygon.contains(at(lat, lon)))
      expect(owners, `${lat} ${lon}`).toHaveLength(1)
    }
  })

  test('three points in line turn one way, whichever comes first', () => {
    const [a, b, c] = [at(0, 10), at(0, 20), at(0, 50)]
    const turn = turnOf(a, b, c)
    expect(turn).not.toBe(0)
    expect([turnOf(b, c, a), turnOf(c, a, b)]).toEqual([turn, turn])
    expect([turnOf(b, a, c), turnOf(c, b, a), turnOf(a, c, b)]).toEqual([-turn, -turn, -turn])
    expect(turnOf(a, a, c)).toBe(0)
  })
})

test('a point is as far from an edge as from the nearest of many points on it', () => {
  const random = seededRandom(3)
  for (let k = 0; k < 50; k++) {
    const [point, from, to] = [randomPoint(random), randomPoint(random), randomPoint(random)]
    let least = Number.POSITIVE_INFINITY
    for (let step = 0; step <= 2000; step++) {
      const t = step / 2000
      const mix = (key: 'x' | 'y' | 'z'): number => (1 - t) * from[key] + t * to[key]
      const on = normalized({ x: mix('x'), y: mix('y'), z: mix('z') })
      least = Math.min(least, chordBetween(point, on))
    }
    const found = angleOfChord(chordToEdge(point, { from, to }))
    expect(found).toBeLessThanOrEqual(angleOfChord(least) + 1e-12)
    expect(found).toBeGreaterThan(angleOfChord(least) - 5e-3)
  }
})
