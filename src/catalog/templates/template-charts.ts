// Cells of dashboards as templates write them: a chart with its place, its kind in words of its own
// and its queries as plain texts. Everything else of a view is carried over as it is.

import { UserError } from '../../errors.js'
import type { Cell, CellInput } from '../dashboards/dashboards.js'

type Fields = Readonly<Record<string, unknown>>

const kindOfType: Readonly<Record<string, string | undefined>> = {
  'single-stat': 'single_stat',
  'line-plus-single-stat': 'single_stat_plus_line',
}

const typeOfKind = new Map(Object.entries(kindOfType).map(([type, kind]) => [kind, type]))

export function chartOf(cell: Cell): Fields {
  const { shape: _shape, type, queries, axes, ...rest } = cell.view.properties
  const name = typeof type === 'string' ? type : 'markdown'
  return {
    kind: Object.hasOwn(kindOfType, name) ? kindOfType[name] : name,
    name: cell.view.name,
    xPos: cell.x,
    yPos: cell.y,
    width: cell.w,
    height: cell.h,
    ...(Array.isArray(queries) ? { queries: queries.map(namedQuery) } : {}),
    ...(isFields(axes) ? { axes: Object.entries(axes).map(namedAxis) } : {}),
    ...rest,
  }
}

export function cellOfChart(chart: Fields): CellInput {
  const { kind, name, xPos, yPos, width, height, queries, axes, ...rest } = chart
  if (typeof kind !== 'string') throw new UserError('unprocessable entity', 'chart kind is missing')
  const properties = {
    shape: 'chronograf-v2',
    type: typeOfKind.get(kind) ?? kind,
    ...(Array.isArray(queries) ? { queries: queries.map(queryOf) } : {}),
    ...(Array.isArray(axes) ? { axes: Object.fromEntries(axes.map(axisOf)) } : {}),
    ...rest,
  }
  return {
    name: typeof name === 'string' ? name : '',
    x: count(xPos),
    y: count(yPos),
    w: count(width),
    h: count(height),
    properties,
  }
}

/** Nobody checked what a view's properties hold, nor what a template writes here. */
function namedQuery(query: unknown): Fields {
  return { query: isFields(query) ? query.text : '' }
}

function queryOf(query: unknown): Fields {
  const text = isFields(query) ? (query.query ?? '') : ''
  return { text, editMode: 'advanced', name: '' }
}

function namedAxis([name, axis]: [string, unknown]): Fields {
  return { name, ...(isFields(axis) ? axis : {}) }
}

function axisOf(given: unknown): [string, Fields] {
  const { name, ...axis } = isFields(given) ? given : {}
  return [String(name), axis]
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) ? value : 0
}
