// Tests as text: a file of cases, each a command, its input and the output it must give. The format:
//
//     # What this file proves. The first line is always such a comment.
//
//     name key=value key=(a, b) key="quoted value" flag
//     input, over as many lines as it takes
//     ----
//     expected output, up to a blank line
//
// Output with blank lines stands between two doubled fences (`----` twice). With MILLRACE_REWRITE=1 the file is
// rewritten with the outputs that came, and nothing fails.
//
// `{A once, B twice}` in an output is A where x × y + z is rounded once, on ARM, and B where it is rounded twice, on
// x86 (src/query/multiply-add.ts).

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

export interface DataDrivenCase {
  readonly command: string
  /** A flag has no values, `key=value` has one. */
  readonly args: Map<string, string[]>
  readonly input: string
  /** Line of the command, counted from 1. */
  readonly line: number
}

export type DataDrivenHandler = (c: DataDrivenCase) => Promise<string> | string

interface ParsedCase extends DataDrivenCase {
  readonly expected: string
  /** Lines of the expected output with its fences, as indexes: [start, end). */
  readonly outputStart: number
  readonly outputEnd: number
}

const fence = '----'

/** The `*.test` files in the folder and below it, sorted. */
export function dataDrivenFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.test'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()
}

/** Whether an output will do. */
export type DataDrivenCompare = (actual: string, expected: string, c: DataDrivenCase) => boolean

const isEqual: DataDrivenCompare = (actual, expected) => actual === expected

/** Runs the cases of a file one after the other and throws at the first whose output differs. */
export async function runDataDriven(
  path: string,
  handler: DataDrivenHandler,
  isGood = isEqual,
): Promise<void> {
  const lines = readFileSync(path, 'utf8').split('\n')
  const cases = parse(path, lines)
  const rewrite = process.env.MILLRACE_REWRITE === '1'
  const rewritten: string[] = []
  let kept = 0
  for (const c of cases) {
    const actual = await outputOf(path, handler, c)
    const expected = expectedHere(c.expected)
    if (rewrite) {
      // What holds for both kinds of machines stays.
      const kind = actual === expected ? c.expected : actual
      rewritten.push(...lines.slice(kept, c.outputStart), ...print(path, c.line, kind))
      kept = c.outputEnd
      if (kept < lines.length && lines[kept] !== '') rewritten.push('')
    } else if (!isGood(actual, expected, c)) {
      throw mismatch(path, { ...c, expected }, actual)
    }
  }
  if (!rewrite) return
  const text = [...rewritten, ...lines.slice(kept)].join('\n')
  if (text !== lines.join('\n')) writeFileSync(path, text.endsWith('\n') ? text : `${text}\n`)
}

/** As this kind of machine rounds. */
export function expectedHere(expected: string, arch: string = process.arch): string {
  const pattern = /\{(\S+) once, (\S+) twice\}/g
  return expected.replaceAll(pattern, arch === 'arm64' ? '$1' : '$2')
}

async function outputOf(path: string, handler: DataDrivenHandler, c: DataDrivenCase) {
  try {
    return (await handler(c)).replace(/\n$/, '')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`${path}:${c.line}: ${c.command} threw: ${reason}`, { cause })
  }
}

function mismatch(path: string, c: ParsedCase, actual: string): Error {
  const indent = (text: string) => text.replaceAll(/^/gm, '    ')
  const message =
    `${path}:${c.line}: ${c.command} gave another output than expected\n` +
    `  expected:\n${indent(c.expected)}\n  actual:\n${indent(actual)}`
  // The two properties are what test runners make their coloured comparison from.
  return Object.assign(new Error(message), { name: 'AssertionError', expected: c.expected, actual })
}

function parse(path: string, lines: readonly string[]): ParsedCase[] {
  if (!lines[0].startsWith('#')) {
    throw new Error(`${path}:1: the first line must be a comment that says what the file proves`)
  }
  const cases: ParsedCase[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]
    if (line.trim() === '' || line.startsWith('#')) {
      at++
      continue
    }
    const parsed = parseCase(path, lines, at)
    cases.push(parsed)
    at = parsed.outputEnd
  }
  return cases
}

function parseCase(path: string, lines: readonly string[], at: number): ParsedCase {
  const line = at + 1
  const divider = lines.indexOf(fence, at + 1)
  if (divider < 0) throw new Error(`${path}:${line}: no ${fence} after this command`)
  const input = lines.slice(at + 1, divider).join('\n')
  const outputStart = divider + 1
  const { command, args } = parseCommand(path, line, lines[at])
  const common = { command, args, input, line, outputStart }
  if (lines[outputStart] !== fence) {
    let outputEnd = outputStart
    while (outputEnd < lines.length && lines[outputEnd] !== '') outputEnd++
    return { ...common, outputEnd, expected: lines.slice(outputStart, outputEnd).join('\n') }
  }
  const first = outputStart + 1
  let end = first
  while (end < lines.length && !(lines[end] === fence && lines[end + 1] === fence)) end++
  if (end >= lines.length) throw new Error(`${path}:${line}: the doubled ${fence} is never closed`)
  return { ...common, outputEnd: end + 2, expected: lines.slice(first, end).join('\n') }
}

function parseCommand(path: string, line: number, text: string) {
  const args = new Map<string, string[]>()
  const command = /^\S+/.exec(text)?.[0] ?? ''
  // A key, then nothing, a list in parentheses, a quoted value or a plain one.
  const argument = /\s+([\w.-]+)(?:=(?:\(([^)]*)\)|"((?:[^"\\]|\\.)*)"|([^\s"(]\S*)?))?(?=\s|$)/y
  argument.lastIndex = command.length
  const end = text.trimEnd().length
  while (argument.lastIndex < end) {
    const from = argument.lastIndex
    const match = argument.exec(text)
    if (match === null) {
      throw new Error(`${path}:${line}: cannot read the arguments from here: ${text.slice(from)}`)
    }
    const [whole, key, list, quoted, plain] = match
    if (args.has(key)) throw new Error(`${path}:${line}: argument ${key} is given twice`)
    args.set(key, valuesOf(whole.includes('='), list, quoted, plain))
  }
  return { command, args }
}

function valuesOf(hasValue: boolean, list?: string, quoted?: string, plain?: string): string[] {
  if (!hasValue) return []
  if (list !== undefined) return list.trim() === '' ? [] : list.split(',').map((x) => x.trim())
  if (quoted !== undefined) return [quoted.replaceAll(/\\(.)/g, '$1')]
  return [plain ?? '']
}

/** The output as it stands in a file, with fences where it needs them. */
function print(path: string, line: number, output: string): string[] {
  if (output === '') return []
  const lines = output.split('\n')
  if (!lines.includes('') && lines[0] !== fence) return lines
  // With the first closing fence in place: an output that ends in a fence is misread as well.
  if (`\n${output}\n${fence}\n`.includes(`\n${fence}\n${fence}\n`)) {
    throw new Error(`${path}:${line}: this output looks like its own closing fence`)
  }
  return [fence, ...lines, fence, fence]
}
