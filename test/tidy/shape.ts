// The outer shape of files: how they are named, how they open, how long they and their lines may be, and what must not
// be left in them.

import { matches, type SourceFile, tokensOf } from './source.js'

const lineColumnsMax = 120
const fileLinesMax = 600
const openingLinesMin = 2

export function checkFileNames(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /(^|\/)(utils?|helpers?|common|misc)[./]/.test(path))
    .map(({ path }) => `${path}:1: a file is named by what it is about`)
}

export function checkOpenings(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => openingLines(file) < openingLinesMin)
    .map(({ path }) => `${path}:1: must open with ${openingLinesMin} or more lines on its role`)
}

/** How many lines of words the comment at the very top has. */
function openingLines(file: SourceFile): number {
  const text = file.text.replace(/^#!.*\n/, '')
  const comment = /^(?:\/\/.*\n?)+|^\/\*[\s\S]*?\*\//.exec(text)?.[0] ?? ''
  return comment.split('\n').filter((line) => /\p{L}/u.test(line)).length
}

export function checkLineWidths(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    file.lines.flatMap((line, index) =>
      line.length > lineColumnsMax
        ? [`${file.path}:${index + 1}: ${line.length} columns, at most ${lineColumnsMax}`]
        : [],
    ),
  )
}

/** A longer file says why in its first lines, after the word `length:`. */
export function checkFileLengths(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => lineCount(file) > fileLinesMax)
    .filter((file) => !file.lines.slice(0, 10).some((line) => line.includes('length:')))
    .map((file) => `${file.path}:1: ${lineCount(file)} lines, at most ${fileLinesMax}`)
}

function lineCount(file: SourceFile): number {
  return file.lines.length - (file.text.endsWith('\n') ? 1 : 0)
}

export function checkLeftovers(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    file.lines.flatMap((line, index) => {
      const marker = /\b(FIXME|TODO|XXX)\b/.exec(line)?.[0]
      return marker === undefined ? [] : [`${file.path}:${index + 1}: ${marker} left behind`]
    }),
  )
}

export function checkDefaultExports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const tokens = tokensOf(file)
    return tokens.list
      .filter((_, index) => matches(tokens, index, ['export', 'default']))
      .map(({ line }) => `${file.path}:${line}: default export`)
  })
}
