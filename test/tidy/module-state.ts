// What a module holds is the same from when it is loaded until the program ends: state belongs to objects that somebody
// makes and owns, so that two of them can live in one process, and a test begins with none. Found are variables at the
// top level of a file, constants there that the file itself changes, and collections that others could change.

import { functionsOf } from './functions.js'
import { isTest, partOf, type SourceFile, tokensOf } from './source.js'
import type { Tokens } from './tokens.js'

const scratch =
  'memory to work in: nothing in it outlasts a call, and made anew it would be most of the garbage'
const encodings = 'src/store/embedded/encoding'

function sameReason(
  path: string,
  names: readonly string[],
  reason: string,
): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`${path} ${name}`, reason]))
}

/** The few that are, with the reason. Each must still be needed. */
export const allowed: Readonly<Record<string, string>> = {
  ...sameReason(`${encodings}/string-block.ts`, ['distinct'], scratch),
  ...sameReason(`${encodings}/time-block.ts`, ['sample'], scratch),
  ...sameReason(`${encodings}/codec.ts`, ['kernelModule', 'current'], scratch),
  ...sameReason('src/line-protocol/line-kernels.ts', ['current', 'isPossible'], scratch),
  ...sameReason('src/store/embedded/wal/record.ts', ['floats', 'narrow16', 'narrow32'], scratch),
  ...sameReason(
    `${encodings}/regular-times.ts`,
    ['bases', 'steps', 'counts', 'columns', 'next'],
    'columns that follow from three numbers, for all reads of a thread; 0.5 MB at most',
  ),
  'src/result/byte-writer.ts spares':
    'buffers of finished answers, at most eight: whose they were is written over',
  'src/column/zone.ts zones': "what Intl says of a zone, a fact of the machine's; bounded",
  'src/flux/stdlib/internal/gen/go-random.ts cooked':
    'a constant that is computed where it is needed first',
  ...sameReason(
    'src/platform/spare-memory.ts',
    ['owners', 'hasWorked'],
    'whose memory goes back when the process is quiet: of the process, as its heap is',
  ),
  'src/platform/turns.ts sharedEndsAt':
    "when the thread's turn ends: of the thread, as its event loop is",
}

const changing =
  'add set delete clear push pop shift unshift splice sort reverse fill copyWithin'.split(' ')
const operators = [...'+-*/%|&^?']
const collections = ['Map', 'Set', 'WeakMap', 'WeakSet']

export function checkModuleState(
  files: readonly SourceFile[],
  exceptions: Readonly<Record<string, string>> = allowed,
): string[] {
  const findings: string[] = []
  const used = new Set<string>()
  for (const file of files) {
    if (partOf(file.path) === undefined || isTest(file.path)) continue
    for (const { name, line, what } of stateOf(file)) {
      const key = `${file.path} ${name}`
      if (exceptions[key] === undefined) findings.push(`${file.path}:${line}: ${name} ${what}`)
      used.add(key)
    }
  }
  for (const key of Object.keys(exceptions)) {
    if (!used.has(key)) findings.push(`${key} is allowed to be state of a module, but is none`)
  }
  return findings
}

interface Finding {
  readonly name: string
  readonly line: number
  readonly what: string
}

function stateOf(file: SourceFile): Finding[] {
  const findings: Finding[] = []
  const tokens = tokensOf(file)
  const { list, partner } = tokens
  const changed = changedNames(file, tokens)
  for (let i = 0; i < list.length; i++) {
    const { kind, text, line } = list[i]
    if (kind === 'mark' && partner[i] > i) i = partner[i]
    if (kind !== 'word') continue
    const name = list[i + 1]?.text
    if (text === 'let' || text === 'var') {
      findings.push({ name, line, what: 'is a variable of the module' })
    }
    if (text !== 'const' || list[i - 1]?.text === 'as') continue
    if (list[i - 1]?.text === 'export' && isOpenCollection(tokens, i)) {
      findings.push({ name, line, what: 'can be changed by whoever imports it' })
    } else if (changed.has(name)) {
      findings.push({ name, line, what: 'is changed while the program runs' })
    }
  }
  return findings
}

/** Of all that functions of the file change, what is declared once: the others may be variables of their own. */
function changedNames(file: SourceFile, tokens: Tokens): Set<string> {
  const functions = functionsOf(file)
  const isInFunction = (line: number) =>
    functions.some((its) => line >= its.line && line < its.line + its.lines)
  const declarations = new Map<string, number>()
  const changed = new Set<string>()
  tokens.list.forEach(({ text, line }, at) => {
    const before = tokens.list[at - 1]?.text
    if (before === 'const' || before === 'let') {
      declarations.set(text, (declarations.get(text) ?? 0) + 1)
    }
    if (isChangedAt(tokens, at) && isInFunction(line)) changed.add(text)
  })
  for (const [name, count] of declarations) if (count > 1) changed.delete(name)
  return changed
}

/** `const name = new Map(…)` without a type of its own in front, which would be a readonly one. */
function isOpenCollection({ list }: Tokens, at: number): boolean {
  const [, , equals, made, type] = list.slice(at, at + 5)
  return equals?.text === '=' && made?.text === 'new' && collections.includes(type?.text)
}

/** `name.push(…)`, `name[i] = …`, `name.member = …`. Where a pattern goes on is set before each use. */
function isChangedAt({ list, partner }: Tokens, at: number): boolean {
  if (list[at].kind !== 'word' || list[at - 1]?.text === '.') return false
  const next = list[at + 1]?.text
  if (next === '.' || next === '?.') {
    const member = list[at + 2]?.text
    if (member === 'lastIndex') return false
    return (changing.includes(member) && list[at + 3]?.text === '(') || isAssigned(list, at + 3)
  }
  return next === '[' && isAssigned(list, partner[at + 1] + 1)
}

function isAssigned(list: Tokens['list'], at: number): boolean {
  const [first, second, third] = [0, 1, 2].map((i) => list[at + i]?.text)
  if (first === '++' || first === '--') return true
  if (first === '=') return second !== '='
  const isOperator = first !== undefined && operators.includes(first)
  return isOperator && (second === '=' || (second === first && third === '='))
}
