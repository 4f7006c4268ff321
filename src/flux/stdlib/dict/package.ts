// The package `dict`: dictionaries, whose keys are values that can be ordered. Changing one gives
// another.

import { type Call, type Definitions, native } from '../../package/define.js'
import {
  dictionaryGet,
  dictionaryInsert,
  dictionaryOf,
  dictionaryRemove,
} from '../../value/dictionary.js'
import { FluxError } from '../../value/error.js'
import { FluxRecord, type FluxValue } from '../../value/value.js'

export const dictBuiltins: Definitions = {
  fromList: native('(pairs: [{key: K, value: V}]) => [K:V] where K: Comparable', fromList),
  get: native('(dict: [K:V], key: K, default: V) => V where K: Comparable', (call) => {
    const value = dictionaryGet(call.dictionary('dict'), call.required('key'))
    return value === undefined ? call.required('default') : value
  }),
  insert: native('(dict: [K:V], key: K, value: V) => [K:V] where K: Comparable', (call) =>
    dictionaryInsert(call.dictionary('dict'), call.required('key'), call.required('value')),
  ),
  remove: native('(dict: [K:V], key: K) => [K:V] where K: Comparable', (call) =>
    dictionaryRemove(call.dictionary('dict'), call.required('key')),
  ),
}

function fromList(call: Call): FluxValue {
  const entries = call.array('pairs').map((pair) => {
    if (!(pair instanceof FluxRecord)) throw new FluxError('pairs must be records')
    const key = pair.get('key')
    const value = pair.get('value')
    if (key === undefined || value === undefined) {
      throw new FluxError('each pair must have a key and a value')
    }
    return { key, value }
  })
  return dictionaryOf(entries)
}
