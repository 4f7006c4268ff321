// The package `strings`. Texts are Unicode;
// places and lengths are Go's.

import { compareUtf8 } from '../../../column/series.js'
import { type Call, type Definition, type Definitions, native } from '../../package/define.js'
import { FluxError } from '../../value/error.js'
import { checkWalkedLength } from '../../value/size.js'
import type { FluxValue } from '../../value/value.js'
import {
  characterCount,
  countText,
  largeText,
  replaceText,
  smallText,
  splitText,
  titleText,
  trimSpace,
  trimText,
} from './cuts.js'
import { byteIndex, byteIndexAny, lastByteIndex, lastByteIndexAny } from './places.js'
import { firstPlace } from './text-search.js'

/** What one call may make. */
const lengthMax = 64 * 1024 * 1024

/** A text that is gone through character by character. */
function walked(call: Call, name: string): string {
  const text = call.string(name)
  checkWalkedLength(text.length)
  return text
}

/** A function of `v` alone. */
function ofOne(result: string, fn: (v: string) => FluxValue): Definition {
  return native(`(v: string) => ${result}`, (call) => fn(walked(call, 'v')))
}

/** A function of `v` and another text. */
function ofTwo(
  other: string,
  result: string,
  fn: (v: string, other: string) => FluxValue,
): Definition {
  return native(`(v: string, ${other}: string) => ${result}`, (call) =>
    fn(walked(call, 'v'), walked(call, other)),
  )
}

/** A character of one byte. */
function ofCharacter(pattern: RegExp): Definition {
  return ofOne('bool', (v) => {
    if (Buffer.byteLength(v) !== 1) {
      throw new FluxError('"v" is not a valid argument: argument length is not equal to 1')
    }
    return pattern.test(v)
  })
}

const splitType = '(v: string, t: string) => [string]'
const splitNType = '(v: string, t: string, i: int) => [string]'

export const stringsBuiltins: Definitions = {
  title: ofOne('string', titleText),
  toUpper: ofOne('string', largeText),
  toLower: ofOne('string', smallText),
  toTitle: ofOne('string', largeText),
  trim: ofTwo('cutset', 'string', (v, cutset) => trimText(v, cutset, 'both')),
  trimLeft: ofTwo('cutset', 'string', (v, cutset) => trimText(v, cutset, 'left')),
  trimRight: ofTwo('cutset', 'string', (v, cutset) => trimText(v, cutset, 'right')),
  trimSpace: ofOne('string', trimSpace),
  trimPrefix: ofTwo('prefix', 'string', trimPrefix),
  trimSuffix: ofTwo('suffix', 'string', trimSuffix),
  hasPrefix: ofTwo('prefix', 'bool', (v, prefix) => v.startsWith(prefix)),
  hasSuffix: ofTwo('suffix', 'bool', (v, suffix) => v.endsWith(suffix)),
  containsStr: ofTwo('substr', 'bool', (v, substr) => firstPlace(v, substr) >= 0),
  containsAny: ofTwo('chars', 'bool', (v, chars) => byteIndexAny(v, chars) >= 0n),
  equalFold: ofTwo('t', 'bool', (v, t) => smallText(largeText(v)) === smallText(largeText(t))),
  compare: ofTwo('t', 'int', (v, t) => BigInt(Math.sign(compareUtf8(v, t)))),
  countStr: ofTwo('substr', 'int', (v, substr) => BigInt(countText(v, substr))),
  index: ofTwo('substr', 'int', byteIndex),
  indexAny: ofTwo('chars', 'int', byteIndexAny),
  lastIndex: ofTwo('substr', 'int', lastByteIndex),
  lastIndexAny: ofTwo('chars', 'int', lastByteIndexAny),
  isDigit: ofCharacter(/[0-9]/),
  isLetter: ofCharacter(/[A-Za-z]/),
  isLower: ofCharacter(/[a-z]/),
  isUpper: ofCharacter(/[A-Z]/),
  repeat: native('(v: string, i: int) => string', repeat),
  replace: native('(v: string, t: string, u: string, i: int) => string', replace),
  replaceAll: native('(v: string, t: string, u: string) => string', replace),
  split: native(splitType, (call) => split(call, false)),
  splitAfter: native(splitType, (call) => split(call, true)),
  splitN: native(splitNType, (call) => split(call, false)),
  splitAfterN: native(splitNType, (call) => split(call, true)),
  joinStr: native('(arr: [string], v: string) => string', (call) =>
    joined(call.strings('arr'), call.string('v')),
  ),
  strlen: ofOne('int', (v) => BigInt(characterCount(v))),
  substring: native('(v: string, start: int, end: int) => string', substring),
}

function trimPrefix(v: string, prefix: string): string {
  return v.startsWith(prefix) ? v.slice(prefix.length) : v
}

function trimSuffix(v: string, suffix: string): string {
  return v.endsWith(suffix) ? v.slice(0, v.length - suffix.length) : v
}

function repeat(call: Call): string {
  const v = call.string('v')
  const times = call.int('i')
  if (times < 0n) throw new FluxError('strings: negative Repeat count')
  if (v === '') return ''
  if (times * BigInt(v.length) > BigInt(lengthMax)) throw tooLong()
  return v.repeat(Number(times))
}

function replace(call: Call): string {
  const count = Number(call.int('i', -1n))
  const [v, t, u] = [walked(call, 'v'), walked(call, 't'), call.string('u')]
  // At worst the new text stands at every place of the old.
  if ((v.length + 1) * (u.length + 1) > lengthMax && (countText(v, t) + 1) * u.length > lengthMax) {
    throw tooLong()
  }
  return replaceText(v, t, u, count)
}

function split(call: Call, keepsSeparator: boolean): readonly string[] {
  const count = Number(call.int('i', -1n))
  return splitText(walked(call, 'v'), walked(call, 't'), count, keepsSeparator)
}

function substring(call: Call): string {
  const characters = [...walked(call, 'v')]
  const start = Math.min(Math.max(Number(call.int('start')), 0), characters.length)
  const end = Math.max(Math.min(Number(call.int('end')), characters.length), start)
  return characters.slice(start, end).join('')
}

function joined(texts: readonly string[], separator: string): string {
  let length = separator.length * Math.max(texts.length - 1, 0)
  for (const text of texts) length += text.length
  if (length > lengthMax) throw tooLong()
  return texts.join(separator)
}

function tooLong(): FluxError {
  return new FluxError(`the text would have more than ${lengthMax} characters`)
}
