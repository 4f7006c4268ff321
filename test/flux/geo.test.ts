// The package experimental/geo by script: cells and grids, distances with the figures of the public
// documentation and tests, and tables filtered and grouped by place.

import { describe, expect, test } from 'vitest'
import { fluxError, runFlux, runRows } from './run-flux.js'

const imports = `import "array"
import "experimental/geo"
`

async function found(expression: string, options = ''): Promise<unknown> {
  const script = `${imports}${options}\narray.from(rows: [{v: ${expression}}])`
  return (await runRows(script))[0].v
}

const km = 'units: {distance: "km"}'
const box = '{minLat: 40.5880775, maxLat: 40.8247008, minLon: -73.80014, maxLon: -73.4630336}'
const circle = '{lat: 40.7090214, lon: -73.61846, radius: 15.0}'
const triangle = `{points: [
  {lat: 40.671659, lon: -73.936631}, {lat: 40.706543, lon: -73.749177}, {lat: 40.791333, lon: -73.880327}]}`
const quadrilateral = `{points: [{lat: 40.776527, lon: -73.338811}, {lat: 40.788093, lon: -73.776396},
  {lat: 40.475939, lon: -73.751854}, {lat: 40.576506, lon: -73.573634}]}`
const liberty = '{lat: 40.6892, lon: -74.0445}'
const longIslandLine = '{linestring: "-73.912119 40.751085, -73.940563 40.745249"}'

describe('cells', () => {
  test('levels, parents and centers', async () => {
    expect(await found('geo.getLevel(token: "89c28c")')).toBe(9n)
    expect(await found('geo.s2CellIDToken(token: "89c284", level: 7)')).toBe('89c2c')
    const place = '{lat: 40.808978, lon: -73.558041}'
    expect(await found(`geo.s2CellIDToken(point: ${place}, level: 7)`)).toBe('89c2c')
    expect(await found('geo.s2CellLatLon(token: "89c284").lat')).toBeCloseTo(40.812535546624574, 12)
    expect(await found('geo.s2CellLatLon(token: "89c2c").lon')).toBeCloseTo(-73.8419063407762, 12)
  })

  test.each([
    ['geo.getLevel(token: "89c28")', 'invalid token specified'],
    ['geo.s2CellLatLon(token: "%*^&").lat', 'invalid token specified'],
    ['geo.s2CellIDToken(token: "89c284", level: 0)', 'level value must be [1, 30]'],
    ['geo.s2CellIDToken(token: "89c284", level: 11)', 'requested level greater then current level'],
    ['geo.s2CellIDToken(level: 3)', 'either token or point parameter must be specified'],
    [
      'geo.s2CellIDToken(token: "89c284", point: {lat: 1.0, lon: 1.0}, level: 3)',
      'either token or point parameter must be specified and must not be empty',
    ],
    ['geo.s2CellIDToken(point: {lat: 0.0 / 0.0, lon: 1.0}, level: 3)', 'invalid coordinates'],
  ])('%s', async (expression, message) => {
    expect(await fluxError(`${imports}array.from(rows: [{v: ${expression}}])`)).toContain(message)
  })
})

