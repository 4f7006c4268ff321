// Regexes in a query are checked while it is parsed. Most patterns are plain enough to be known as
// good without loading the regex library, and what is wrong with the others is said in Go's words.

import { compileRegex } from '../../column/regex.js'
import { UserError } from '../../errors.js'

/** What is wrong with the pattern, or undefined. */
export function checkRegex(pattern: string): string | undefined {
  if (isPlain(pattern)) return undefined
  try {
    compileRegex(pattern)
    return undefined
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const reason = error.message.replace(/^invalid regular expression: /, '')
    // Go always names the part it means, and here there is none.
    return reason.endsWith('trailing backslash at end of expression') ? `${reason}: \`\`` : reason
  }
}

/** Letters, digits, blanks and the like, anchors and alternatives, and a repetition behind a single character. */
function isPlain(pattern: string): boolean {
  let isRepeatable = false
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]
    if (character === '*' || character === '+' || character === '?') {
      if (!isRepeatable) return false
      isRepeatable = false
    } else if (plainCharacters.has(character)) {
      isRepeatable = character !== '|' && character !== '^' && character !== '$'
    } else return false
  }
  return true
}

const plainCharacters = new Set(
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:;,=!@#%&~<> \'"^$|',
)
