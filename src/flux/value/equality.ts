// Whether two values are the same, as `==` has it between arrays and records and as dictionaries tell
// keys apart. Nothing equals null, not even null.

import { areDurationsEqual } from './duration.js'
import {
  Bytes,
  Dictionary,
  Duration,
  Dynamic,
  type FluxArray,
  FluxRecord,
  type FluxValue,
  Regexp,
  Time,
  Uint,
} from './value.js'

export function areEqual(a: FluxValue, b: FluxValue): boolean {
  if (a === null || b === null) return false
  if (typeof a !== 'object' || typeof b !== 'object') return a === b
  if (a instanceof Time) return b instanceof Time && a.ns === b.ns
  if (a instanceof Uint) return b instanceof Uint && a.value === b.value
  if (a instanceof FluxRecord) return b instanceof FluxRecord && areRecordsEqual(a, b)
  if (Array.isArray(a)) return Array.isArray(b) && areArraysEqual(a, b)
  if (a instanceof Duration) return b instanceof Duration && areDurationsEqual(a, b)
  if (a instanceof Regexp) return b instanceof Regexp && a.pattern === b.pattern
  if (a instanceof Bytes) return b instanceof Bytes && areBytesEqual(a.bytes, b.bytes)
  if (a instanceof Dictionary) return b instanceof Dictionary && areDictionariesEqual(a, b)
  if (a instanceof Dynamic) return b instanceof Dynamic && areEqual(a.inner, b.inner)
  return a === b
}

function areArraysEqual(a: FluxArray, b: FluxArray): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!areEqual(a[i], b[i])) return false
  return true
}

/** The order of properties does not matter. */
function areRecordsEqual(a: FluxRecord, b: FluxRecord): boolean {
  let count = 0
  for (const name of a.names()) {
    const other = b.get(name)
    if (other === undefined || !areEqual(a.get(name) ?? null, other)) return false
    count++
  }
  for (const _ of b.names()) count--
  return count === 0
}

function areBytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

function areDictionariesEqual(a: Dictionary, b: Dictionary): boolean {
  if (a.entries.length !== b.entries.length) return false
  return a.entries.every(({ key, value }, i) => {
    const other = b.entries[i]
    return areEqual(key, other.key) && areEqual(value, other.value)
  })
}
