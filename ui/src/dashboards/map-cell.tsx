// Points on the earth, without tiles: the page asks no other host for them. A grid of degrees says where they are; the
// colour of a point is that of its value. Rows bring `lat` and `lon`, as columns or as tags.

import { useMemo } from 'react'
import type { ViewProperties } from '../api/dashboards.js'
import { type Threshold, thresholdAt } from '../chart/colours.js'
import { Plane } from '../chart/plane.js'
import { countText, plural } from '../parts/figures.js'
import { Empty } from '../parts/states.js'
import { pointsMax, valueAt } from '../query/points.js'
import type { Result } from '../query/result.js'
import type { CellSurroundings } from './cell-surroundings.js'
import { coloursOf, listOf, membersOf, textOf } from './view-properties.js'

export interface MapCellProps {
  readonly properties: ViewProperties
  readonly result: Result
  readonly around: CellSurroundings
}

interface Spot {
  readonly lat: number
  readonly lon: number
  readonly value: number | undefined
}

export function MapCell({ properties, result, around }: MapCellProps) {
  const layer = membersOf(listOf(properties.layers)[0])
  const spots = useMemo(() => spotsOf(result, properties), [result, properties])
  if (spots.length === 0) {
    return <Empty title="No places">Rows need numbers called lat and lon.</Empty>
  }
  const thresholds = coloursOf({ colors: layer.colors }).map(
    ({ value, hex }): Threshold => ({ value, colour: hex }),
  )
  const [lat, lon] = [extent(spots.map((spot) => spot.lat)), extent(spots.map((spot) => spot.lon))]
  const isTrack = textOf(layer.type) === 'trackMap'
  return (
    <div className="with-note">
      {spots.length >= pointsMax && (
        <p className="small muted">The first {countText(pointsMax)} places are drawn.</p>
      )}
      <Plane
        x={{ ...lon, format: { suffix: '°' } }}
        y={{ ...lat, format: { suffix: '°' } }}
        label={`${around.label}: ${plural(spots.length, 'place')}`}
      >
        {({ x, y }) => (
          <>
            {isTrack && <path d={trackOf(spots, x, y)} className="map-track" />}
            {spots.slice(0, 5000).map((spot, i) => (
              <circle
                // biome-ignore lint/suspicious/noArrayIndexKey: places have no names
                key={i}
                cx={x(spot.lon)}
                cy={y(spot.lat)}
                r={isTrack ? 2 : 5}
                fill={colourOf(spot, thresholds)}
                fillOpacity={0.75}
              >
                <title>{`${spot.lat}, ${spot.lon}${spot.value === undefined ? '' : `: ${spot.value}`}`}</title>
              </circle>
            ))}
          </>
        )}
      </Plane>
    </div>
  )
}

function colourOf({ value }: Spot, thresholds: readonly Threshold[]): string {
  const found = value === undefined ? undefined : thresholdAt(thresholds, value)
  return found?.colour ?? 'var(--accent)'
}

function trackOf(
  spots: readonly Spot[],
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  return spots
    .map(({ lat, lon }, i) => `${i === 0 ? 'M' : 'L'}${x(lon).toFixed(1)} ${y(lat).toFixed(1)}`)
    .join('')
}

function extent(values: readonly number[]): { low: number; high: number } {
  const [low, high] = values.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
  const room = Math.max((high - low) * 0.1, 0.01)
  return { low: low - room, high: high + room }
}

/** Rows with columns `lat` and `lon`, or, from tables of one field each, brought together by their moments. */
function spotsOf(result: Result, { latLonColumns }: ViewProperties): Spot[] {
  const named = membersOf(latLonColumns)
  const latName = textOf(membersOf(named.lat).column) || 'lat'
  const lonName = textOf(membersOf(named.lon).column) || 'lon'
  const spots: Spot[] = []
  for (const table of result.tables) {
    const value = table.columns.find(
      ({ name, kind }) => kind === 'number' && name !== latName && name !== lonName,
    )
    for (let row = 0; row < table.rowCount && spots.length < pointsMax; row++) {
      const [latText, lonText] = [valueAt(table, latName, row), valueAt(table, lonName, row)]
      const [lat, lon] = [Number(latText), Number(lonText)]
      if (latText === '' || lonText === '' || Math.abs(lat) > 90 || Math.abs(lon) > 180) continue
      if (Number.isNaN(lat) || Number.isNaN(lon)) continue
      spots.push({ lat, lon, value: value?.values[row] })
    }
  }
  return spots.length > 0 ? spots : fieldSpots(result, latName, lonName)
}

function fieldSpots({ tables }: Result, latName: string, lonName: string): Spot[] {
  const places = new Map<string, { lat?: number; lon?: number; value?: number }>()
  for (const table of tables) {
    const time = table.columns.find(({ name }) => name === '_time')
    const value = table.columns.find(({ name }) => name === '_value')
    if (time === undefined || value === undefined || value.kind !== 'number') continue
    const { _field: field, ...tags } = table.tags
    const member = field === latName ? 'lat' : field === lonName ? 'lon' : 'value'
    const key = JSON.stringify(tags)
    for (let row = 0; row < table.rowCount && places.size < pointsMax; row++) {
      const id = `${key} ${time.values[row]}`
      places.set(id, { ...places.get(id), [member]: value.values[row] })
    }
  }
  return [...places.values()].flatMap(({ lat, lon, value }) =>
    lat === undefined || lon === undefined ? [] : [{ lat, lon, value }],
  )
}
