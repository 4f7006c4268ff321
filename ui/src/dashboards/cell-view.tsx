// What a cell shows of its answer, by its kind. Kinds that are seldom are loaded when
// one is met.

import type { ViewProperties } from '../api/dashboards.js'
import { later } from '../parts/later.js'
import type { Result } from '../query/result.js'
import type { CellSurroundings } from './cell-surroundings.js'
import { GraphCell } from './graph-cell.js'
import { GaugeCell, StatCell } from './stat-cell.js'
import { TableCell } from './table-cell.js'
import { kindOf } from './view-properties.js'

const PlaneCell = later(async () => (await import('./plane-cell.js')).PlaneCell)
const MapCell = later(async () => (await import('./map-cell.js')).MapCell)

export interface CellViewProps {
  readonly properties: ViewProperties
  readonly result: Result
  readonly around: CellSurroundings
}

export function CellView({ properties, result, around }: CellViewProps) {
  const { label } = around
  switch (kindOf(properties)) {
    case 'single-stat':
      return <StatCell properties={properties} result={result} label={label} />
    case 'gauge':
      return <GaugeCell properties={properties} result={result} label={label} />
    case 'table':
    case 'simple-table':
      return <TableCell properties={properties} result={result} label={label} />
    case 'histogram':
    case 'heatmap':
    case 'scatter':
    case 'mosaic':
      return <PlaneCell properties={properties} result={result} around={around} />
    case 'geo':
      return <MapCell properties={properties} result={result} around={around} />
    default:
      return <GraphCell properties={properties} result={result} around={around} />
  }
}
