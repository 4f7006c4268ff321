// Cells as they begin: the members that every program counts on for each kind of cell, and the query that one starts
// with. The kinds are those of the public schema.

import type { Cell, ViewProperties } from './dashboard-types.js'

export const viewKinds = [
  { value: 'xy', label: 'Graph' },
  { value: 'line-plus-single-stat', label: 'Graph and number' },
  { value: 'single-stat', label: 'Number' },
  { value: 'gauge', label: 'Gauge' },
  { value: 'table', label: 'Table' },
  { value: 'simple-table', label: 'Simple table' },
  { value: 'markdown', label: 'Note' },
  { value: 'histogram', label: 'Histogram' },
  { value: 'heatmap', label: 'Heat map' },
  { value: 'scatter', label: 'Scatter' },
  { value: 'band', label: 'Band' },
  { value: 'mosaic', label: 'Mosaic' },
  { value: 'geo', label: 'Map' },
  { value: 'check', label: 'Check' },
] as const

export type ViewKind = (typeof viewKinds)[number]['value']

const axis = { bounds: ['', ''], label: '', prefix: '', suffix: '', base: '10', scale: 'linear' }
const xAxis = { ...axis, base: '' }
const decimals = { isEnforced: true, digits: 2 }

const lines = {
  axes: { x: xAxis, y: axis },
  staticLegend: {},
  legendColorizeRows: true,
  legendOpacity: 1,
  legendOrientationThreshold: 100_000_000,
  xColumn: '_time',
  yColumn: '_value',
  hoverDimension: 'auto',
  timeFormat: '',
  generateXAxisTicks: [],
  generateYAxisTicks: [],
}

const flat = {
  xColumn: '_time',
  yColumn: '_value',
  xAxisLabel: '',
  yAxisLabel: '',
  xPrefix: '',
  xSuffix: '',
  yPrefix: '',
  ySuffix: '',
  timeFormat: '',
  legendColorizeRows: true,
  legendOpacity: 1,
  legendOrientationThreshold: 100_000_000,
}

export const storedColour = (hex: string, type: string, value: number, id: string) => ({
  id,
  type,
  hex,
  name: '',
  value,
})

const gaugeColours = [
  storedColour('#1a7f37', 'min', 0, 'min'),
  storedColour('#d98a00', 'threshold', 70, 'warn'),
  storedColour('#d1362a', 'threshold', 90, 'bad'),
  storedColour('#d1362a', 'max', 100, 'max'),
]

const own: Readonly<Record<ViewKind, ViewProperties>> = {
  xy: { ...lines, geom: 'line', shadeBelow: false, position: 'overlaid', colors: [] },
  band: {
    ...lines,
    geom: 'line',
    mainColumn: 'mean',
    upperColumn: 'max',
    lowerColumn: 'min',
    colors: [],
  },
  'line-plus-single-stat': {
    ...lines,
    shadeBelow: true,
    position: 'overlaid',
    prefix: '',
    suffix: '',
    decimalPlaces: decimals,
    colors: [],
  },
  'single-stat': {
    prefix: '',
    suffix: '',
    tickPrefix: '',
    tickSuffix: '',
    decimalPlaces: decimals,
    staticLegend: {},
    colors: [],
  },
  gauge: {
    prefix: '',
    suffix: '',
    tickPrefix: '',
    tickSuffix: '',
    decimalPlaces: decimals,
    colors: gaugeColours,
  },
  table: {
    decimalPlaces: decimals,
    tableOptions: {
      verticalTimeAxis: true,
      sortBy: { internalName: '', displayName: '', visible: false },
      wrapping: 'truncate',
      fixFirstColumn: false,
    },
    fieldOptions: [],
    timeFormat: 'YYYY-MM-DD HH:mm:ss',
    colors: [],
  },
  'simple-table': { showAll: false },
  markdown: {},
  histogram: {
    xColumn: '_value',
    xAxisLabel: '',
    fillColumns: [],
    position: 'stacked',
    binCount: 30,
    legendColorizeRows: true,
    legendOpacity: 1,
    legendOrientationThreshold: 100_000_000,
    colors: [],
  },
  heatmap: { ...flat, binSize: 10, colors: [] },
  scatter: { ...flat, fillColumns: [], symbolColumns: [], colors: [] },
  mosaic: {
    ...flat,
    yColumn: undefined,
    fillColumns: [],
    ySeriesColumns: [],
    yLabelColumns: [],
    yLabelColumnSeparator: '',
    hoverDimension: 'auto',
    colors: [],
  },
  geo: {
    center: { lat: 0, lon: 0 },
    zoom: 2,
    mapStyle: '',
    allowPanAndZoom: true,
    detectCoordinateFields: true,
    layers: [],
    colors: [],
  },
  check: { colors: [] },
}

export function newProperties(kind: ViewKind, queries: readonly unknown[] = []): ViewProperties {
  const shown = kind === 'markdown' ? {} : { queries, showNoteWhenEmpty: false }
  return { shape: 'chronograf-v2', type: kind, note: '', ...shown, ...own[kind] }
}

export interface NewQuery {
  readonly text: string
  readonly language: 'influxql' | 'flux' | 'sql'
  /** By name; InfluxQL and SQL read it. */
  readonly bucket: string | undefined
  /** What a builder would show of it. */
  readonly built?: BuiltQuery | undefined
}

export interface BuiltQuery {
  readonly measurement: string
  readonly fields: readonly string[]
  readonly filters: readonly { readonly tag: string; readonly values: readonly string[] }[]
  readonly aggregate: string
}

/** Tags in the order in which other programs' builders choose them. */
function builderParts(built: BuiltQuery | undefined): object {
  const period = built === undefined ? '' : 'auto'
  const aggregateWindow = { period, fillValues: false }
  if (built === undefined) return { tags: [], functions: [], aggregateWindow }
  const { measurement, fields, filters, aggregate } = built
  const tag = (key: string, values: readonly string[]) => ({
    key,
    values,
    aggregateFunctionType: 'filter',
  })
  const tags = [
    tag('_measurement', [measurement]),
    tag('_field', fields),
    ...filters.map((filter) => tag(filter.tag, filter.values)),
  ]
  const functions = aggregate === 'none' ? [] : [{ name: aggregate }]
  return { tags, functions, aggregateWindow }
}

export function newQuery({ text, language, bucket, built }: NewQuery): object {
  const buckets = bucket === undefined ? [] : [bucket]
  const builderConfig = { buckets, ...builderParts(built) }
  return { text, editMode: 'advanced', name: '', builderConfig, language, bucket }
}

/** Of cells that the service does not know yet; it gives them ids of its own. */
export const newIdPrefix = 'new-'

/** `crypto.randomUUID` is there on HTTPS and localhost only. */
function randomId(): string {
  return [...crypto.getRandomValues(new Uint32Array(3))].map((part) => part.toString(36)).join('')
}

export function newCell(
  name: string,
  properties: ViewProperties,
  below: readonly Pick<Cell, 'y' | 'h'>[],
): Cell {
  const y = Math.max(0, ...below.map((cell) => cell.y + cell.h))
  return { id: `${newIdPrefix}${randomId()}`, x: 0, y, w: 6, h: 4, name, properties }
}
