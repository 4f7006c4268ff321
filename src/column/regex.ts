// Regular expressions as InfluxDB's languages have them: RE2 syntax (Go), matching anywhere, in linear time whatever the
// pattern. A bad pattern is a UserError.

import { RE2JS } from 're2js'
import { UserError } from '../errors.js'

export interface Regex {
  test(text: string): boolean
}

export function compileRegex(pattern: string): Regex {
  try {
    const compiled = RE2JS.compile(pattern)
    return { test: (text) => compiled.matcher(text).find() }
  } catch (error) {
    throw new UserError('invalid', `invalid regular expression: ${(error as Error).message}`)
  }
}
