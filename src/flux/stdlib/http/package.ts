// The package `http`: a request to another service, and what is needed to write one. Where it may go is not decided
// here but by the outgoing requests of the scope.

import { type Call, type Definitions, native } from '../../package/define.js'
import { FluxError } from '../../value/error.js'
import { Bytes, FluxRecord, type FluxValue } from '../../value/value.js'
import { escapePathSegment } from './escape.js'
import { exchange, type HeaderList, recordHeaders } from './exchange.js'

export const httpBuiltins: Definitions = {
  post: native('(url: string, ?headers: A, ?data: bytes) => int where A: Record', post, true),
  basicAuth: native('(u: string, p: string) => string', (call) => {
    const credentials = `${call.string('u')}:${call.string('p')}`
    return `Basic ${Buffer.from(credentials).toString('base64')}`
  }),
  pathEscape: native('(inputString: string) => string', (call) =>
    escapePathSegment(call.string('inputString')),
  ),
}

async function post(call: Call): Promise<FluxValue> {
  const data = call.value('data')
  const { statusCode } = await exchange(call, {
    method: 'POST',
    url: call.string('url'),
    headers: givenHeaders(call),
    hidesTarget: true,
    ...(data instanceof Bytes ? { body: data.bytes } : {}),
  })
  return BigInt(statusCode)
}

/** Of the argument `headers`, a record that may be left out. */
export function givenHeaders(call: Call): HeaderList {
  const headers = call.value('headers') ?? null
  if (headers === null) return []
  if (headers instanceof FluxRecord) return recordHeaders(headers)
  throw new FluxError('keyword argument "headers" should be of type record')
}
