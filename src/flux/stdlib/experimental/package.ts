// The package `experimental`: its own functions; those that have moved to another package are the same
// there and here.

import { type Definitions, native, type PackageDefinition } from '../define.js'
import { experimentalWriting } from '../influxdata/influxdb/wide-to.js'
import { catches } from './catch.js'
import { diffs } from './diff.js'
import { experimentalNumbers } from './numbers.js'
import { experimentalShapes } from './shapes.js'

const records: Definitions = [
  [
    'objectKeys',
    native('(o: A) => [string] where A: Record', (call) => [...call.record('o').names()]),
  ],
]

export const experimentalPackage: PackageDefinition = {
  path: 'experimental',
  name: 'experimental',
  builtins: [
    ...catches,
    ...diffs,
    ...experimentalNumbers,
    ...experimentalShapes,
    ...records,
    ...experimentalWriting,
  ],
  source: `package experimental

import "date"

addDuration = (d, to, location=location) => date.add(d: d, to: to, location: location)
subDuration = (d, from, location=location) => date.sub(d: d, from: from, location: location)
`,
}
