// The package `experimental/record`: properties whose
// name is only known when a script runs.

import { constant, type Definitions, native } from '../../../package/define.js'
import { emptyRecord } from '../../../value/value.js'

export const recordBuiltins: Definitions = {
  any: constant('A where A: Record', emptyRecord),
  get: native('(r: A, key: string, default: B) => B where A: Record', (call) => {
    const value = call.record('r').get(call.string('key'))
    return value === undefined ? call.required('default') : value
  }),
}
