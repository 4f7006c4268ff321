// The UI's own ladder: pages see parts, charts, editors and tables, these see questions and requests, and pages never
// meet. Of the program it sees what is listed here and nothing else.

import { posix } from 'node:path'
import type { SourceFile } from './source.js'

/** From the bottom up; whatever is not named is a page. */
const rungs: readonly (readonly string[])[] = [
  ['api'],
  ['query'],
  ['parts'],
  ['chart', 'editor', 'table', 'shell'],
]

const allowedOfProgram = ['src/influxql/syntax/', 'src/flux/syntax/', 'src/line-protocol/']

export function checkUiLadder(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const part = partOf(file.path)
    // `app.tsx` joins everything.
    if (part === undefined) return []
    return [...file.text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].flatMap(
      ([, specifier]) => {
        const target = posix.join(posix.dirname(file.path), specifier)
        const reason = refusal(part, target)
        return reason === undefined ? [] : [`${file.path}: imports ${target}: ${reason}`]
      },
    )
  })
}

function partOf(path: string): string | undefined {
  const [, part, file] = /^ui\/src\/([^/]+)\/(.+)$/.exec(path) ?? []
  return file === undefined ? undefined : part
}

function refusal(part: string, target: string): string | undefined {
  const other = partOf(target)
  if (other === undefined) {
    const isAllowed = allowedOfProgram.some((folder) => target.startsWith(folder))
    return isAllowed ? undefined : 'is no part of the UI'
  }
  if (other === part) return undefined
  const [own, below] = [rungOf(part), rungOf(other)]
  if (below < own) return undefined
  return below === own ? 'siblings never meet' : 'stands above it'
}

function rungOf(part: string): number {
  const rung = rungs.findIndex((parts) => parts.includes(part))
  return rung < 0 ? rungs.length : rung
}
