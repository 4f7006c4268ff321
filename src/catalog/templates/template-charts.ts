// Cells of dashboards as templates write them: a chart with its place, its kind in any letter case and
// names of its own for some members. What a template can leave out is what a view has when nothing is
// said (`view-defaults.ts`); what templates have no form for is carried over under its own name, so
// that no property of a view is lost on the way out and in again.

import { isDeepStrictEqual } from 'node:util'
import { UserError } from '../../errors.js'
import {
  type Cell,
  type CellInput,
  type ViewType,
  viewTypeNamed,
} from '../dashboards/dashboards.js'
import {
  chartAxes,
  chartColors,
  chartParts,
  viewAxes,
  viewColors,
  viewParts,
} from './chart-parts.js'
import { isSpec, listOf, type Spec, textOf } from './template-specs.js'
import { defaultsOf } from './view-defaults.js'

const kindOfType: Partial<Record<ViewType, string>> = {
  'line-plus-single-stat': 'Single_Stat_Plus_Line',
}

const typeOfKind = new Map<string, ViewType>([['single-stat-plus-line', 'line-plus-single-stat']])

/** Members that templates call otherwise than views do. */
const chartNames: Readonly<Record<string, string>> = {
  xColumn: 'xCol',
  yColumn: 'yCol',
  shadeBelow: 'shade',
  showNoteWhenEmpty: 'noteOnEmpty',
}

const viewNames = new Map(Object.entries(chartNames).map(([view, chart]) => [chart, view]))

/** Exports of InfluxDB repeat the members of the legend beside it; nobody reads them there. */
const repeatedLegend = new Set([
  'colorizeRows',
  'heightRatio',
  'opacity',
  'orientationThreshold',
  'show',
  'valueAxis',
  'widthRatio',
])

/** Absent for a cell that shows nothing. */
export function chartOf(cell: Cell): Spec | undefined {
  const { shape: _shape, type: name, ...properties } = cell.view.properties
  const type = viewTypeNamed(name)
  if (type === undefined) return undefined
  const defaults = defaultsOf(type)
  const rest: Record<string, unknown> = {}
  for (const [property, value] of Object.entries(properties)) {
    if (value === null || isDeepStrictEqual(value, defaults[property])) continue
    rest[chartNames[property] ?? property] = value
  }
  return {
    kind: kindOfType[type] ?? titled(type),
    name: cell.view.name,
    xPos: cell.x,
    yPos: cell.y,
    width: cell.w,
    height: cell.h,
    ...chartAxes(type, chartColors(chartParts(rest))),
  }
}

export function cellOfChart(chart: Spec): CellInput {
  const { kind, name: _name, xPos, yPos, width, height, ...given } = chart
  const type = typeOfChart(kind)
  const rest: Record<string, unknown> = {}
  for (const [member, value] of Object.entries(given)) {
    if (value === undefined || value === null || repeatedLegend.has(member)) continue
    rest[viewNames.get(member) ?? member] = value
  }
  const parts = viewParts(viewColors(type, viewAxes(type, rest)))
  const cell = {
    name: textOf(chart, 'name') ?? '',
    x: whole('xPos', xPos),
    y: whole('yPos', yPos),
    w: whole('width', width),
    h: whole('height', height),
  }
  if (type !== 'markdown' && (cell.w <= 0 || cell.h <= 0)) {
    throw refused(`chart ${JSON.stringify(cell.name)}: width and height must be greater than 0`)
  }
  return { ...cell, properties: { shape: 'chronograf-v2', type, ...defaultsOf(type), ...parts } }
}

function typeOfChart(kind: unknown): ViewType {
  const name = typeof kind === 'string' ? kind.trim().toLowerCase().replaceAll('_', '-') : ''
  const type = typeOfKind.get(name) ?? viewTypeNamed(name)
  if (type !== undefined) return type
  throw refused(`invalid chart kind provided: ${typeof kind === 'string' ? kind : ''}`)
}

/** `single-stat` as `Single_Stat`. */
function titled(type: string): string {
  const words = type.split('-')
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('_')
}

function whole(member: string, value: unknown): number {
  if (value === undefined || value === null) return 0
  const number = typeof value === 'number' ? Math.trunc(value) : Number.NaN
  if (Number.isInteger(number) && Math.abs(number) < 2 ** 31) return number
  throw refused(`${member} must be a number`)
}

function refused(reason: string): UserError {
  return new UserError('unprocessable entity', reason)
}

/** The charts of a dashboard; mistakes are told with the number of the chart. */
export function cellsOfCharts(spec: Spec): CellInput[] {
  return listOf(spec, 'charts').map((chart, index) => {
    try {
      return cellOfChart(isSpec(chart) ? chart : {})
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      throw refused(`charts[${index}]: ${error.message}`)
    }
  })
}
