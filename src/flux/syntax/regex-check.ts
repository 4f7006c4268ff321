// Whether a regular expression compiles, asked before anything runs. The engine has Go's words for what is
// wrong; the parser of Flux has its own, which are given here for the mistakes people make.

import { compileRegex } from '../../column/regex.js'
import type { Read } from './literal-text.js'

const reasons: readonly (readonly [RegExp, string])[] = [
  [/missing argument to repetition operator/, 'repetition operator missing expression'],
  [/missing closing \)/, 'unclosed group'],
  [/unexpected \)/, 'unopened group'],
  [/missing closing ]/, 'unclosed character class'],
  [/invalid escape sequence/, 'unrecognized escape sequence'],
  [/trailing backslash/, 'incomplete escape sequence, reached end of pattern prematurely'],
  [/invalid character class range/, 'invalid character class range, the start must be <= the end'],
  [/invalid repeat count/, 'invalid repetition count range, the start must be <= the end'],
]

export function checkRegex(read: Read<string>): Read<string> {
  if ('error' in read) return read
  try {
    compileRegex(read.value)
    return read
  } catch (error) {
    return { error: `regex parse error: ${shown(read.value)} error: ${reasonOf(error as Error)}` }
  }
}

function reasonOf({ message }: Error): string {
  return reasons.find(([words]) => words.test(message))?.[1] ?? message
}

/** Flux draws a mark under the pattern and then removes it, with whatever else looks like one. */
function shown(pattern: string): string {
  return pattern.replaceAll('\n', '').replaceAll('    ', ' ').replaceAll('^', '')
}
