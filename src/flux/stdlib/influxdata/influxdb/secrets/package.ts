// The package `influxdata/influxdb/secrets`: secrets of the organization, for whoever may read them. The
// scope of the query says who may.

import { type Definitions, native, type PackageDefinition } from '../../../define.js'

const secrets: Definitions = [
  [
    'get',
    native('(key: string) => string', (call) => call.context.scope.secret(call.string('key'))),
  ],
]

export const secretsPackage: PackageDefinition = {
  path: 'influxdata/influxdb/secrets',
  name: 'secrets',
  builtins: secrets,
}
