// What a file imports: statically, dynamically, by re-export, as a type, or as the entry of a worker. And how it says
// so: relative paths with their extension, built-in modules with `node:`.

import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { matches, type SourceFile, tokensOf } from './source.js'
import type { Tokens } from './tokens.js'

export interface Import {
  readonly specifier: string
  readonly line: number
}

export function importsOf(file: SourceFile): Import[] {
  const tokens = tokensOf(file)
  const found: Import[] = []
  tokens.list.forEach((token, index) => {
    if (token.kind !== 'word' || matches(tokens, index - 1, ['.'])) return
    const target = specifierAfter(tokens, index)
    const specifier = target < 0 ? undefined : tokens.list[target]
    if (specifier?.kind === 'string') found.push({ specifier: specifier.text, line: token.line })
  })
  return found
}

/** Where the path stands that the word at `at` imports from; -1 where it imports nothing. */
function specifierAfter(tokens: Tokens, at: number): number {
  switch (tokens.list[at].text) {
    case 'import':
      if (tokens.list[at + 1]?.kind === 'string') return at + 1
      return matches(tokens, at + 1, ['(']) ? at + 2 : pathAfterFrom(tokens, at + 1)
    case 'export':
      return pathAfterFrom(tokens, at + 1)
    case 'new':
      return workerEntry(tokens, at)
    default:
      return -1
  }
}

/** Only names, braces, commas and a star may stand between `import` or `export` and `from`. */
function pathAfterFrom(tokens: Tokens, at: number): number {
  const { list, partner } = tokens
  for (let index = at; index < list.length; index++) {
    const { kind, text } = list[index]
    if (text === 'from' && list[index + 1]?.kind === 'string') return index + 1
    if (text === '{') index = partner[index]
    else if (kind === 'word' ? declarations.has(text) : text !== ',' && text !== '*') return -1
  }
  return -1
}

// What an export begins with that is no re-export, and what can only begin the next statement.
const declarations = new Set(
  'const let var function class interface enum abstract async declare default import export'.split(
    ' ',
  ),
)

/** The path in `new URL('./x.js', import.meta.url)`. */
function workerEntry(tokens: Tokens, at: number): number {
  const isEntry =
    matches(tokens, at, ['new', 'URL', '(']) &&
    matches(tokens, at + 4, [',', 'import', '.', 'meta', '.', 'url']) &&
    /\.m?[jt]s$/.test(tokens.list[at + 3].text)
  return isEntry ? at + 3 : -1
}

export function isRelative(specifier: string): boolean {
  return /^\.\.?(\/|$)/.test(specifier)
}

/** The file that a relative import means: `./x.js` in `src/a/b.ts` → `src/a/x.ts`. */
export function targetOf(file: SourceFile, specifier: string): string {
  const path = posix.join(posix.dirname(file.path), specifier)
  return path.replace(/\.js$/, '.ts')
}

/** `@scope/name/file` → `@scope/name`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

export function checkImportForm(files: readonly SourceFile[]): string[] {
  const findings: string[] = []
  for (const file of files) {
    for (const { specifier, line } of importsOf(file)) {
      if (isRelative(specifier) && !/\.(js|mjs|json|flux|wasm)$/.test(specifier)) {
        findings.push(`${file.path}:${line}: import of ${specifier} lacks its .js extension`)
      }
      if (!specifier.startsWith('node:') && builtinModules.includes(specifier)) {
        findings.push(`${file.path}:${line}: import ${specifier} as node:${specifier}`)
      }
    }
  }
  return findings
}
