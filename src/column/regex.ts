// Regular expressions as InfluxDB's languages have them: RE2 syntax (Go), matching anywhere, in
// linear time whatever the pattern. A bad pattern is a UserError.

import { createRequire } from 'node:module'
import { UserError } from '../errors.js'

// Loaded when first used: 5 MB that many servers never need.
const require = createRequire(import.meta.url)

export interface Regex {
  test(text: string): boolean
}

export function compileRegex(pattern: string): Regex {
  const { RE2JS } = require('re2js') as typeof import('re2js')
  try {
    const compiled = RE2JS.compile(pattern)
    return { test: (text) => compiled.matcher(text).find() }
  } catch (error) {
    throw new UserError('invalid', `invalid regular expression: ${(error as Error).message}`)
  }
}
