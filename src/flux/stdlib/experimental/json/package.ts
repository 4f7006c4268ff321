// The package `experimental/json`: JSON text as a value. Arrays must have elements of one type, as all
// arrays of Flux do.

import { type Definitions, native } from '../../../package/define.js'
import { FluxError } from '../../../value/error.js'
import { typeText } from '../../../value/type-name.js'
import type { FluxArray, FluxValue } from '../../../value/value.js'
import { parseJson } from '../../json/parse.js'

export const experimentalJsonBuiltins: Definitions = {
  parse: native('(data: bytes) => A', (call) => parseJson(call.bytes('data'), uniformArray)),
}

/** Nulls at the beginning have no type yet; behind a value they are of another one. */
function uniformArray(elements: FluxArray): FluxValue {
  let type: string | undefined
  for (const element of elements) {
    const own = typeText(element)
    if (type !== undefined && own !== type) {
      throw new FluxError('array values must all be the same type')
    }
    if (element !== null) type = own
  }
  return elements
}
