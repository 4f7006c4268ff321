// The packages `http/requests` and `experimental/http/requests`, the same under two names: requests of any method, with
// the whole answer.

import { type Call, type Definitions, native } from '../../../package/define.js'
import { durationOfNs } from '../../../value/duration.js'
import { FluxError } from '../../../value/error.js'
import { quoted } from '../../../value/quote.js'
import { Bytes, Dictionary, Duration, type FluxValue } from '../../../value/value.js'
import { queryText } from '../escape.js'
import { dictionaryHeaders, exchange, headersDictionary, responseRecord } from '../exchange.js'

const doType = `(
  method: string,
  url: string,
  ?params: [string:[string]],
  ?headers: [string:string],
  ?body: bytes,
  config: {A with timeout: duration, insecureSkipVerify: bool},
) => {statusCode: int, body: bytes, headers: [string:string], duration: duration}`

export const requestsBuiltins: Definitions = {
  _do: native(doType, request, true),
}

const methods = new Set(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'])

async function request(call: Call): Promise<FluxValue> {
  const method = call.string('method')
  if (!methods.has(method)) throw new FluxError(`invalid HTTP method ${quoted(method)}`)
  const body = call.value('body')
  const headers = call.value('headers')
  const response = await exchange(call, {
    method,
    url: withParameters(call.string('url'), call.value('params')),
    headers: headers instanceof Dictionary ? dictionaryHeaders(headers) : [],
    ...(body instanceof Bytes ? { body: body.bytes } : {}),
    ...settings(call),
  })
  return responseRecord(call, response, headersDictionary(response.headers), [
    ['duration', durationOfNs(response.durationNs)],
  ])
}

/** Parameters take the place of those that the URL has. */
function withParameters(url: string, params: FluxValue | undefined): string {
  if (!(params instanceof Dictionary) || params.entries.length === 0) return url
  const [path] = url.split(/[?#]/, 1)
  const pairs = params.entries.flatMap(({ key, value }) =>
    Array.isArray(value) ? value.map((each) => [String(key), String(each)] as const) : [],
  )
  return `${path}?${queryText(pairs)}`
}

function settings(call: Call): { timeout: Duration; skipsVerification: boolean } {
  const config = call.record('config')
  const timeout = config.get('timeout')
  if (!(timeout instanceof Duration)) {
    throw new FluxError('config is missing "timeout" property')
  }
  if (timeout.months !== 0n && timeout.ns !== 0n) {
    throw new FluxError('config timeout must not be a mixed duration')
  }
  const skipsVerification = config.get('insecureSkipVerify')
  if (typeof skipsVerification !== 'boolean') {
    throw new FluxError('config is missing "insecureSkipVerify" property')
  }
  return { timeout, skipsVerification }
}
