// What the properties of a view are when a template says nothing about them, for every type of view.
// Programs that draw views count on these members: a missing list is not an empty one to them.

import type { ViewType } from '../dashboards/dashboards.js'

type Properties = Readonly<Record<string, unknown>>

export const emptyAxis = { bounds: [], label: '', prefix: '', suffix: '', base: '', scale: '' }

const drawn: Properties = { queries: [], colors: [], note: '', showNoteWhenEmpty: false }

const decimals: Properties = { decimalPlaces: { isEnforced: false, digits: 0 } }

const legend: Properties = {
  legendColorizeRows: false,
  legendHide: false,
  legendOpacity: 0,
  legendOrientationThreshold: 0,
}

const xTicks: Properties = {
  xColumn: '',
  generateXAxisTicks: [],
  xTotalTicks: 0,
  xTickStart: 0,
  xTickStep: 0,
}

const yTicks: Properties = {
  yColumn: '',
  generateYAxisTicks: [],
  yTotalTicks: 0,
  yTickStart: 0,
  yTickStep: 0,
}

const lines: Properties = {
  ...drawn,
  ...xTicks,
  ...yTicks,
  ...legend,
  axes: { x: emptyAxis, y: emptyAxis },
  staticLegend: {},
  timeFormat: '',
  hoverDimension: '',
}

const flatAxes: Properties = {
  xAxisLabel: '',
  yAxisLabel: '',
  xPrefix: '',
  xSuffix: '',
  yPrefix: '',
  ySuffix: '',
}

const flat: Properties = { ...drawn, ...xTicks, ...legend, ...flatAxes, timeFormat: '' }

const affixes: Properties = { prefix: '', suffix: '', tickPrefix: '', tickSuffix: '' }

const defaults: Readonly<Record<ViewType, Properties>> = {
  xy: { ...lines, geom: 'line', shadeBelow: false, position: '' },
  band: { ...lines, geom: 'line', upperColumn: '', mainColumn: '', lowerColumn: '' },
  'line-plus-single-stat': {
    ...lines,
    ...decimals,
    prefix: '',
    suffix: '',
    shadeBelow: false,
    position: '',
  },
  'single-stat': { ...drawn, ...decimals, ...affixes },
  gauge: { ...drawn, ...decimals, ...affixes },
  histogram: {
    ...drawn,
    ...legend,
    xColumn: '',
    fillColumns: [],
    xAxisLabel: '',
    position: '',
    binCount: 0,
  },
  heatmap: { ...flat, ...yTicks, binSize: 0 },
  scatter: { ...flat, ...yTicks, fillColumns: [], symbolColumns: [] },
  mosaic: {
    ...flat,
    fillColumns: [],
    hoverDimension: '',
    yLabelColumnSeparator: '',
    yLabelColumns: [],
    ySeriesColumns: [],
  },
  table: {
    ...drawn,
    ...decimals,
    tableOptions: {
      verticalTimeAxis: false,
      sortBy: { internalName: '', displayName: '', visible: false },
      wrapping: '',
      fixFirstColumn: false,
    },
    fieldOptions: [],
    timeFormat: '',
  },
  'simple-table': { queries: [], note: '', showNoteWhenEmpty: false, showAll: false },
  markdown: { note: '' },
  check: { queries: [], colors: [] },
  geo: {
    ...drawn,
    center: { lat: 0, lon: 0 },
    zoom: 0,
    mapStyle: '',
    allowPanAndZoom: false,
    detectCoordinateFields: false,
    layers: [],
  },
}

export function defaultsOf(type: ViewType): Properties {
  return defaults[type]
}
