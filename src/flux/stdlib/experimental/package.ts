// The package `experimental`: its own functions; those that have moved to another package are the same
// there and here.

import { type Definitions, native } from '../../package/define.js'
import { experimentalWriting } from '../influxdata/influxdb/wide-to.js'
import { catches } from './catch.js'
import { diffs } from './diff.js'
import { experimentalNumbers } from './numbers.js'
import { experimentalShapes } from './shapes.js'

const records: Definitions = {
  objectKeys: native('(o: A) => [string] where A: Record', (call) => [...call.record('o').names()]),
}

export const experimentalBuiltins: Definitions = {
  ...catches,
  ...diffs,
  ...experimentalNumbers,
  ...experimentalShapes,
  ...records,
  ...experimentalWriting,
}
