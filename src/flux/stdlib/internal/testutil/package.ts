// The package `internal/testutil`: values whose type
// nobody knows before a script runs.

import { type Call, type Definitions, native } from '../../../package/define.js'
import { emptyDictionary } from '../../../value/dictionary.js'
import { zeroDuration } from '../../../value/duration.js'
import { FluxError } from '../../../value/error.js'
import { Bytes, emptyRecord, type FluxValue, Regexp, Time, Uint } from '../../../value/value.js'

export const testutilBuiltins: Definitions = {
  fail: native('() => bool', fail),
  yield: native('(<-v: A) => A', (call) => call.required('v')),
  makeRecord: native('(o: A) => B where A: Record, B: Record', (call) => call.required('o')),
  makeAny: native('(typ: string) => A', makeAny),
}

/** Something of each type. */
const samples = new Map<string, FluxValue>([
  ['string', 'foo'],
  ['bytes', new Bytes(Buffer.from('foo'))],
  ['int', 10n],
  ['uint', new Uint(10n)],
  ['float', 10],
  ['bool', false],
  ['time', new Time(100n)],
  ['duration', zeroDuration],
  ['regexp', new Regexp('a')],
  ['array', []],
  ['object', emptyRecord],
  ['dictionary', emptyDictionary],
])

function fail(): never {
  throw new FluxError('fail')
}

function makeAny(call: Call): FluxValue {
  return samples.get(call.string('typ')) ?? null
}
