// A house with four rooms, a template of a dashboard for it as InfluxDB writes templates, and a dashboard with a
// cell of every kind: what the journeys through dashboards look at.

const minute = 60_000

/** Six hours, a point a minute and room. */
export function houseLines(now = Date.now()): string {
  const lines: string[] = []
  const rooms = ['kitchen', 'cellar', 'attic', 'bath']
  for (let i = 0; i < 360; i++) {
    const at = now - i * minute
    rooms.forEach((room, r) => {
      const warmth = 18 + r * 2 + 3 * Math.sin(i / 40 + r) + Math.sin(i * 1.7 + r) * 0.3
      const door = (i + r * 30) % 120 < 40 ? 'open' : 'closed'
      const damp = 50 + 10 * Math.cos(i / 60 + r)
      const numbers = `temperature=${warmth.toFixed(2)},humidity=${damp.toFixed(1)}`
      lines.push(`room,room=${room} ${numbers},door="${door}" ${at}`)
    })
  }
  ;[
    [47.4, 8.5],
    [48.1, 11.6],
    [52.5, 13.4],
  ].forEach(([lat, lon], i) => {
    lines.push(`place,id=${i} lat=${lat},lon=${lon},speed=${10 * i} ${now - minute}`)
  })
  return lines.join('\n')
}

const mean = (extra = '') =>
  [
    'from(bucket: "sensors")',
    '  |> range(start: v.timeRangeStart, stop: v.timeRangeStop)',
    '  |> filter(fn: (r) => r._measurement == "room" and r._field == "temperature")',
    ...(extra === '' ? [] : [extra]),
    '  |> aggregateWindow(every: v.windowPeriod, fn: mean, createEmpty: false)',
  ].join('\n')

const indent = (text: string) => text.replaceAll('\n', '\n            ')

export const houseTemplate = `apiVersion: influxdata.com/v2alpha1
kind: Label
metadata:
  name: house-label
spec:
  name: House
  color: '#7A65F2'
---
apiVersion: influxdata.com/v2alpha1
kind: Variable
metadata:
  name: house-bucket
spec:
  name: house_bucket
  type: constant
  values: [sensors]
---
apiVersion: influxdata.com/v2alpha1
kind: Variable
metadata:
  name: house-room
spec:
  name: room
  language: flux
  type: query
  query: |-
    import "influxdata/influxdb/schema"
    schema.tagValues(bucket: v.house_bucket, tag: "room")
---
apiVersion: influxdata.com/v2alpha1
kind: Dashboard
metadata:
  name: house
spec:
  name: House
  description: Four rooms, six hours
  associations:
    - kind: Label
      name: house-label
  charts:
    - kind: Xy
      name: Temperature
      height: 4
      width: 8
      xPos: 0
      yPos: 0
      geom: line
      hoverDimension: auto
      somebodysOwn: { a: [1] }
      xCol: _time
      yCol: _value
      axes:
        - { name: x, base: '10', scale: linear }
        - { name: y, base: '10', scale: linear, suffix: ' °C' }
      queries:
        - query: |-
            ${indent(mean())}
    - kind: Single_Stat
      name: Now
      height: 2
      width: 2
      xPos: 8
      yPos: 0
      suffix: ' °C'
      decimalPlaces: 1
      colors:
        - { hex: '#00C9FF', name: laser, type: text }
        - { hex: '#F95F53', name: curacao, type: text, value: 22 }
      queries:
        - query: |-
            ${indent(mean('  |> filter(fn: (r) => r.room == v.room)'))}
    - kind: Gauge
      name: Warmth
      height: 2
      width: 2
      xPos: 10
      yPos: 0
      suffix: ' °C'
      decimalPlaces: 1
      colors:
        - { hex: '#00C9FF', name: laser, type: min, value: 0 }
        - { hex: '#4ED8A0', name: rainforest, type: threshold, value: 18 }
        - { hex: '#F95F53', name: curacao, type: max, value: 40 }
      queries:
        - query: |-
            ${indent(mean('  |> filter(fn: (r) => r.room == v.room)'))}
    - kind: Single_Stat_Plus_Line
      name: Chosen room
      height: 2
      width: 4
      xPos: 8
      yPos: 2
      shade: true
      suffix: ' °C'
      decimalPlaces: 1
      xCol: _time
      yCol: _value
      axes:
        - { name: x, base: '10', scale: linear }
        - { name: y, base: '10', scale: linear }
      colors:
        - { hex: '#31C0F6', name: Nineteen Eighty Four, type: scale }
        - { hex: '#A500A5', name: Nineteen Eighty Four, type: scale }
        - { hex: '#FF7E27', name: Nineteen Eighty Four, type: scale }
        - { hex: '#00C9FF', name: laser, type: text }
      queries:
        - query: |-
            ${indent(mean('  |> filter(fn: (r) => r.room == v.room)'))}
    - kind: Table
      name: Last
      height: 3
      width: 8
      xPos: 0
      yPos: 4
      decimalPlaces: 1
      timeFormat: YYYY-MM-DD HH:mm:ss
      fieldOptions:
        - { fieldName: _time, displayName: when, visible: true }
        - { fieldName: _measurement, displayName: _measurement, visible: false }
      queries:
        - query: |-
            from(bucket: "sensors") |> range(start: v.timeRangeStart)
              |> filter(fn: (r) => r._measurement == "room" and r._field == "temperature") |> last()
    - kind: Markdown
      name: About
      height: 3
      width: 4
      xPos: 8
      yPos: 4
      note: |-
        # The house
        Four rooms, **one** point a minute.

        - choose a room above
        - drag over a chart to zoom
`

