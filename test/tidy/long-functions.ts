// Functions stay under a screen or two. Those known to be longer stand in `long-functions.txt`, a list that may only
// shrink: an entry whose function is short now, or gone, is a finding too.

import { functionsOf } from './functions.js'
import { isTest, type SourceFile } from './source.js'

const functionLinesMax = 70

/** `known` has lines `path:function`; empty lines and those with `#` are for the reader. */
export function checkFunctionLengths(files: readonly SourceFile[], known: string): string[] {
  const entries = known.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const unused = new Set(entries)
  const findings: string[] = []
  for (const file of files) {
    for (const { name = '(anonymous)', line, lines } of functionsOf(file)) {
      if (lines <= functionLinesMax) continue
      // In a test, the callbacks of `describe` are chapters, not functions.
      if (name === '(anonymous)' && isTest(file.path)) continue
      if (unused.delete(`${file.path}:${name}`) || entries.includes(`${file.path}:${name}`))
        continue
      findings.push(`${file.path}:${line}: ${name} has ${lines} lines, at most ${functionLinesMax}`)
    }
  }
  const stale = [...unused].map(
    (entry) => `${entry} is not too long (any more): take it off the list`,
  )
  return [...findings, ...stale]
}
