// The package `types`: what kind of value something is.
// Only the plain types are told apart.

import { type Definitions, native } from '../../package/define.js'
import { typeName } from '../../value/type-name.js'

const plainTypes = new Set([
  ...['string', 'bytes', 'int', 'uint', 'float', 'bool', 'time', 'duration', 'regexp'],
])

export const typesBuiltins: Definitions = {
  isType: native('(v: A, type: string) => bool where A: Basic', (call) => {
    const type = call.string('type')
    return plainTypes.has(type) && typeName(call.required('v')) === type
  }),
}
