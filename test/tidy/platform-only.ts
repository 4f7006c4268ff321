// Disk, clock and randomness come from `platform`, passed in, so that tests can take their place: nothing else in src
// reaches for the system's own. Reading a configuration file is the command line's business, and allowed there.

import { importsOf } from './imports.js'
import { isTest, matches, partOf, type SourceFile, tokensOf } from './source.js'
import type { Tokens } from './tokens.js'

const systemMembers = [
  ['Date', 'now'],
  ['Math', 'random'],
  ['process', 'hrtime'],
]
const fileModules = ['node:fs', 'node:fs/promises']
const fileReaders = ['cli']

export function checkPlatformOnly(files: readonly SourceFile[]): string[] {
  const findings: string[] = []
  for (const file of files) {
    const part = partOf(file.path)
    if (part === undefined || part === 'platform' || isTest(file.path)) continue
    for (const { specifier, line } of importsOf(file)) {
      if (!fileModules.includes(specifier) || fileReaders.includes(part)) continue
      findings.push(`${file.path}:${line}: ${specifier} belongs in platform`)
    }
    const tokens = tokensOf(file)
    tokens.list.forEach(({ line }, index) => {
      const name = systemCall(tokens, index)
      if (name !== undefined) findings.push(`${file.path}:${line}: ${name} belongs in platform`)
    })
  }
  return findings
}

function systemCall(tokens: Tokens, at: number): string | undefined {
  if (matches(tokens, at, ['new', 'Date'])) {
    const hasArguments = matches(tokens, at + 2, ['(']) && !matches(tokens, at + 3, [')'])
    return hasArguments ? undefined : 'new Date()'
  }
  if (matches(tokens, at - 1, ['.'])) return undefined
  const member = systemMembers.find(([object, name]) => matches(tokens, at, [object, '.', name]))
  return member?.join('.')
}
