// The package `influxdata/influxdb/sample`: the list of InfluxData's sample data. The data themselves lie
// on the web, where this service does not go.

import { type Call, type Definitions, native } from '../../../../package/define.js'
import { FluxError } from '../../../../value/error.js'
import { FluxRecord } from '../../../../value/value.js'

function data(call: Call): never {
  const name = call.string('set')
  for (const set of call.array('sets')) {
    if (!(set instanceof FluxRecord) || set.get('name') !== name) continue
    throw new FluxError(
      `sample data set "${name}" is not available: it is fetched from ${set.get('url')}`,
    )
  }
  throw new FluxError('Invalid sample data set. Use sample.list to view available datasets.')
}

const dataType =
  '(set: string, sets: [{B with name: string, url: string}]) => stream[A] where A: Record, B: Record'

export const sampleBuiltins: Definitions = {
  _data: native(dataType, data),
}
