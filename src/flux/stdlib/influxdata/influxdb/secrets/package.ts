// The package `influxdata/influxdb/secrets`: secrets of the organization, for whoever may read them. The
// scope of the query says who may.

import { type Definitions, native } from '../../../../package/define.js'

export const secretsBuiltins: Definitions = {
  get: native('(key: string) => string', (call) => call.context.scope.secret(call.string('key'))),
}
