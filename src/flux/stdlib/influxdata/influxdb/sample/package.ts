// The package `influxdata/influxdb/sample`: the list of InfluxData's sample data. The data themselves lie
// on the web, where this service does not go.

import { FluxError } from '../../../../value/error.js'
import { type Call, type Definitions, native, type PackageDefinition } from '../../../define.js'

interface SampleSet {
  readonly name: string
  readonly description: string
  readonly file: string
  readonly size: string
  readonly type: 'live' | 'static'
}

const host = 'https://influx-testdata.s3.amazonaws.com'

const sets: readonly SampleSet[] = [
  {
    name: 'airSensor',
    description: 'Simulated air sensors of an office: temperature, humidity, carbon monoxide.',
    file: 'air-sensor-data-annotated.csv',
    size: '~600 KB',
    type: 'live',
  },
  {
    name: 'birdMigration',
    description: 'Tracks of migrating birds in Africa, 2019 (Movebank).',
    file: 'bird-migration.csv',
    size: '~1.2 MB',
    type: 'static',
  },
  {
    name: 'bitcoin',
    description: 'The price of Bitcoin over the last 30 days (CoinDesk).',
    file: 'bitcoin-historical-annotated.csv',
    size: '~700 KB',
    type: 'live',
  },
  {
    name: 'machineProduction',
    description: 'States and figures of four grinding stations of a production line, 2021-08-01.',
    file: 'machine-production.csv',
    size: '~11.9 MB',
    type: 'static',
  },
  {
    name: 'noaa',
    description: 'Latest observations of buoys (NOAA National Data Buoy Center).',
    file: 'noaa-ndbc-latest-observations-annotated.csv',
    size: '~1.3 MB',
    type: 'live',
  },
  {
    name: 'noaaWater',
    description: 'Water levels at two stations (NOAA), August and September 2019.',
    file: 'noaa.csv',
    size: '~10.3 MB',
    type: 'static',
  },
  {
    name: 'usgs',
    description: 'Earthquakes of the last week (USGS).',
    file: 'usgs-earthquake-all-week-annotated.csv',
    size: '~6 MB',
    type: 'live',
  },
]

function data(call: Call): never {
  const name = call.string('set')
  const set = sets.find((each) => each.name === name)
  if (set === undefined) {
    throw new FluxError('Invalid sample data set. Use sample.list to view available datasets.')
  }
  throw new FluxError(
    `sample data set "${name}" is not available: it is fetched from ${host}/${set.file}`,
  )
}

const builtins: Definitions = [['data', native('(set: string) => stream[A] where A: Record', data)]]

function rowText({ name, description, file, size, type }: SampleSet): string {
  const cells = { name, description, url: `${host}/${file}`, size, type }
  const properties = Object.entries(cells).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return `{${properties.join(', ')}}`
}

export const samplePackage: PackageDefinition = {
  path: 'influxdata/influxdb/sample',
  name: 'sample',
  builtins,
  source: `package sample

import "array"

list = () => array.from(rows: [${sets.map(rowText).join(', ')}])

alignToNow = (tables=<-) => {
    newest = tables
        |> keep(columns: ["_time"])
        |> last(column: "_time")
        |> findRecord(fn: (key) => true, idx: 0)
    behind = int(v: now()) - int(v: newest._time)

    return tables |> timeShift(duration: duration(v: behind))
}
`,
}
