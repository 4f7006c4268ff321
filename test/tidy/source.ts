// The files that the tidy checks look at, and their tokens. A check is a pure function from such files to
// findings, each a line `path:line: what is wrong`, so that it can be tried on made-up files.

import { readdirSync, readFileSync } from 'node:fs'
import { type Tokens, tokenize } from './tokens.js'

export interface SourceFile {
  /** From the root of the project, with `/`. */
  readonly path: string
  readonly text: string
  readonly lines: readonly string[]
}

export function source(path: string, text: string): SourceFile {
  return { path, text, lines: text.split('\n') }
}

/** Every TypeScript and JavaScript file in these folders, sorted by path; a folder that is missing has none. */
export function readSources(
  root: string,
  folders: readonly string[],
  names = /\.(ts|mts|js|mjs)$/,
): SourceFile[] {
  const files: SourceFile[] = []
  for (const folder of folders) {
    for (const name of namesIn(`${root}/${folder}`)) {
      if (!names.test(name)) continue
      const path = `${folder}/${name.replaceAll('\\', '/')}`
      files.push(source(path, readFileSync(`${root}/${path}`, 'utf8')))
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}

/** Tests, and contract suites that tests run. */
export function isTest(path: string): boolean {
  return path.startsWith('test/') || /(\.test|-contract)\.ts$/.test(path)
}

/**
 * The part of src that a file belongs to: `src/store/embedded/x.ts` → `store`, `src/config.ts` and its test
 * `src/config.test.ts` → `config.ts`.
 */
export function partOf(path: string): string | undefined {
  const [top, part] = path.split('/')
  return top === 'src' ? part.replace(/\.test\.ts$/, '.ts') : undefined
}

const scanned = new WeakMap<SourceFile, Tokens>()

export function tokensOf(file: SourceFile): Tokens {
  let tokens = scanned.get(file)
  if (tokens === undefined) {
    try {
      tokens = tokenize(file.text)
    } catch (cause) {
      throw new Error(`${file.path}: cannot be read: ${(cause as Error).message}`, { cause })
    }
    scanned.set(file, tokens)
  }
  return tokens
}

/** Whether the tokens from `at` on have these texts, none of them as the content of a string. */
export function matches(tokens: Tokens, at: number, texts: readonly string[]): boolean {
  return texts.every((text, offset) => {
    const token = tokens.list[at + offset]
    return token?.text === text && (token.kind === 'word' || token.kind === 'mark')
  })
}
