// Places in texts, counted in bytes of
// UTF-8 as Go counts them.

import { firstPlace, lastPlace } from './text-search.js'

export function byteIndex(text: string, part: string): bigint {
  return inBytes(text, firstPlace(text, part))
}

export function lastByteIndex(text: string, part: string): bigint {
  return inBytes(text, lastPlace(text, part))
}

export function byteIndexAny(text: string, chars: string): bigint {
  const set = new Set(chars)
  let at = 0
  for (const character of text) {
    if (set.has(character)) return inBytes(text, at)
    at += character.length
  }
  return -1n
}

export function lastByteIndexAny(text: string, chars: string): bigint {
  const set = new Set(chars)
  let at = 0
  let found = -1
  for (const character of text) {
    if (set.has(character)) found = at
    at += character.length
  }
  return inBytes(text, found)
}

function inBytes(text: string, at: number): bigint {
  return at < 0 ? -1n : BigInt(Buffer.byteLength(text.slice(0, at)))
}
