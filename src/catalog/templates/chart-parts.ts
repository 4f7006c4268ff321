// The parts of a chart that have another form in a template than in a view: axes, colours, queries,
// decimal places, options of tables, layers of maps. Each has a way in and a way out. Nobody checked
// what a view's properties hold: on the way out what is not understood stays as it is.

import { isDeepStrictEqual } from 'node:util'
import { UserError } from '../../errors.js'
import type { ViewType } from '../dashboards/dashboards.js'
import { isSpec, listOf, type Spec } from './template-specs.js'
import { emptyAxis } from './view-defaults.js'

type Members = Readonly<Record<string, unknown>>

/** Types whose axes are members of the view, and the letters of these axes. */
const flatAxes: Partial<Record<ViewType, readonly ('x' | 'y')[]>> = {
  heatmap: ['x', 'y'],
  scatter: ['x', 'y'],
  mosaic: ['x', 'y'],
  histogram: ['x'],
}

const flatMembers = (letter: string) => ({
  domain: `${letter}Domain`,
  label: `${letter}AxisLabel`,
  prefix: `${letter}Prefix`,
  suffix: `${letter}Suffix`,
})

export function viewAxes(type: ViewType, chart: Members): Members {
  const { axes, ...rest } = chart
  // Already as a view has them, which exports of other programs may be.
  if (axes === undefined || isSpec(axes)) return chart
  const list = listOf(chart, 'axes')
  const letters = flatAxes[type]
  if (letters === undefined) {
    const named = list.map(({ name, ...axis }) => [String(name ?? ''), viewAxis(axis)])
    return { ...rest, axes: { x: emptyAxis, y: emptyAxis, ...Object.fromEntries(named) } }
  }
  const members: Record<string, unknown> = { ...rest }
  for (const axis of list) {
    const letter = letters.find((one) => one === axis.name)
    if (letter === undefined) continue
    const names = flatMembers(letter)
    const domain = domainOf(axis)
    if (domain.length > 0) members[names.domain] = domain
    for (const member of ['label', 'prefix', 'suffix'] as const) {
      // A histogram has a label and no more.
      if (type === 'histogram' && member !== 'label') continue
      if (isGiven(axis[member])) members[names[member]] = axis[member]
    }
  }
  return members
}

export function chartAxes(type: ViewType, view: Members): Members {
  const letters = flatAxes[type]
  if (letters === undefined) {
    const { axes, ...rest } = view
    if (!isSpec(axes)) return view
    const list = Object.entries(axes).map(([name, axis]) => ({ name, ...chartAxis(axis) }))
    return { ...rest, axes: list.sort((a, b) => (a.name < b.name ? -1 : 1)) }
  }
  const members: Record<string, unknown> = { ...view }
  const list = letters.map((letter) => {
    const axis: Record<string, unknown> = { name: letter }
    for (const [member, property] of Object.entries(flatMembers(letter))) {
      const value = members[property]
      if (value === undefined) continue
      delete members[property]
      if (isGiven(value)) axis[member] = value
    }
    return axis
  })
  return { ...members, axes: list }
}

/** The range of an axis is its `domain` in a template and its `bounds` in a view, as texts. */
function viewAxis(given: Spec): Members {
  const { domain: _domain, ...axis } = given
  const domain = domainOf(given)
  const bounds = domain.length > 0 ? { bounds: domain.map(String) } : {}
  return { ...emptyAxis, ...withoutNulls(axis), ...bounds }
}

function chartAxis(axis: unknown): Members {
  if (!isSpec(axis)) return {}
  const { bounds, ...rest } = axis
  const shown = otherThan(emptyAxis, rest)
  if (!Array.isArray(bounds) || bounds.length === 0) return shown
  const numbers = bounds.map(Number)
  const isExact = bounds.every((bound, index) => String(numbers[index]) === bound)
  return isExact ? { ...shown, domain: numbers } : { ...shown, bounds }
}

