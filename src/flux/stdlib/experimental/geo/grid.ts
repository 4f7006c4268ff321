// Cells for scripts: the grid that covers a region, of a level or by the number of its cells, and single
// cells by token or place.

import { type Call, type Definitions, native } from '../../../package/define.js'
import { FluxError } from '../../../value/error.js'
import { type FluxRecord, type FluxValue, MapRecord } from '../../../value/value.js'
import { Cell, levelMax } from './cell.js'
import { cellOfToken, tokenOf } from './cell-token.js'
import { Covering } from './covering.js'
import { earthRadiusIn, geometryOf, numbersOf, regionOf } from './geometry.js'
import { workOf } from './measures.js'
import { degreesOf, fromDegrees, latLonOf, pointOf } from './vector.js'

/** How many cells a grid has if nothing else is said. */
const sizeMaxDefault = 100

/** What an optional number is in a script that leaves the choice to us. */
const notGiven = -1n

interface GridLimits {
  /** undefined: chosen by size. */
  readonly level: number | undefined
  readonly levelMax: number
  readonly sizeMin: number
  readonly sizeMax: number
  /** Whether a grid of the highest level will do though it is smaller than wanted. */
  readonly isSmallerFine: boolean
}

function gridLimits(call: Call): GridLimits {
  const level = call.int('level', notGiven)
  const highest = call.int('maxLevel', notGiven)
  const [sizeMin, sizeMax] = [call.int('minSize', notGiven), call.int('maxSize', notGiven)]
  if (highest > levelMax) {
    throw new FluxError(`invalid maxLevel (${highest}, must be < ${levelMax})`)
  }
  if (level > levelMax) throw new FluxError(`invalid level (${level}, must be <= ${levelMax})`)
  if (sizeMin > 0n && sizeMax > 0n && sizeMin > sizeMax) {
    throw new FluxError(`minSize > maxSize (${sizeMin} > ${sizeMax})`)
  }
  if (level < 0n && sizeMin <= 0n && sizeMax <= 0n) {
    throw new FluxError('either minSize or maxSize must be specified')
  }
  return {
    level: level < 0n ? undefined : Number(level),
    levelMax: highest > 0n ? Number(highest) : levelMax,
    sizeMin: sizeMin > 0n ? Number(sizeMin) : 0,
    sizeMax: sizeMax > 0n ? Number(sizeMax) : sizeMaxDefault,
    isSmallerFine: highest > 0n,
  }
}

/** Of the level asked for, or the coarsest that has enough cells, but not too many. undefined: there is none. */
function gridOf(faces: Covering, limits: GridLimits): Covering | undefined {
  let covering: Covering | undefined = faces
  if (limits.level !== undefined) {
    while (covering !== undefined && covering.level < limits.level) covering = covering.finer()
    return covering
  }
  let grid: Covering | undefined
  do {
    covering = covering.finer(limits.sizeMax)
    if (covering === undefined) break
    grid = covering
  } while (grid.level < limits.levelMax && (limits.sizeMin === 0 || grid.size < limits.sizeMin))
  if (grid !== undefined && grid.size < limits.sizeMin && !limits.isSmallerFine) return undefined
  return grid
}

function getGrid(call: Call): FluxRecord {
  const earthRadius = earthRadiusIn(call.record('units'))
  const geometry = geometryOf('region', call.record('region'), earthRadius)
  const limits = gridLimits(call)
  const grid = gridOf(Covering.of(regionOf(geometry), workOf(call)), limits)
  const tokens = grid?.tokens() ?? []
  const level = grid === undefined || tokens.length === 0 ? notGiven : BigInt(grid.level)
  return new MapRecord(
    new Map<string, FluxValue>([
      ['level', level],
      ['set', tokens],
    ]),
  )
}

function cellOf(token: string): Cell {
  const cell = cellOfToken(token)
  if (cell === undefined) throw new FluxError('invalid token specified')
  return cell
}

function s2CellIDToken(call: Call): string {
  const token = call.has('token') ? call.string('token') : ''
  const point = call.has('point') ? call.record('point') : undefined
  if (!call.has('token') && point === undefined) {
    throw new FluxError('either token or point parameter must be specified')
  }
  if (call.has('token') && point !== undefined) {
    const isPointEmpty = [...point.names()].length === 0
    if ((token === '') === isPointEmpty) {
      const parameters = 'either token or point parameter must be specified'
      throw new FluxError(`${parameters} and must not be empty`)
    }
  }
  const level = call.int('level')
  if (level < 1n || level > levelMax) throw new FluxError(`level value must be [1, ${levelMax}]`)
  if (point === undefined || token !== '') return parentToken(token, Number(level))
  const [lat, lon] = numbersOf(point, 'point', ['lat', 'lon'])
  if (!Number.isFinite(lat) || !Number.isFinite(lon)) throw new FluxError('invalid coordinates')
  return tokenOf(Cell.at(pointOf(fromDegrees(lat, lon)), Number(level)))
}

function parentToken(token: string, level: number): string {
  const cell = cellOfToken(token)
  if (cell !== undefined && level <= cell.level) return tokenOf(cell.parent(level))
  throw new FluxError('invalid token specified or requested level greater then current level')
}

function s2CellLatLon(call: Call): FluxRecord {
  const { lat, lon } = latLonOf(cellOf(call.string('token')).center())
  return new MapRecord(
    new Map([
      ['lat', degreesOf(lat)],
      ['lon', degreesOf(lon)],
    ]),
  )
}

const gridParameters = `region: T, ?minSize: int, ?maxSize: int, ?level: int, ?maxLevel: int,
  units: {distance: string}`

export const grids: Definitions = {
  getGrid: native(`(${gridParameters}) => {level: int, set: [string]} where T: Record`, getGrid),
  getLevel: native('(token: string) => int', (call) => BigInt(cellOf(call.string('token')).level)),
  s2CellIDToken: native(
    '(?token: string, ?point: {lat: float, lon: float}, level: int) => string',
    s2CellIDToken,
  ),
  s2CellLatLon: native('(token: string) => {lat: float, lon: float}', s2CellLatLon),
}
