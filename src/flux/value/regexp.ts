// Regular expressions of scripts: RE2 syntax, matched in linear time. Compiled patterns are remembered,
// because a pattern that is put together for each row comes again and again.

import { compileRegex, type Regex } from '../../column/regex.js'
import { FluxError } from './error.js'
import { checkWalkedLength } from './size.js'
import type { Regexp } from './value.js'

const rememberedMax = 256
const remembered = new Map<string, Regex>()

/** Of a pattern, in characters. Lists of names are long; longer ones take their time to be compiled. */
const patternLengthMax = 2 ** 16

/** Throws UserError where the pattern is none. */
export function regexOf(pattern: string): Regex {
  let regex = remembered.get(pattern)
  if (regex === undefined) {
    if (pattern.length > patternLengthMax) {
      const most = `at most ${patternLengthMax}`
      throw new FluxError(`a pattern of ${pattern.length} characters is too long, ${most}`)
    }
    regex = compileRegex(pattern)
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(pattern, regex)
  }
  return regex
}

export function matches({ pattern }: Regexp, text: string): boolean {
  checkWalkedLength(text.length)
  return regexOf(pattern).test(text)
}
