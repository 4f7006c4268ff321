// How deep JSON may nest and how many values it may have, found out before any of them is made: a list of nothing but
// empty lists takes a hundred times its text, and what checks it as much again.

import { UserError } from '../errors.js'

/** Deeper than any resource, and far from where printing it again would exhaust the stack. */
const nestingMax = 500

/** Lists and objects included: each takes some hundred bytes while it is checked. */
export const jsonValuesMax = 100_000

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/** How many values there are. Text that is no JSON may pass: whoever parses it tells what is wrong. */
export function checkJsonBounds(text: string): number {
  // Each level takes two characters: most bodies need no look.
  if (text.length <= 2 * nestingMax) return text.length
  let levels = 0
  let deepest = 0
  let values = 1
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isString && code === backslash) at++
    else if (code === quote) isString = !isString
    else if (isString) continue
    else if (code === comma) values++
    else if (code === openBracket || code === openBrace) {
      deepest = Math.max(deepest, ++levels)
      values++
    } else if (code === closeBracket || code === closeBrace) levels--
  }
  if (deepest > nestingMax) {
    const reason = `more than ${nestingMax} levels of nesting`
    throw new UserError('invalid', `invalid json structure: ${reason}`)
  }
  if (values > jsonValuesMax) {
    throw new UserError('request too large', `a body has at most ${jsonValuesMax} JSON values`)
  }
  return values
}