function domainOf(axis: Spec): number[] {
  const { domain } = axis
  if (domain === undefined || domain === null) return []
  const numbers = Array.isArray(domain) ? domain.map(Number) : [Number.NaN]
  if (numbers.every(Number.isFinite)) return numbers
  throw refused(`domain of axis ${JSON.stringify(axis.name ?? '')} must be a list of numbers`)
}

/** Types whose colours are a list of texts. */
const plainColors = new Set<ViewType>(['heatmap', 'scatter', 'mosaic'])

export function viewColors(type: ViewType, chart: Members): Members {
  const { colors } = chart
  if (colors === undefined) return chart
  if (!plainColors.has(type)) return { ...chart, colors: listOf(chart, 'colors').map(viewColor) }
  const list = Array.isArray(colors) ? colors : []
  return { ...chart, colors: list.map((color) => (isSpec(color) ? hexOf(color) : color)) }
}

export function chartColors(view: Members): Members {
  const { colors } = view
  if (!Array.isArray(colors)) return view
  return { ...view, colors: colors.map(chartColor) }
}

const emptyColor = { id: '', type: '', name: '', value: 0 }

function viewColor(color: Spec): Members {
  hexOf(color)
  return { ...emptyColor, ...withoutNulls(color) }
}

function chartColor(color: unknown): unknown {
  if (typeof color === 'string') return { hex: color }
  return isSpec(color) ? otherThan(emptyColor, color) : color
}

function hexOf({ hex }: Spec): string {
  if (typeof hex === 'string' && hex !== '') return hex
  throw refused('a color must have a hex value')
}

const emptyBuilder = {
  buckets: [],
  tags: [],
  functions: [],
  aggregateWindow: { period: '', fillValues: false },
}

const emptyQuery = { text: '', editMode: 'advanced', name: '', builderConfig: emptyBuilder }

/** What has one form in every type of chart. */
export function viewParts(chart: Members): Members {
  const { decimalPlaces, queries, geoLayers, lat, lon, ...rest } = chart
  const view: Record<string, unknown> = { ...rest }
  if (typeof decimalPlaces === 'number') {
    view.decimalPlaces = { isEnforced: true, digits: decimalPlaces }
  } else if (isSpec(decimalPlaces)) view.decimalPlaces = decimalPlaces
  if (queries !== undefined) view.queries = listOf(chart, 'queries').map(viewQuery)
  if (geoLayers !== undefined) view.layers = listOf(chart, 'geoLayers').map(viewLayer)
  if (lat !== undefined || lon !== undefined) view.center = { lat: lat ?? 0, lon: lon ?? 0 }
  if (isSpec(chart.tableOptions)) view.tableOptions = viewTableOptions(chart.tableOptions)
  if (chart.fieldOptions !== undefined) {
    view.fieldOptions = listOf(chart, 'fieldOptions').map(viewFieldOption)
  }
  return view
}

export function chartParts(view: Members): Members {
  const { decimalPlaces, queries, layers, center, ...rest } = view
  const chart: Record<string, unknown> = { ...rest }
  if (decimalPlaces !== undefined) chart.decimalPlaces = chartDecimals(decimalPlaces)
  if (Array.isArray(queries)) chart.queries = queries.map(chartQuery)
  if (Array.isArray(layers)) chart.geoLayers = layers.map(chartLayer)
  if (isSpec(center)) Object.assign(chart, { lat: center.lat, lon: center.lon })
  if (isSpec(rest.tableOptions)) chart.tableOptions = chartTableOptions(rest.tableOptions)
  if (Array.isArray(rest.fieldOptions)) {
    chart.fieldOptions = rest.fieldOptions.map(chartFieldOption)
  }
  return chart
}

/** A number of places that nobody has to keep to stays as it is: a plain number would enforce it. */
function chartDecimals(places: unknown): unknown {
  return isSpec(places) && places.isEnforced === true ? (places.digits ?? 0) : places
}

function viewQuery(given: Spec): Members {
  const { query, params: _params, ...rest } = withoutNulls(given)
  return { ...emptyQuery, ...rest, ...(query === undefined ? {} : { text: query }) }
}

