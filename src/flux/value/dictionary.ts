// Dictionaries stay sorted by key; each change makes a new one. Keys of one dictionary are of one
// type, which is int, uint, float, string or time.

import { compareUtf8 } from '../../column/series.js'
import { FluxError } from './error.js'
import { Dictionary, type DictionaryEntry, type FluxValue, Time, Uint } from './value.js'

export const emptyDictionary = new Dictionary([])

/** Keys of different types, which the checker keeps apart, are ordered by type so that the order is total. */
export function compareKeys(a: FluxValue, b: FluxValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b)
  const [left, right] = [keyNumber(a), keyNumber(b)]
  if (left === undefined || right === undefined || typeof left !== typeof right) {
    return rank(a) - rank(b)
  }
  return left < right ? -1 : left > right ? 1 : 0
}

function keyNumber(key: FluxValue): number | bigint | undefined {
  if (typeof key === 'bigint' || typeof key === 'number') return key
  if (key instanceof Uint) return key.value
  return key instanceof Time ? key.ns : undefined
}

function rank(key: FluxValue): number {
  if (typeof key === 'bigint') return 0
  if (key instanceof Uint) return 1
  if (typeof key === 'number') return 2
  if (typeof key === 'string') return 3
  return key instanceof Time ? 4 : 5
}

function checkKey(key: FluxValue): void {
  if (key === null) throw new FluxError('null value cannot be used as a dictionary key')
}

/** Where the key is, or where it would stand as `-1 - i`. */
function find(entries: readonly DictionaryEntry[], key: FluxValue): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const order = compareKeys(entries[middle].key, key)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle
  }
  return -1 - low
}

/** undefined: there is no such key. */
export function dictionaryGet({ entries }: Dictionary, key: FluxValue): FluxValue | undefined {
  if (key === null) return undefined
  const at = find(entries, key)
  return at < 0 ? undefined : entries[at].value
}

export function dictionaryInsert(
  { entries }: Dictionary,
  key: FluxValue,
  value: FluxValue,
): Dictionary {
  checkKey(key)
  const at = find(entries, key)
  return new Dictionary(
    at < 0
      ? entries.toSpliced(-1 - at, 0, { key, value })
      : entries.toSpliced(at, 1, { key, value }),
  )
}

export function dictionaryRemove(dictionary: Dictionary, key: FluxValue): Dictionary {
  if (key === null) return dictionary
  const at = find(dictionary.entries, key)
  return at < 0 ? dictionary : new Dictionary(dictionary.entries.toSpliced(at, 1))
}

/** Of keys that come twice the later value stays. */
export function dictionaryOf(entries: readonly DictionaryEntry[]): Dictionary {
  for (const { key } of entries) checkKey(key)
  const sorted = [...entries].sort((a, b) => compareKeys(a.key, b.key))
  return new Dictionary(
    sorted.filter(({ key }, i) => i === sorted.length - 1 || compareKeys(key, sorted[i + 1].key)),
  )
}
