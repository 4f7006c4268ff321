// The package `types`: what kind of value something is.
// Only the plain types are told apart.

import { typeName } from '../../value/type-name.js'
import { native, type PackageDefinition } from '../define.js'

const plainTypes = new Set([
  ...['string', 'bytes', 'int', 'uint', 'float', 'bool', 'time', 'duration', 'regexp'],
])

export const typesPackage: PackageDefinition = {
  path: 'types',
  name: 'types',
  builtins: [
    [
      'isType',
      native('(v: A, type: string) => bool where A: Basic', (call) => {
        const type = call.string('type')
        return plainTypes.has(type) && typeName(call.required('v')) === type
      }),
    ],
  ],
  source: `package types

isNumeric = (v) =>
    isType(v: v, type: "float") or isType(v: v, type: "int") or isType(v: v, type: "uint")
`,
}
