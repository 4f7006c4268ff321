// The package `experimental/influxdb`: calls of the interface of an InfluxDB, or of something that speaks its language.
// Which one must be said: this service does not call itself on behalf of a script.

import { type Call, type Definitions, native } from '../../../package/define.js'
import { FluxError } from '../../../value/error.js'
import { Bytes, Dictionary, type FluxValue } from '../../../value/value.js'
import { queryText } from '../../http/escape.js'
import {
  dictionaryHeaders,
  exchange,
  type HeaderList,
  headersDictionary,
  responseRecord,
} from '../../http/exchange.js'

const apiType = `(
  method: string,
  path: string,
  ?host: string,
  ?token: string,
  ?body: bytes,
  ?headers: [string:string],
  ?query: [string:string],
  ?timeout: duration,
) => {statusCode: int, body: bytes, headers: [string:string]}`

export const experimentalInfluxdbBuiltins: Definitions = {
  api: native(apiType, api, true),
}

async function api(call: Call): Promise<FluxValue> {
  const url = needed(call, 'host') + call.string('path')
  const token = needed(call, 'token')
  const query = pairs(call, 'query')
  const body = call.value('body')
  const headers = pairs(call, 'headers').filter(([name]) => !/^authorization$/i.test(name))
  const response = await exchange(call, {
    method: call.string('method').toUpperCase(),
    url: query.length === 0 ? url : `${url.split(/[?#]/, 1)[0]}?${queryText(query)}`,
    headers: [...headers, ['Authorization', `Token ${token}`]],
    ...(body instanceof Bytes ? { body: body.bytes } : {}),
    ...(call.has('timeout') ? { timeout: call.duration('timeout') } : {}),
  })
  return responseRecord(call, response, headersDictionary(response.headers))
}

function needed(call: Call, name: string): string {
  if (call.has(name)) return call.string(name)
  throw new FluxError(`keyword argument "${name}" is required when executing outside InfluxDB`)
}

function pairs(call: Call, name: string): HeaderList {
  const value = call.value(name)
  return value instanceof Dictionary ? dictionaryHeaders(value) : []
}