/** Templates have the text alone; the rest goes along for whoever wants to edit the query. */
function chartQuery(given: unknown): Members {
  if (!isSpec(given)) return { query: '' }
  const { text, ...rest } = given
  return { query: text ?? '', ...otherThan(emptyQuery, rest) }
}

const emptyColumn = { internalName: '', displayName: '', visible: false }

function viewFieldOption(given: Spec): Members {
  const { fieldName, ...rest } = withoutNulls(given)
  const name = fieldName === undefined ? {} : { internalName: fieldName }
  return { ...emptyColumn, ...rest, ...name }
}

function chartFieldOption(option: unknown): unknown {
  if (!isSpec(option)) return option
  const { internalName, ...rest } = option
  return { fieldName: internalName, ...otherThan(emptyColumn, rest) }
}

const emptyOptions = { verticalTimeAxis: false, wrapping: '', fixFirstColumn: false }

function viewTableOptions(given: Spec): Members {
  const { sortBy, sortByField, ...rest } = withoutNulls(given)
  const internalName = typeof sortBy === 'string' ? sortBy : ''
  const column = [sortByField, sortBy].find(isSpec) ?? { internalName }
  return { ...emptyOptions, ...rest, sortBy: { ...emptyColumn, ...column } }
}

/** Templates sort by a name; where a view knows more of the column, all of it stands beside. */
function chartTableOptions(options: Spec): Members {
  const { sortBy, ...rest } = options
  const shown = otherThan(emptyOptions, rest)
  if (!isSpec(sortBy)) return shown
  const { internalName, ...more } = otherThan(emptyColumn, sortBy)
  const named = internalName === undefined ? shown : { ...shown, sortBy: internalName }
  return Object.keys(more).length > 0 ? { ...named, sortByField: sortBy } : named
}

const dimensions = ['radiusDimension', 'colorDimension', 'intensityDimension'] as const

const emptyLayer = {
  type: '',
  radiusField: '',
  colorField: '',
  intensityField: '',
  colors: [],
  radius: 0,
  blur: 0,
  radiusDimension: emptyAxis,
  colorDimension: emptyAxis,
  intensityDimension: emptyAxis,
  interpolateColors: false,
  trackWidth: 0,
  speed: 0,
  randomColors: false,
  isClustered: false,
}

function viewLayer(given: Spec): Members {
  const { layerType, viewColors: colors, ...rest } = withoutNulls(given)
  const layer: Record<string, unknown> = { ...emptyLayer, ...rest }
  if (layerType !== undefined) layer.type = layerType
  if (colors !== undefined) layer.colors = listOf(given, 'viewColors').map(viewColor)
  for (const dimension of dimensions) {
    const axis = rest[dimension]
    if (!isSpec(axis)) continue
    const { name: _name, ...members } = axis
    layer[dimension] = viewAxis(members)
  }
  return layer
}

function chartLayer(given: unknown): unknown {
  if (!isSpec(given)) return given
  const { type, colors, ...rest } = given
  const layer: Record<string, unknown> = { layerType: type, ...otherThan(emptyLayer, rest) }
  if (Array.isArray(colors) && colors.length > 0) {
    layer.viewColors = chartColors({ colors }).colors
  }
  for (const dimension of dimensions) {
    if (!(dimension in layer)) continue
    const shown = chartAxis(layer[dimension])
    const name = dimension.slice(0, -'Dimension'.length)
    if (Object.keys(shown).length > 0) layer[dimension] = { name, ...shown }
    else delete layer[dimension]
  }
  return layer
}

/** An empty text says nothing, as in the views that have one for everything. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** Without what a view has when nothing is said. */
function otherThan(defaults: Members, members: Members): Members {
  const entries = Object.entries(members)
  return Object.fromEntries(
    entries.filter(([member, value]) => !isDeepStrictEqual(value, defaults[member])),
  )
}

function withoutNulls(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
}

function refused(reason: string): UserError {
  return new UserError('unprocessable entity', reason)
}
