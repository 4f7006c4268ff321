// The package `json`: values as JSON, in bytes. Reading it back is the business of
// `experimental/json` and `experimental/dynamic`.

import { type Definitions, native } from '../../package/define.js'
import { Bytes } from '../../value/value.js'
import { jsonText } from './encode.js'

export const jsonBuiltins: Definitions = {
  encode: native('(v: A) => bytes', (call) => new Bytes(Buffer.from(jsonText(call.required('v'))))),
}