const flux = (text: string) => [{ text, editMode: 'advanced' }]
const base = { shape: 'chronograf-v2', note: '', showNoteWhenEmpty: false, colors: [] }
const raw = (field: string) =>
  `from(bucket: "sensors") |> range(start: v.timeRangeStart, stop: v.timeRangeStop)
  |> filter(fn: (r) => r._measurement == "room" and r._field == "${field}")`

const kinds: readonly [name: string, properties: object][] = [
  [
    'Graph',
    {
      type: 'xy',
      geom: 'bar',
      position: 'stacked',
      axes: { y: { suffix: ' °C', label: 'warmth' } },
      queries: flux(mean()),
    },
  ],
  [
    'Both',
    { type: 'line-plus-single-stat', shadeBelow: true, suffix: ' °C', queries: flux(mean()) },
  ],
  [
    'Number',
    {
      type: 'single-stat',
      suffix: ' %',
      decimalPlaces: { isEnforced: true, digits: 0 },
      colors: [{ id: 'base', type: 'background', hex: '#32B08C', value: 0 }],
      queries: [
        {
          text: 'SELECT mean(humidity) FROM room WHERE $timeFilter',
          language: 'influxql',
          bucket: 'sensors',
        },
      ],
    },
  ],
  [
    'Gauge',
    {
      type: 'gauge',
      suffix: ' °C',
      decimalPlaces: { isEnforced: true, digits: 1 },
      colors: [
        { type: 'min', hex: '#00C9FF', value: 0 },
        { type: 'threshold', hex: '#4ED8A0', value: 18 },
        { type: 'threshold', hex: '#F95F53', value: 28 },
        { type: 'max', hex: '#BF3D5E', value: 40 },
      ],
      queries: flux(mean()),
    },
  ],
  [
    'Table',
    {
      type: 'table',
      decimalPlaces: { isEnforced: true, digits: 1 },
      timeFormat: 'HH:mm:ss',
      fieldOptions: [{ internalName: '_value', displayName: 'warmth', visible: true }],
      queries: flux(`${raw('temperature')} |> last()`),
    },
  ],
  [
    'Histogram',
    {
      type: 'histogram',
      xColumn: '_value',
      binCount: 20,
      fillColumns: ['room'],
      queries: flux(raw('temperature')),
    },
  ],
  [
    'Heat map',
    {
      type: 'heatmap',
      xColumn: '_time',
      yColumn: '_value',
      binSize: 10,
      queries: flux(raw('temperature')),
    },
  ],
  [
    'Scatter',
    {
      type: 'scatter',
      xColumn: 'humidity',
      yColumn: 'temperature',
      fillColumns: ['room'],
      queries: [
        {
          text: 'SELECT room, humidity, temperature FROM room WHERE time >= $from AND time < $to',
          language: 'sql',
          bucket: 'sensors',
        },
      ],
    },
  ],
  [
    'Band',
    {
      type: 'band',
      mainColumn: 'mean',
      upperColumn: 'max',
      lowerColumn: 'min',
      queries: flux(
        `data = ${raw('temperature')} |> group()\n${['mean', 'max', 'min']
          .map((fn) => `data |> aggregateWindow(every: 10m, fn: ${fn}) |> yield(name: "${fn}")`)
          .join('\n')}`,
      ),
    },
  ],
  [
    'Mosaic',
    {
      type: 'mosaic',
      ySeriesColumns: ['room'],
      fillColumns: ['_value'],
      queries: flux(raw('door')),
    },
  ],
  [
    'Map',
    {
      type: 'geo',
      layers: [
        {
          type: 'pointMap',
          colors: [
            { type: 'min', hex: '#00C9FF', value: 0 },
            { type: 'max', hex: '#F95F53', value: 15 },
          ],
        },
      ],
      queries: flux(
        'from(bucket: "sensors") |> range(start: v.timeRangeStart) |> filter(fn: (r) => r._measurement == "place")',
      ),
    },
  ],
  [
    'Note',
    {
      type: 'markdown',
      note: '## A note\n\n<b>no HTML</b>, [a link](https://example.org), `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |',
    },
  ],
  ['Nobody', { type: 'xy', queries: flux('from(bucket: "sensors") |> range(start: -1s)') }],
]

export const kindsDashboard = {
  name: 'All kinds',
  cells: kinds.map(([name, properties], i) => ({
    name,
    x: (i % 3) * 4,
    y: Math.floor(i / 3) * 3,
    w: 4,
    h: 3,
    properties: { ...base, ...properties },
  })),
}
