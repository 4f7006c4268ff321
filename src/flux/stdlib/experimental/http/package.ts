// The package `experimental/http`: a GET with the whole answer. Unlike in `http/requests` its headers are a record,
// going out and coming back.

import { type Call, type Definitions, native } from '../../../package/define.js'
import type { FluxValue } from '../../../value/value.js'
import { exchange, headersRecord, responseRecord } from '../../http/exchange.js'
import { givenHeaders } from '../../http/package.js'

const getType = `(url: string, ?headers: A, ?timeout: duration)
  => {statusCode: int, body: bytes, headers: B} where A: Record, B: Record`

export const experimentalHttpBuiltins: Definitions = {
  get: native(getType, get, true),
}

async function get(call: Call): Promise<FluxValue> {
  const response = await exchange(call, {
    method: 'GET',
    url: call.string('url'),
    headers: givenHeaders(call),
    ...(call.has('timeout') ? { timeout: call.duration('timeout') } : {}),
  })
  return responseRecord(call, response, headersRecord(response.headers))
}
