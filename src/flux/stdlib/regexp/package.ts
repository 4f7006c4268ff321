// The package `regexp`: RE2 expressions, with places
// counted in bytes as Go counts them.

import { type Call, type Definitions, native } from '../../package/define.js'
import { regexOf } from '../../value/regexp.js'
import { checkWalkedLength } from '../../value/size.js'
import type { FluxValue } from '../../value/value.js'

export const regexpBuiltins: Definitions = {
  compile: native('(v: string) => regexp', compile),
  quoteMeta: native('(v: string) => string', (call) => quoteMeta(call.string('v'))),
  findString: native('(r: regexp, v: string) => string', findString),
  findStringIndex: native('(r: regexp, v: string) => [int]', findStringIndex),
  matchRegexpString: native('(r: regexp, v: string) => bool', (call) =>
    regexOf(call.regexp('r')).test(searched(call)),
  ),
  replaceAllString: native('(r: regexp, v: string, t: string) => string', (call) =>
    regexOf(call.regexp('r')).replaceAll(searched(call), call.string('t')),
  ),
  splitRegexp: native('(r: regexp, v: string, i: int) => [string]', splitRegexp),
  getString: native('(r: regexp) => string', (call) => call.regexp('r').pattern),
}

/** What is matched takes its time. */
function searched(call: Call): string {
  const text = call.string('v')
  checkWalkedLength(text.length)
  return text
}

function compile(call: Call): FluxValue {
  const regexp = call.context.regexp(call.string('v'))
  regexOf(regexp)
  return regexp
}

function quoteMeta(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')
}

function findString(call: Call): FluxValue {
  const text = searched(call)
  const [match] = regexOf(call.regexp('r')).matches(text, 1)
  return match === undefined ? '' : text.slice(match.start, match.end)
}

function findStringIndex(call: Call): FluxValue {
  const text = searched(call)
  const [match] = regexOf(call.regexp('r')).matches(text, 1)
  if (match === undefined) return []
  const inBytes = (at: number) => BigInt(Buffer.byteLength(text.slice(0, at)))
  return [inBytes(match.start), inBytes(match.end)]
}

/** At most `i` pieces, the last with the rest; negative: all; 0: none. An empty match at the start parts nothing. */
function splitRegexp(call: Call): FluxValue {
  const text = searched(call)
  const count = Number(call.int('i'))
  if (count === 0) return []
  const regexp = call.regexp('r')
  if (text === '' && regexp.pattern !== '') return ['']
  const pieces: string[] = []
  let from = 0
  let end = 0
  for (const match of regexOf(regexp).matches(text, Infinity)) {
    if (count > 0 && pieces.length === count - 1) break
    end = match.start
    if (match.end !== 0) pieces.push(text.slice(from, end))
    from = match.end
  }
  return end === text.length ? pieces : [...pieces, text.slice(from)]
}
