// Regular expressions of scripts: RE2 syntax, matched in linear time. Compiled patterns are remembered,
// because a pattern that is put together for each row comes again and again.

import { compileRegex, type Regex } from '../../column/regex.js'
import type { Regexp } from './value.js'

const rememberedMax = 256
const remembered = new Map<string, Regex>()

/** Throws UserError where the pattern is none. */
export function regexOf(pattern: string): Regex {
  let regex = remembered.get(pattern)
  if (regex === undefined) {
    regex = compileRegex(pattern)
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(pattern, regex)
  }
  return regex
}

export function matches({ pattern }: Regexp, text: string): boolean {
  return regexOf(pattern).test(text)
}
