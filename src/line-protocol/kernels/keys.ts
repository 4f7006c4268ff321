// Keys of series that were met, with the numbers that the parser has given them: found by the one that came after the
// last one last time, or by their bytes.

import { sameBytes } from './bytes'
import { arena, arenaBytes, hashSlots, keyBytes, keys, keysMax, slots } from './memory'

const noKey: i32 = -1

let keyCount: i32 = 0
let arenaUsed: usize = 0
/** The key of the last line. */
let previous: i32 = noKey

function keyAt(key: i32): usize {
  return keys + key * keyBytes
}

export function seriesOf(key: i32): u32 {
  return load<u32>(keyAt(key), 8)
}

export function measurementOf(key: i32): u32 {
  return load<u32>(keyAt(key), 12)
}

/** Whether a key's bytes begin there. */
function isAt(key: i32, place: usize, end: usize): bool {
  const at = keyAt(key)
  const length = load<u32>(at, 4)
  return (
    place + length < end &&
    load<u8>(place + length) === 0x20 &&
    sameBytes(place, load<u32>(at), length)
  )
}

/** The key that a line begins with; -1 if it is not known. `keyLength` tells how long it is. */
export function findKey(place: usize, end: usize): i32 {
  if (previous !== noKey) {
    const next = load<i32>(keyAt(previous), 16)
    if (isAt(next, place, end)) return found(next)
  }
  const length = lengthAt(place, end)
  if (length === 0) return noKey
  const hash = hashOf(place, length)
  const mask = hashSlots - 1
  let slot = hash & mask
  while (true) {
    const key = load<i32>(slots + (slot << 2)) - 1
    if (key === noKey) return noKey
    if (load<i32>(keyAt(key), 20) === hash && isAt(key, place, end)) return found(key)
    slot = (slot + 1) & mask
  }
}

export let keyLength: u32 = 0

function found(key: i32): i32 {
  keyLength = load<u32>(keyAt(key), 4)
  return key
}

/** That the line with this key was a good one. */
export function follow(key: i32): void {
  if (previous !== noKey) store<i32>(keyAt(previous), key, 16)
  previous = key
}

/** Up to the first space that has no backslash before it; 0 where the line has none. */
function lengthAt(place: usize, end: usize): u32 {
  for (let at = place; at < end; at++) {
    const c = load<u8>(at)
    if (c === 0x20 && (at === place || load<u8>(at - 1) !== 0x5c)) return <u32>(at - place)
    if (c === 0x0a) return 0
  }
  return 0
}

function hashOf(place: usize, length: u32): i32 {
  let h: u64 = length
  let at = place
  const end = place + length
  for (; at + 8 <= end; at += 8) {
    h = (h ^ load<u64>(at)) * 0x9e3779b97f4a7c15
    h ^= h >> 32
  }
  for (; at < end; at++) h = (h ^ load<u8>(at)) * 0x9e3779b97f4a7c15
  return <i32>(h ^ (h >> 29))
}

/** The key of the line that was read elsewhere; its bytes begin at `place`. */
export function learnKey(place: usize, length: u32, series: u32, measurement: u32): void {
  if (keyCount === keysMax || arenaUsed + length > arenaBytes) forgetKeys()
  const known = findKey(place, place + length + 1)
  if (known !== noKey) return follow(known)
  const key = keyCount++
  const at = keyAt(key)
  const bytes = arena + arenaUsed
  arenaUsed += length
  memory.copy(bytes, place, length)
  const hash = hashOf(place, length)
  store<u32>(at, bytes)
  store<u32>(at, length, 4)
  store<u32>(at, series, 8)
  store<u32>(at, measurement, 12)
  store<i32>(at, key, 16)
  store<i32>(at, hash, 20)
  const mask = hashSlots - 1
  let slot = hash & mask
  while (load<i32>(slots + (slot << 2)) !== 0) slot = (slot + 1) & mask
  store<i32>(slots + (slot << 2), key + 1)
  follow(key)
}

/** Numbers of series are others now, or there is no room for more. */
export function forgetKeys(): void {
  if (keyCount > 0) memory.fill(slots, 0, hashSlots << 2)
  keyCount = 0
  arenaUsed = 0
  previous = noKey
}