describe('grids', () => {
  const level9 = '89c264 89c26c 89c274 89c27c 89c284 89c28c 89e82c 89e9d4'

  async function grid(region: string, limits: string): Promise<string> {
    const call = `grid = geo.getGrid(region: ${region}, ${limits}, ${km})`
    const token = 'string(v: grid.level) + " " + strings.joinStr(arr: grid.set, v: " ")'
    const script = `import "strings"\n${imports}${call}\narray.from(rows: [{v: ${token}}])`
    return String((await runRows(script))[0].v)
  }

  test.each([
    [box, 'level: 9, minSize: 24, maxSize: -1'],
    [circle, 'level: 9, minSize: 24, maxSize: -1'],
    [quadrilateral, 'level: 9, minSize: 24, maxSize: -1'],
    [box, 'minSize: 7, maxLevel: 11'],
    [box, 'minSize: 7, maxSize: 10, maxLevel: 11'],
    [box, 'minSize: 1000, maxLevel: 9'],
  ])('%s %s', async (region, limits) => {
    expect(await grid(region, limits)).toBe(`9 ${level9}`)
  })

  test('none is fine enough', async () => {
    expect(await grid(box, 'minSize: 1000')).toBe('-1 ')
  })

  test.each([
    [box, 'minSize: 11, maxSize: 9', 'minSize > maxSize (11 > 9)'],
    [box, 'minSize: 0', 'either minSize or maxSize must be specified'],
    [box, 'minSize: 5, maxLevel: 666', 'invalid maxLevel (666, must be < 30)'],
    [box, 'level: 31', 'invalid level (31, must be <= 30)'],
    [box, 'level: 25', 'the region meets more than 20000 cells of level 16'],
    [liberty, 'level: 9', 'unsupported region type: geo.point'],
    ['{minLat: 40.5, minLon: -74.5}', 'level: 9', "unsupported geometry specified for 'region'"],
    ['{points: [{lat: 1.0, lon: 2.0}]}', 'level: 9', 'polygon must have at least 3 points'],
  ])('%s %s is refused', async (region, limits, message) => {
    const script = `${imports}x = geo.getGrid(region: ${region}, ${limits}, ${km})
array.from(rows: [{v: x.level}])`
    expect(await fluxError(script)).toContain(message)
  })
})

describe('measures', () => {
  const away = '{lat: 40.854984, lon: -73.403617}'

  test.each([
    [away, liberty, 57.03],
    [liberty, longIslandLine, 10.75],
    [box, liberty, 20.6],
    [box, longIslandLine, 9.43],
    [circle, liberty, 20.98],
    [circle, longIslandLine, 10.18],
    [triangle, liberty, 9.3],
    [triangle, '{linestring: "-73.68691 40.820317, -73.742812 40.773334"}', 5.99],
    [circle, '{lat: 40.718170, lon: -73.635265}', 0],
    [triangle, '{lat: 40.702594, lon: -73.909699}', 0],
    // Through the triangle without a point inside, inside of it altogether, and a line of one point.
    [triangle, '{linestring: "-73.95 40.72, -73.7 40.72"}', 0],
    [triangle, '{linestring: "-73.909699 40.702594, -73.9096 40.7026"}', 0],
    [liberty, '{linestring: "-73.403617 40.854984"}', 57.03],
  ])('distance from %s to %s', async (region, geometry, expected) => {
    const distance = await found(`geo.ST_Distance(region: ${region}, geometry: ${geometry})`)
    expect(distance).toBeCloseTo(expected, 2)
  })

  test('units: of the argument, of the option', async () => {
    const call = `geo.ST_Distance(region: ${away}, geometry: ${liberty}`
    expect(await found(`${call}, units: {distance: "mile"})`)).toBeCloseTo(35.44, 2)
    expect(await found(`${call}, units: {distance: "m"})`)).toBeCloseTo(57029.82, 2)
    const option = 'option geo.units = {distance: "mile"}'
    expect(await found(`${call})`, option)).toBeCloseTo(35.44, 2)
    expect(
      await found(`geo.ST_DWithin(region: ${away}, geometry: ${liberty}, distance: 36.0)`),
    ).toBe(false)
    expect(
      await found(`geo.ST_DWithin(region: ${away}, geometry: ${liberty}, distance: 36.0)`, option),
    ).toBe(true)
  })

  test.each([
    [box, '{lat: 40.710594, lon: -73.652183}', true],
    [circle, '{lat: 40.710594, lon: -73.652183}', true],
    [triangle, '{lat: 40.702594, lon: -73.909699}', true],
    [box, '{lat: 40.690732, lon: -74.046267}', false],
    [triangle, liberty, false],
    [triangle, '{linestring: "-73.909699 40.702594, -73.9096 40.7026"}', true],
    [triangle, '{linestring: "-73.909699 40.702594, -74.0445 40.6892"}', false],
  ])('%s contains %s: %s', async (region, geometry, expected) => {
    expect(await found(`geo.ST_Contains(region: ${region}, geometry: ${geometry})`)).toBe(expected)
  })

  test('length, intersections', async () => {
    const line = '"-73.936631 40.671659, -73.749177 40.706543, -73.880327 40.791333"'
    expect(await found(`geo.ST_Length(geometry: {linestring: ${line}})`)).toBeCloseTo(30.8, 2)
    expect(await found(`geo.ST_Length(geometry: ${liberty})`)).toBe(0)
    expect(await found(`geo.ST_Intersects(region: ${circle}, geometry: ${liberty})`)).toBe(false)
    const inside = '{lat: 40.710594, lon: -73.652183}'
    expect(await found(`geo.ST_Intersects(region: ${circle}, geometry: ${inside})`)).toBe(true)
  })

  test.each([
    [
      `ST_Contains(region: {lat: 40.5, radius: 15.0}, geometry: ${liberty})`,
      'must have lat, lon fields',
    ],
    [
      `ST_Contains(region: {x: 1.0, y: 0.0}, geometry: ${liberty})`,
      "unsupported geometry specified for 'region'",
    ],
    [`ST_Contains(region: ${circle}, geometry: ${box})`, 'unsupported geometry type: geo.box'],
    [`ST_Contains(region: ${liberty}, geometry: ${liberty})`, 'unsupported region type: geo.point'],
    [
      `ST_Distance(region: ${longIslandLine}, geometry: ${liberty})`,
      'unsupported region type: geo.polyline',
    ],
    [
      `ST_Distance(region: ${circle}, geometry: ${liberty}, units: {distance: "yd"})`,
      "unsupported distance unit 'yd'",
    ],
    ['ST_Length(geometry: {linestring: ""})', 'invalid linestring - empty part'],
    [
      'ST_Length(geometry: {linestring: "1 x"})',
      'invalid linestring - <nil>, strconv.ParseFloat: parsing "x": invalid syntax',
    ],
    ['ST_Length(geometry: {linestring: "1 2, 3"})', 'invalid linestring - no latitude after 3'],
    ['ST_Length(geometry: {lat: 1, lon: 2})', 'lat, lon must be floats'],
  ])('%s is refused', async (call, message) => {
    expect(await fluxError(`${imports}array.from(rows: [{v: geo.${call}}])`)).toContain(message)
  })

  test('two very long lines end with the time of the query', async () => {
    const line = Array.from({ length: 3000 }, (_, k) => `${k % 170} ${k % 80}`).join(',')
    const points = Array.from(
      { length: 3000 },
      (_, k) => `{lat: -${1 + (k % 80)}.0, lon: ${k % 170}.0}`,
    )
    const region = `region: {points: [${points.join(',')}]}`
    const script = `${imports}d = geo.ST_Distance(${region}, geometry: {linestring: "${line}"})
array.from(rows: [{v: d}])`
    expect(await fluxError(script, { limits: { stepsMax: 20_000 } })).toContain(
      'more than 20000 times',
    )
  })
})

