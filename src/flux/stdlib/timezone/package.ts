// The package `timezone`: places for the option
// `location` and for functions that take one.

import { type Definitions, native } from '../../package/define.js'
import { zeroDuration } from '../../value/duration.js'
import { namedZone } from '../../value/location.js'
import { type FluxValue, MapRecord } from '../../value/value.js'

export const timezoneBuiltins: Definitions = {
  location: native('(name: string) => {zone: string, offset: duration}', (call) => {
    const name = call.string('name')
    namedZone(name)
    return new MapRecord(
      new Map<string, FluxValue>([
        ['zone', name],
        ['offset', zeroDuration],
      ]),
    )
  }),
}
