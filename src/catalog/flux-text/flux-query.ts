// A query that somebody wrote, made ready to run in a task: it looks back as far as the task wants,
// has no end of its own, and its result gets a name instead of going to the caller. Done on the
// tokens of the text, so that whatever else the query says stays as it was written.
//
//   a replacement for the value of every property `start` and `every`, nothing but `start` in
//   `range`, `createEmpty: false` in `aggregateWindow` (or that step gone), a last `yield` gone

import { UserError } from '../../errors.js'
import { depthChange, FluxProperties } from './flux-properties.js'
import { type FluxToken, fluxStringValue, fluxTokens } from './flux-tokens.js'

export interface QueryChange {
  /** How far to look back, and how long windows are. */
  readonly durationText: string
  readonly windows: 'kept' | 'dropped'
}

export interface TaskQuery {
  /** As they were written, each on its own. */
  readonly imports: readonly string[]
  /** Options and variables that stand before the result. */
  readonly prelude: readonly string[]
  /** The steps of the result, without the `|>` between them. Never empty. */
  readonly steps: readonly string[]
  /** The names that `_field` is compared with, in the order of the text. */
  readonly fields: readonly string[]
}

export function taskQuery(source: string, change: QueryChange): TaskQuery {
  requireClosed(fluxTokens(source))
  const changed = applyEdits(source, editsOf(source, change))
  const statements = statementsOf(changed)
  const imports = statements.filter((one) => /^import\b/.test(one))
  const body = statements.filter((one) => !/^(import|package)\b/.test(one))
  const results = body.filter((one) => !isDefinition(one))
  const last = body.at(-1)
  if (last === undefined || results.length !== 1 || last !== results[0]) {
    const found = `received ${results.length}`
    throw new UserError('invalid', `expected a query that ends in its one result, ${found}`)
  }
  const steps = stepsOf(last, change.windows)
  if (steps.includes('')) throw new UserError('invalid', 'the query has an empty step')
  return { imports, prelude: body.slice(0, -1), steps, fields: fieldsOf(source) }
}

/** An open end would swallow what is put behind the query. */
function requireClosed(tokens: readonly FluxToken[]): void {
  const open: string[] = []
  for (const token of tokens) {
    if (token.kind !== 'sign') continue
    if (token.text === '"') throw new UserError('invalid', 'a quote in the query is not closed')
    const change = depthChange(token)
    if (change > 0) open.push(token.text)
    if (change < 0 && open.pop() !== opening[token.text]) {
      throw new UserError('invalid', `unexpected ${token.text} in the query`)
    }
  }
  if (open.length > 0) throw new UserError('invalid', `${open.at(-1)} in the query is not closed`)
}

const opening: Readonly<Record<string, string | undefined>> = { ')': '(', ']': '[', '}': '{' }

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

function editsOf(source: string, { durationText }: QueryChange): Edit[] {
  const tokens = fluxTokens(source)
  const nested = new FluxProperties(tokens)
  const edits: Edit[] = []
  for (let index = 0; index < tokens.length; index++) {
    const key = nested.keyAt(index)
    if (key === 'start' || key === 'every') {
      const { start, end, next } = nested.valueAt(index + 2)
      edits.push({ start, end, text: key === 'start' ? `-${durationText}` : durationText })
      index = next - 1
    } else if (isCall(tokens, index, 'range')) {
      const hasStart = nested.within(index + 1).some((property) => property.key === 'start')
      const close = nested.closing(index + 1)
      const args = hasStart ? `start: -${durationText}` : ''
      edits.push({ start: tokens[index + 1].end, end: tokens[close].start, text: args })
      index = close
    } else if (isCall(tokens, index, 'aggregateWindow')) {
      const keys = nested.within(index + 1).map((property) => property.key)
      const close = nested.closing(index + 1)
      const comma = keys.length > 0 ? ', ' : ''
      if (keys.includes('createEmpty')) continue
      const [start, end] = [tokens[close - 1].end, tokens[close].start]
      edits.push({ start, end, text: `${comma}createEmpty: false` })
    }
  }
  return edits
}

/** A function called by its own name, not one of a package. */
function isCall(tokens: readonly FluxToken[], index: number, name: string): boolean {
  const { kind, text } = tokens[index]
  if (kind !== 'word' || text !== name || tokens[index + 1]?.text !== '(') return false
  return tokens[index - 1]?.text !== '.'
}

