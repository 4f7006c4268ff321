// The ladder: a part of src imports only from rungs below it and from itself. Parts on one rung never meet, except at
// the top, where the program is put together.

import { importsOf, isRelative, targetOf } from './imports.js'
import { isTest, partOf, type SourceFile } from './source.js'

/** From the bottom up. */
const rungs: readonly (readonly string[])[] = [
  ['errors.ts', 'config-values.ts'],
  ['platform', 'column', 'config.ts'],
  ['store', 'catalog', 'access', 'line-protocol', 'tsm'],
  ['query', 'formats'],
  ['influxql', 'flux', 'sql', 'result'],
  ['service'],
  ['alerts', 'migrate', 'backup'],
  ['http', 'flight', 'tasks', 'intake'],
  ['main.ts', 'cli', 'index.ts', 'background.ts'],
]

/** Parts that see less than everything below them. */
const narrower: Readonly<Record<string, readonly string[]>> = {
  'line-protocol': ['column', 'errors.ts'],
  tsm: ['column', 'errors.ts'],
  formats: ['line-protocol', 'column', 'errors.ts'],
}

/** Languages are the service's: a transport that knew one would have to be changed with it. */
const languages = ['influxql', 'flux', 'sql']
const forbidden: Readonly<Record<string, readonly string[]>> = {
  http: languages,
  flight: languages,
}

/** Meetings on one rung that are meant. */
const meetings: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['cli', 'index.ts'],
  cli: ['index.ts'],
  'index.ts': ['background.ts'],
}

export function checkLadder(files: readonly SourceFile[]): string[] {
  const findings: string[] = []
  for (const file of files) {
    const part = partOf(file.path)
    if (part === undefined) continue
    if (rungOf(part) < 0) {
      findings.push(`${file.path}:1: ${part} stands on no rung of the ladder`)
      continue
    }
    for (const { specifier, line } of importsOf(file)) {
      if (!isRelative(specifier)) continue
      const target = partOf(targetOf(file, specifier))
      const reason = target === undefined ? leavingSrc(file) : refusal(part, target, file)
      if (reason !== undefined) findings.push(`${file.path}:${line}: ${reason}`)
    }
  }
  return findings
}

function rungOf(part: string): number {
  return rungs.findIndex((parts) => parts.includes(part))
}

function leavingSrc(file: SourceFile): string | undefined {
  return isTest(file.path) ? undefined : 'imports a file outside src'
}

/** Why `part` may not import `target`; undefined where it may. */
function refusal(part: string, target: string, file: SourceFile): string | undefined {
  if (part === target) return undefined
  // Every test may draw on simulated disks, clocks and seeds.
  if (isTest(file.path) && target === 'platform') return undefined
  if (meetings[part]?.includes(target)) return undefined
  const from = rungOf(part)
  const to = rungOf(target)
  if (to < 0) return `imports ${target}, which stands on no rung of the ladder`
  if (to > from) return `${part} imports ${target}, which is above it`
  if (to === from) return `${part} imports ${target}, its sibling`
  if (forbidden[part]?.includes(target) && !isTest(file.path)) {
    return `${part} imports ${target}, which only the service knows`
  }
  const seen = narrower[part]
  if (seen !== undefined && !seen.includes(target) && !isTest(file.path)) {
    return `${part} imports ${target}, but may see only ${seen.join(' and ')}`
  }
  return undefined
}
