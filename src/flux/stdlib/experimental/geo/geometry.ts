// What the records of a script stand for: points, circles, boxes, polygons and lines, told apart by the
// names and the number of their properties, and the unit that distances are given in.

import { parseFloatText } from '../../../value/conversion.js'
import { FluxError } from '../../../value/error.js'
import type { FluxRecord, FluxValue } from '../../../value/value.js'
import { Polygon } from './polygon.js'
import { Box, Circle, type Region } from './region.js'
import { fromDegrees, isSame, type LatLon, pointOf, type Vector } from './vector.js'

export type Geometry =
  | { readonly kind: 'point'; readonly place: LatLon; readonly point: Vector }
  | {
      readonly kind: 'circle'
      readonly region: Circle
      readonly center: Vector
      readonly radius: number
    }
  | { readonly kind: 'box'; readonly region: Box; readonly corners: readonly Vector[] }
  | { readonly kind: 'polygon'; readonly region: Polygon }
  | { readonly kind: 'polyline'; readonly places: readonly LatLon[] }

/** The mean radius of the Earth. */
const earthRadiusKm = 6371.01

const earthRadiusOfUnit: ReadonlyMap<string, number> = new Map([
  ['m', earthRadiusKm * 1000],
  ['km', earthRadiusKm],
  ['mile', earthRadiusKm / 1.609344],
])

/** In the unit that a record `{distance: "km"}` names. */
export function earthRadiusIn(units: FluxRecord): number {
  const unit = units.get('distance')
  if (unit === undefined || sizeOf(units) !== 1) {
    throw new FluxError('invalid units parameter: missing field: distance')
  }
  if (unit === null) throw new FluxError('invalid units parameter: distance field is null')
  const earthRadius = typeof unit === 'string' ? earthRadiusOfUnit.get(unit) : undefined
  if (earthRadius !== undefined) return earthRadius
  throw new FluxError(`invalid units parameter: unsupported distance unit '${String(unit)}'`)
}

export function geometryOf(argument: string, record: FluxRecord, earthRadius: number): Geometry {
  const size = sizeOf(record)
  if (size === 2 && record.has('lat')) {
    const [lat, lon] = numbersOf(record, 'point', ['lat', 'lon'])
    const place = fromDegrees(lat, lon)
    return { kind: 'point', place, point: pointOf(place) }
  }
  if (size === 3 && record.has('radius')) {
    const [lat, lon, radius] = numbersOf(record, 'circle', ['lat', 'lon', 'radius'])
    return circleOf(fromDegrees(lat, lon), radius / earthRadius)
  }
  if (size === 4 && record.has('minLat')) {
    return boxOf(numbersOf(record, 'box', ['minLat', 'minLon', 'maxLat', 'maxLon']))
  }
  if (size === 1 && record.has('points')) return polygonOf(record.get('points') ?? null)
  if (size === 1 && record.has('linestring')) return polylineOf(record.get('linestring') ?? null)
  throw new FluxError(`unsupported geometry specified for '${argument}'`)
}

function circleOf(center: LatLon, radius: number): Geometry {
  const region = new Circle(center, radius)
  return { kind: 'circle', region, center: pointOf(center), radius }
}

/** Which of two is the smaller one need not be right. */
function boxOf([minLat, minLon, maxLat, maxLon]: readonly number[]): Geometry {
  const min = fromDegrees(Math.min(minLat, maxLat), Math.min(minLon, maxLon))
  const max = fromDegrees(Math.max(minLat, maxLat), Math.max(minLon, maxLon))
  const corners = [min, { lat: min.lat, lon: max.lon }, max, { lat: max.lat, lon: min.lon }]
  return { kind: 'box', region: new Box(min, max), corners: corners.map(pointOf) }
}

function polygonOf(points: FluxValue): Geometry {
  if (!Array.isArray(points))
    throw new FluxError('invalid polygon specification - points must be an array')
  const vertices = (points as readonly FluxRecord[]).map((point) => {
    const [lat, lon] = numbersOf(point, 'polygon point', ['lat', 'lon'])
    return pointOf(fromDegrees(lat, lon))
  })
  // Many say the first point again at the end; the polygon closes without that.
  const distinct = vertices.filter(
    (vertex, k) => !isSame(vertex, vertices[(k + 1) % vertices.length]),
  )
  if (distinct.length < 3) throw new FluxError('polygon must have at least 3 points')
  return { kind: 'polygon', region: new Polygon(distinct) }
}

/** `lon lat, lon lat`. */
function polylineOf(text: FluxValue): Geometry {
  if (text === null) throw new FluxError('empty linestring')
  if (typeof text !== 'string') throw new FluxError('invalid linestring - must be a string')
  const places = text.split(',').map((part) => {
    const [lon, lat] = part.trim().split(/\s+/)
    if (lon === '') throw new FluxError('invalid linestring - empty part')
    if (lat === undefined) throw new FluxError(`invalid linestring - no latitude after ${lon}`)
    const [lonValue, latValue] = [parseFloatText(lon), parseFloatText(lat)]
    if (lonValue === undefined || latValue === undefined) {
      const causes = `${causeOf(lon, lonValue)}, ${causeOf(lat, latValue)}`
      throw new FluxError(`invalid linestring - ${causes}`)
    }
    if (!Number.isFinite(lonValue + latValue)) {
      throw new FluxError('invalid linestring - coordinates must be finite')
    }
    return fromDegrees(latValue, lonValue)
  })
  return { kind: 'polyline', places }
}

function causeOf(text: string, value: number | undefined): string {
  if (value !== undefined) return '<nil>'
  return `strconv.ParseFloat: parsing ${JSON.stringify(text)}: invalid syntax`
}

function sizeOf(record: FluxRecord): number {
  let size = 0
  for (const _ of record.names()) size++
  return size
}

/** The properties of a geometry, all of which must be there and be floats. */
export function numbersOf(
  record: FluxRecord,
  kind: string,
  names: readonly string[],
): readonly number[] {
  const values = names.map((name) => record.get(name))
  const refuse = (why: string): never => {
    throw new FluxError(`invalid ${kind} specification - ${why}`)
  }
  const list = names.join(', ')
  if (values.includes(undefined)) refuse(`must have ${list} fields`)
  if (values.includes(null)) refuse(`${list} must not be null`)
  const numbers = values.map((value) =>
    typeof value === 'number' ? value : refuse(`${list} must be floats`),
  )
  // A row whose point is nowhere is just not found; a region that is nowhere is a mistake.
  if (kind !== 'point' && !numbers.every(Number.isFinite)) refuse(`${list} must be finite`)
  return numbers
}

export function regionOf(geometry: Geometry): Region {
  const hasNoInside = geometry.kind === 'point' || geometry.kind === 'polyline'
  return hasNoInside ? unsupportedRegion(geometry) : geometry.region
}

export function unsupportedRegion({ kind }: Geometry): never {
  throw new FluxError(`unsupported region type: geo.${kind}`)
}
