// Regular expressions of scripts: RE2 syntax, matched in linear time. One is compiled when it is first
// matched, and keeps what came of it.

import { compileRegex, type Regex } from '../../column/regex.js'
import { FluxError } from './error.js'
import { checkWalkedLength } from './size.js'
import type { Regexp } from './value.js'

/** Of a pattern, in characters. Lists of names are long; longer ones take their time to be compiled. */
const patternLengthMax = 2 ** 16

/** Throws UserError where the pattern is none. */
export function regexOf(regexp: Regexp): Regex {
  regexp.compiled ??= compile(regexp.pattern)
  return regexp.compiled
}

function compile(pattern: string): Regex {
  if (pattern.length > patternLengthMax) {
    const most = `at most ${patternLengthMax}`
    throw new FluxError(`a pattern of ${pattern.length} characters is too long, ${most}`)
  }
  return compileRegex(pattern)
}

export function matches(regexp: Regexp, text: string): boolean {
  checkWalkedLength(text.length)
  return regexOf(regexp).test(text)
}
