// The package `experimental/dynamic`: values whose types are looked at when a script runs. A dynamic
// record has dynamic properties and a dynamic array dynamic elements, so that what is read of one is
// dynamic again.

import { type Call, type Definitions, native } from '../../../package/define.js'
import { FluxError } from '../../../value/error.js'
import { checkParts, comparedPartsMax } from '../../../value/size.js'
import { typeName, typeText } from '../../../value/type-name.js'
import { Bytes, Dynamic, FluxRecord, type FluxValue, MapRecord } from '../../../value/value.js'
import { jsonText } from '../../json/encode.js'
import { parseJson } from '../../json/parse.js'

export const dynamicBuiltins: Definitions = {
  dynamic: native('(v: A) => dynamic', wrap),
  asArray: native('(<-v: dynamic) => [dynamic]', asArray),
  isType: native('(v: dynamic, type: string) => bool', isType),
  jsonParse: native('(data: bytes) => dynamic', (call) => dynamicOf(parseJson(call.bytes('data')))),
  jsonEncode: native(
    '(v: dynamic) => bytes',
    (call) => new Bytes(Buffer.from(jsonText(call.required('v')))),
  ),
}

function wrap(call: Call): Dynamic {
  const value = call.required('v')
  checkParts(value, comparedPartsMax)
  return dynamicOf(value)
}

/** What is dynamic already stays as it is. */
function dynamicOf(value: FluxValue): Dynamic {
  if (value instanceof Dynamic) return value
  if (Array.isArray(value)) return new Dynamic(value.map(dynamicOf))
  if (!(value instanceof FluxRecord)) return new Dynamic(value)
  const properties = new Map<string, FluxValue>()
  for (const name of value.names()) properties.set(name, dynamicOf(value.get(name) ?? null))
  return new Dynamic(new MapRecord(properties))
}

function innerOf(call: Call): FluxValue {
  const value = call.required('v')
  return value instanceof Dynamic ? value.inner : value
}

function asArray(call: Call): FluxValue {
  const inner = innerOf(call)
  if (Array.isArray(inner)) return inner
  throw new FluxError(`unable to convert ${inner === null ? '<null>' : typeText(inner)} to array`)
}

/** Of what holds nothing and of streams no type is known. */
const unknownTypes = new Set(['invalid', 'stream', 'dynamic'])

function isType(call: Call): boolean {
  const name = typeName(innerOf(call))
  return name === call.string('type') && !unknownTypes.has(name)
}
