// What two geometries have to do with each other: whether one contains the other, and how far they are
// apart.

import { type Call, type Definitions, native } from '../../../package/define.js'
import { FluxError } from '../../../value/error.js'
import {
  angleBetweenPlaces,
  angleOfChord,
  chordBetweenEdges,
  chordToEdges,
  type Edge,
  edgesThrough,
  type Work,
} from './distance.js'
import {
  earthRadiusIn,
  type Geometry,
  geometryOf,
  regionOf,
  unsupportedRegion,
} from './geometry.js'
import { Polygon } from './polygon.js'
import { angleBetween, pointOf, type Vector } from './vector.js'

/** So many edges are looked at in about the time that a call of a function takes. */
const edgesPerStep = 64

/** Long lines count like many calls: their time is limited as well. */
export function workOf({ context }: Call): Work {
  let edgesLeft = 0
  return (edges) => {
    for (edgesLeft += edges; edgesLeft >= edgesPerStep; edgesLeft -= edgesPerStep)
      context.steps.step()
  }
}

function unsupported(geometry: Geometry): never {
  throw new FluxError(`unsupported geometry type: geo.${geometry.kind}`)
}

function isContained(call: Call): boolean {
  const earthRadius = earthRadiusIn(call.record('units'))
  const region = regionOf(geometryOf('region', call.record('region'), earthRadius))
  const geometry = geometryOf('geometry', call.record('geometry'), earthRadius)
  switch (geometry.kind) {
    case 'point':
      workOf(call)(region.size)
      return region.contains(geometry.point)
    case 'polyline': {
      const work = workOf(call)
      return geometry.places.every((place) => {
        work(region.size)
        return region.contains(pointOf(place))
      })
    }
    default:
      return unsupported(geometry)
  }
}

function distanceOf(call: Call): number {
  const earthRadius = earthRadiusIn(call.record('units'))
  const region = geometryOf('region', call.record('region'), earthRadius)
  const geometry = geometryOf('geometry', call.record('geometry'), earthRadius)
  switch (geometry.kind) {
    case 'point':
      return angleToPoint(region, geometry, workOf(call)) * earthRadius
    case 'polyline': {
      const line = edgesThrough(geometry.places.map(pointOf))
      return angleToLine(region, line, workOf(call)) * earthRadius
    }
    default:
      return unsupported(geometry)
  }
}

function angleToPoint(
  region: Geometry,
  { place, point }: Extract<Geometry, { kind: 'point' }>,
  work: Work,
): number {
  switch (region.kind) {
    case 'point':
      return angleBetween(region.point, point)
    case 'circle':
      return Math.max(0, angleBetween(region.center, point) - region.radius)
    case 'box':
      return region.region.distanceTo(place)
    case 'polygon':
      if (region.region.contains(point)) return 0
      return angleOfChord(chordToEdges(point, region.region.edges, work))
    case 'polyline':
      return unsupportedRegion(region)
  }
}

function angleToLine(region: Geometry, line: readonly Edge[], work: Work): number {
  const angleFrom = (point: Vector): number => angleOfChord(chordToEdges(point, line, work))
  switch (region.kind) {
    case 'point':
      return angleFrom(region.point)
    case 'circle':
      return Math.max(0, angleFrom(region.center) - region.radius)
    case 'box':
      return angleFromPolygon(new Polygon(region.corners), line, work)
    case 'polygon':
      return angleFromPolygon(region.region, line, work)
    case 'polyline':
      return unsupportedRegion(region)
  }
}

function angleFromPolygon(polygon: Polygon, line: readonly Edge[], work: Work): number {
  if (polygon.contains(line[0].from)) return 0
  return angleOfChord(chordBetweenEdges(polygon.edges, line, work))
}

function lengthOf(call: Call): number {
  const earthRadius = earthRadiusIn(call.record('units'))
  const geometry = geometryOf('geometry', call.record('geometry'), earthRadius)
  if (geometry.kind === 'point') return 0
  if (geometry.kind !== 'polyline') return unsupported(geometry)
  const { places } = geometry
  let angle = 0
  for (let k = 1; k < places.length; k++) angle += angleBetweenPlaces(places[k - 1], places[k])
  return angle * earthRadius
}

const ofTwo = 'region: A, geometry: B, units: {distance: string}'

export const measures: Definitions = {
  stContains: native(`(${ofTwo}) => bool where A: Record, B: Record`, isContained),
  stDistance: native(`(${ofTwo}) => float where A: Record, B: Record`, distanceOf),
  stLength: native('(geometry: A, units: {distance: string}) => float where A: Record', lengthOf),
}
