// `experimental.catch`: a failure as a value. What stops a query from outside (its time is up, somebody
// killed it, a limit) cannot be caught.

import type { UserError } from '../../../errors.js'
import type { MaybePromise } from '../../../platform/pull-stream.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import { FluxError } from '../../value/error.js'
import { type FluxValue, MapRecord, Uint } from '../../value/value.js'

export const catches: Definitions = {
  catch: native('(fn: () => A) => {value: A, code: uint, msg: string}', catchFailure),
}

/** Numbers of the reference's error codes, by ours. */
const codeNumbers = new Map<string, bigint>([
  ['invalid', 3n],
  ['not found', 5n],
  ['conflict', 6n],
  ['forbidden', 7n],
  ['too many requests', 8n],
  ['not implemented', 12n],
  ['internal error', 13n],
  ['unavailable', 14n],
  ['unauthorized', 15n],
])

function catchFailure(call: Call): MaybePromise<FluxValue> {
  try {
    const value = call.function('fn').call(new Map())
    return value instanceof Promise ? value.then(succeeded, failed) : succeeded(value)
  } catch (error) {
    return failed(error)
  }
}

function succeeded(value: FluxValue): FluxValue {
  return outcome(value, null, null)
}

function failed(error: unknown): FluxValue {
  if (!(error instanceof FluxError)) throw error
  return outcome(null, new Uint(codeNumber(error)), error.message)
}

function codeNumber(error: UserError): bigint {
  return codeNumbers.get(error.code) ?? 2n
}

function outcome(value: FluxValue, code: FluxValue, msg: FluxValue): FluxValue {
  return new MapRecord(
    new Map<string, FluxValue>([
      ['value', value],
      ['code', code],
      ['msg', msg],
    ]),
  )
}