function applyEdits(source: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  const sorted = [...edits].sort((a, b) => a.start - b.start)
  for (const { start, end, text } of sorted) {
    result += source.slice(at, start) + text
    at = end
  }
  return result + source.slice(at)
}

/** `r._field == "f"` or `r["_field"] == "f"`, with any comparison. */
function fieldsOf(source: string): string[] {
  const tokens = fluxTokens(source)
  const fields: string[] = []
  tokens.forEach((token, index) => {
    let next = index + 1
    const isDotted = token.text === '_field' && tokens[index - 1]?.text === '.'
    if (!isDotted) {
      const isString = token.kind === 'string' && fluxStringValue(token.text) === '_field'
      if (!isString || tokens[index - 1]?.text !== '[' || tokens[next]?.text !== ']') return
      next++
    }
    if (!isComparison(tokens[next])) return
    while (isComparison(tokens[next])) next++
    const value: FluxToken | undefined = tokens[next]
    if (value?.kind === 'string') fields.push(fluxStringValue(value.text))
  })
  return fields
}

function isComparison(token: FluxToken | undefined): boolean {
  return token?.kind === 'sign' && '=!<>'.includes(token.text)
}

/** Words that go on with what stands before them. */
const joints = new Set(['and', 'or', 'then', 'else'])
/** Words that something has to follow. */
const openers = new Set([...joints, 'not', 'exists', 'if', 'return', 'option', 'import', 'package'])

/**
 * Statements have no sign between them: one begins with a word behind something that was complete.
 */
function statementsOf(source: string): string[] {
  const tokens = fluxTokens(source)
  const starts: number[] = []
  let depth = 0
  tokens.forEach((token, index) => {
    const before: FluxToken | undefined = tokens[index - 1]
    const isFirst =
      before === undefined || (token.kind === 'word' && isComplete(source, before, token))
    if (depth === 0 && isFirst && !joints.has(token.text)) starts.push(index)
    depth += depthChange(token)
  })
  return starts.map((from, number) => {
    const to = starts[number + 1] ?? tokens.length
    const end = tokens[to]?.start ?? source.length
    return spaced(source.slice(0, end), tokens.slice(from, to))
  })
}

function isComplete(source: string, before: FluxToken, after: FluxToken): boolean {
  if (regexIn(source.slice(before.end, after.start)) !== undefined) return true
  if (before.kind === 'sign') return ')]}'.includes(before.text)
  return before.kind !== 'word' || !openers.has(before.text)
}

/** Without comments, and with single blanks where lines were broken. */
function spaced(source: string, tokens: readonly FluxToken[]): string {
  let result = ''
  tokens.forEach((token, index) => {
    const next: FluxToken | undefined = tokens[index + 1]
    result += token.text + gapText(source.slice(token.end, next?.start), token, next)
  })
  return result.trim()
}

/** What stands between two tokens: blanks, comments, or a regular expression. */
function gapText(gap: string, before: FluxToken, after: FluxToken | undefined): string {
  const regex = regexIn(gap)
  if (regex !== undefined) {
    const isClosed = after === undefined || ')]},'.includes(after.text)
    return ` ${regex}${isClosed ? '' : ' '}`
  }
  if (after === undefined) return ''
  if (!gap.includes('\n')) return gap
  const isInside = '([{'.includes(before.text) || ')]}'.includes(after.text)
  return isInside ? '' : ' '
}

function regexIn(gap: string): string | undefined {
  return /^\s*(\/(?:[^/\\\n]|\\.)+\/)/.exec(gap)?.[1]
}

function isDefinition(statement: string): boolean {
  return /^option\b/.test(statement) || /^[\p{L}_][\p{L}\p{N}_]*\s*=(?![=~])/u.test(statement)
}

function stepsOf(statement: string, windows: QueryChange['windows']): string[] {
  const tokens = fluxTokens(statement)
  const steps: string[] = []
  let depth = 0
  let from = 0
  tokens.forEach((token, index) => {
    if (depth === 0 && token.text === '|' && tokens[index + 1]?.text === '>') {
      steps.push(statement.slice(from, token.start).trim())
      from = tokens[index + 1].end
    }
    depth += depthChange(token)
  })
  steps.push(statement.slice(from).trim())
  const kept = steps.filter((one, index) => {
    const isYield = /^yield\s*\(/.test(one) && index === steps.length - 1
    const isWindow = windows === 'dropped' && /^aggregateWindow\s*\(/.test(one)
    return index === 0 || !(isYield || isWindow)
  })
  return kept
}
