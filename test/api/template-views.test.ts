// What the charts of a template become: the properties of views, as programs that draw them know them.
// And the way back: whatever a view holds is there again after an export and an import.

import { expect, it } from 'vitest'
import { caller, type Installation, install } from './harness.js'
import { applyBody, type Entry, readEntries } from './template-client.js'

const corpus = `${import.meta.dirname}/../corpus/templates/charts.yml`

async function properties(place: Installation, entries: readonly Entry[]) {
  const call = caller(place)
  const body = applyBody(place.orgId, 'charts', entries)
  const answer = await call('POST', '/api/v2/templates/apply', body)
  expect(answer.status, answer.json.message).toBe(201)
  const { dashboards } = (await call('GET', '/api/v2/dashboards')).json
  const { id } = dashboards[dashboards.length - 1]
  const { cells } = (await call('GET', `/api/v2/dashboards/${id}?include=properties`)).json
  type Cell = { name: string; properties: Record<string, unknown> }
  const views = cells.map((cell: Cell) => [cell.name, cell.properties])
  const { stackID } = answer.json
  const exported = (await call('POST', '/api/v2/templates/export', { stackID })).json as Entry[]
  return { id, cells, views: Object.fromEntries(views), exported }
}

it('gives each chart the properties of its type', async () => {
  const { views, exported } = await properties(await install(), readEntries(corpus))
  expect(views.lines).toMatchObject({
    shape: 'chronograf-v2',
    type: 'xy',
    xColumn: '_time',
    yColumn: '_value',
    shadeBelow: true,
    showNoteWhenEmpty: true,
    axes: {
      x: { bounds: [], scale: 'linear', base: '10', label: '' },
      y: { bounds: ['0', '100.5'], label: 'load', prefix: '~', suffix: '%' },
    },
    colors: [{ id: 'base', value: 0 }, { value: 90 }],
    staticLegend: { heightRatio: 0.2 },
    queries: [
      { text: 'from(bucket: v.bucket)\n  |> range(start: v.timeRangeStart)\n', name: '' },
      { text: 'buckets()', editMode: 'advanced', builderConfig: { buckets: [], tags: [] } },
    ],
  })
  expect(views.lines).not.toHaveProperty('heightRatio')
  expect(views.number).toMatchObject({
    type: 'single-stat',
    decimalPlaces: { isEnforced: true, digits: 2 },
    tickPrefix: 'true',
  })
  expect(views['number and line']).toMatchObject({
    type: 'line-plus-single-stat',
    decimalPlaces: { isEnforced: true, digits: 0 },
    timeFormat: '',
  })
  expect(views.heatmap).toMatchObject({
    type: 'heatmap',
    colors: ['#000004', '#fcffa4'],
    xDomain: [0, 1000],
    yDomain: [-20, 10],
    xAxisLabel: 'when',
    xPrefix: 'p',
    xSuffix: 's',
  })
  expect(views.histogram).toMatchObject({ xDomain: [0, 60], xAxisLabel: 'seconds', binCount: 30 })
  expect(views.mosaic).toMatchObject({ ySeriesColumns: ['host', 'region'], xDomain: [1, 2] })
  expect(views.band).toMatchObject({ type: 'band', upperColumn: 'max', geom: 'step' })
  expect(views.table).toMatchObject({
    tableOptions: { sortBy: { internalName: 'host', displayName: '', visible: false } },
    fieldOptions: [
      { internalName: 'host', displayName: 'machine', visible: true },
      { internalName: '_start', displayName: '', visible: false },
    ],
  })
  expect(views.map).toMatchObject({
    center: { lat: 52.5, lon: -13.25 },
    layers: [
      { type: 'pointMap', isClustered: true, colorDimension: { label: 'Value' }, colors: [{}] },
      { type: 'circleMap', radiusDimension: { label: 'Magnitude', suffix: 'm' }, blur: 2 },
      { type: 'trackMap', trackWidth: 4, speed: 200, randomColors: true },
    ],
  })
  expect(views.words).toEqual({
    shape: 'chronograf-v2',
    type: 'markdown',
    note: '# Words\nand nothing else\n',
  })
  const charts = (exported[0].spec?.charts ?? []) as { kind: string }[]
  const kinds = charts.map(({ kind }) => kind)
  expect(kinds.slice(0, 3)).toEqual(['Xy', 'Single_Stat', 'Single_Stat_Plus_Line'])
})

const odd = {
  lines: {
    axes: { x: { bounds: ['', '10'], base: '10' }, y: { bounds: ['1', '2.5'] } },
    adaptiveZoomHide: true,
    colorMapping: { a: '#123456' },
    queries: [
      {
        text: '',
        editMode: 'builder',
        name: 'of the builder',
        builderConfig: { buckets: ['b'], tags: [{ key: '_field', values: ['f'] }] },
      },
    ],
    legendOpacity: 1,
  },
  number: { decimalPlaces: { isEnforced: false, digits: 4 } },
  table: {
    tableOptions: {
      verticalTimeAxis: false,
      sortBy: { internalName: 'a', displayName: 'A', visible: true },
    },
  },
  map: { layers: [{ type: 'pointMap', colors: [{ hex: '#000000', value: 3 }], tooltip: 0 }] },
}

it('loses nothing that a view holds', async () => {
  const place = await install()
  const call = caller(place)
  const first = await properties(place, readEntries(corpus))
  for (const [name, change] of Object.entries(odd)) {
    const cell = first.cells.find((one: { name: string }) => one.name === name)
    const body = { properties: { ...first.views[name], ...change } }
    const view = `/api/v2/dashboards/${first.id}/cells/${cell.id}/view`
    expect((await call('PATCH', view, body)).status).toBe(200)
  }
  const resources = [{ kind: 'Dashboard', id: first.id }]
  const entries = (await call('POST', '/api/v2/templates/export', { resources })).json
  const { views } = await properties(place, entries)
  for (const [name, change] of Object.entries(odd)) expect(views[name]).toMatchObject(change)
})

it.each([
  [{ kind: 'Pie', width: 1, height: 1 }, 'charts[0]: invalid chart kind provided: Pie'],
  [{ kind: 'Xy', name: 'a' }, 'charts[0]: chart "a": width and height must be greater than 0'],
  [{ kind: 'Xy', width: 'x', height: 1 }, 'charts[0]: width must be a number'],
  [
    { kind: 'Heatmap', width: 1, height: 1, axes: [{ name: 'x', domain: ['one'] }] },
    'charts[0]: domain of axis "x" must be a list of numbers',
  ],
  [
    { kind: 'Gauge', width: 1, height: 1, colors: [{ type: 'min' }] },
    'charts[0]: a color must have a hex value',
  ],
  [
    { kind: 'Gauge', width: 1, height: 1, queries: 'all' },
    'charts[0]: queries must be a list of objects',
  ],
])('refuses %j', async (chart, message) => {
  const place = await install()
  const metadata = { name: 'refused' }
  const entry = { apiVersion: 'influxdata.com/v2alpha1', kind: 'Dashboard', metadata }
  const body = applyBody(place.orgId, 'refused', [{ ...entry, spec: { charts: [chart] } }])
  const answer = await caller(place)('POST', '/api/v2/templates/apply', body)
  expect([answer.status, answer.json.message]).toEqual([422, message])
})