describe('tables', () => {
  const fields = `array.from(rows: [
    {_time: 2021-01-01T00:00:00Z, id: "a", _field: "latitude", _value: 41.01433},
    {_time: 2021-01-02T01:00:00Z, id: "a", _field: "latitude", _value: 40.9228},
    {_time: 2021-01-03T02:00:00Z, id: "a", _field: "latitude", _value: 39.08433},
    {_time: 2021-01-01T00:00:00Z, id: "a", _field: "longitude", _value: -70.7515},
    {_time: 2021-01-02T01:00:00Z, id: "a", _field: "longitude", _value: -73.3527},
    {_time: 2021-01-03T02:00:00Z, id: "a", _field: "longitude", _value: -75.9978},
  ])
    |> group(columns: ["id", "_field"])
    |> geo.shapeData(latField: "latitude", lonField: "longitude", level: 5)`
  const tracks = `array.from(rows: [
    {_time: 2021-01-02T01:00:00Z, id: "a", tid: "1", lon: 38.3527, lat: 13.9228},
    {_time: 2021-01-01T00:00:00Z, id: "a", tid: "1", lon: 39.7515, lat: 14.01433},
    {_time: 2021-01-01T00:00:00Z, id: "b", tid: "1", lon: 24.0069, lat: -14.5464},
  ])`

  async function column(script: string, name: string): Promise<unknown[]> {
    return (await runRows(`${imports}${script}`)).map((row) => row[name])
  }

  test('shapeData: coordinates as columns, a table per cell', async () => {
    const [{ tables }] = await runFlux(`${imports}${fields}`)
    const keys = tables.map(({ key }) => `${key.get('id')} ${key.get('s2_cell_id')}`)
    expect(keys.sort()).toEqual(['a 89bc', 'a 89e4', 'a 89ec'])
    expect(tables[0].columns.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['lat', 'lon', '_time']),
    )
  })

  test('strictFilter, gridFilter and filterRows', async () => {
    const near = 'region: {lat: 40.69335938, lon: -73.30078125, radius: 50.0}'
    expect(await column(`${fields} |> geo.strictFilter(${near})`, 'lat')).toEqual([40.9228])
    expect(await column(`${fields} |> geo.filterRows(${near})`, 'lat')).toEqual([40.9228])
    const wide = 'region: {lat: 40.69335938, lon: -73.30078125, radius: 100.0}'
    expect(
      await column(`${fields} |> geo.filterRows(${wide}, strict: false)`, 's2_cell_id'),
    ).toEqual(expect.arrayContaining(['89ec']))
    const tight = `${fields} |> geo.gridFilter(${near}, level: 5)`
    expect(await column(tight, 's2_cell_id')).toEqual(['89ec'])
    const foreign = 'array.from(rows: [{_value: 1.0, s2_cell_id: "89c4"}])'
    expect(await fluxError(`${imports}${foreign} |> geo.gridFilter(${near})`)).toContain(
      'no table found',
    )
  })

  test('groupByArea: by the cells there are, or by larger ones', async () => {
    const same = `${fields} |> geo.groupByArea(newColumn: "area", level: 5)`
    expect((await column(same, 'area')).sort()).toEqual(['89bc', '89e4', '89ec'])
    const larger = `${fields} |> geo.groupByArea(newColumn: "area", level: 3)`
    expect(await column(larger, 'area')).toEqual(['89c', '89c', '89c'])
  })

  test('asTracks, ST_LineString and totalDistance', async () => {
    const lines = await column(
      `${tracks} |> geo.asTracks() |> geo.ST_LineString()`,
      'st_linestring',
    )
    expect(lines.sort()).toEqual(['24.0069 -14.5464', '39.7515 14.01433, 38.3527 13.9228'])
    const far = `array.from(rows: [
      {id: "A", lat: 85.1, lon: 42.2}, {id: "A", lat: 71.3, lon: 50.8},
      {id: "A", lat: 63.1, lon: 62.3}, {id: "A", lat: 50.6, lon: 74.9},
    ]) |> group(columns: ["id"])`
    const [sum] = await column(`${far} |> geo.totalDistance()`, '_value')
    expect(sum).toBeCloseTo(4157.144498077607, 6)
    const [named] = await column(
      `${far} |> limit(n: 1) |> geo.totalDistance(outputColumn: "way")`,
      'way',
    )
    expect(named).toBe(0)
  })

  test('a row whose point is nowhere is in no region, and a region must be somewhere', async () => {
    const nowhere = 'array.from(rows: [{lat: 0.0 / 0.0, lon: 1.0}])'
    for (const region of [circle, box, triangle]) {
      const call = `geo.ST_Contains(region: ${region}, geometry: {lat: 0.0 / 0.0, lon: 1.0})`
      expect(await found(call)).toBe(false)
    }
    const region =
      '{points: [{lat: 0.0 / 0.0, lon: 1.0}, {lat: 1.0, lon: 1.0}, {lat: 0.0, lon: 2.0}]}'
    const script = `${imports}${nowhere} |> geo.strictFilter(region: ${region})`
    expect(await fluxError(script)).toContain('lat, lon must be finite')
    const line = `${imports}array.from(rows: [{v: geo.ST_Length(geometry: {linestring: "inf 1"})}])`
    expect(await fluxError(line)).toContain('coordinates must be finite')
  })

  test('a row without coordinates is refused with the reason', async () => {
    const script = `${imports}import "internal/debug"
array.from(rows: [{lat: debug.null(type: "float"), lon: 1.0}])
  |> geo.strictFilter(region: ${circle})`
    expect(await fluxError(script)).toContain('lat, lon must not be null')
  })
})
