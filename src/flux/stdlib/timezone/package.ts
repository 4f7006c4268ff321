// The package `timezone`: places for the option
// `location` and for functions that take one.

import { zeroDuration } from '../../value/duration.js'
import { namedZone } from '../../value/location.js'
import { type FluxValue, MapRecord } from '../../value/value.js'
import { native, type PackageDefinition } from '../define.js'

export const timezonePackage: PackageDefinition = {
  path: 'timezone',
  name: 'timezone',
  builtins: [
    [
      'location',
      native('(name: string) => {zone: string, offset: duration}', (call) => {
        const name = call.string('name')
        namedZone(name)
        return new MapRecord(
          new Map<string, FluxValue>([
            ['zone', name],
            ['offset', zeroDuration],
          ]),
        )
      }),
    ],
  ],
  source: `package timezone

utc = {zone: "UTC", offset: 0h}
fixed = (offset) => ({zone: "UTC", offset: offset})
`,
}
