// Texts that the builder can show: read into its model, in each of the three languages. Nothing is guessed: what was
// read is printed again, and only a text that says the same, sign by sign but for spaces, quotes of names and the case
// of words, is taken for it.

import type { Language } from './language.js'
import { type Aggregate, aggregates, isComplete, type Model } from './model.js'
import { printModel } from './print.js'

/** Undefined: the builder cannot show it. */
export function readModel(text: string, language: Language, bucket: string): Model | undefined {
  const read = readText(text, language, bucket)
  return read.strangeAt === undefined ? read.model : undefined
}

/** The rest of a text from where it says something that the builder cannot show; undefined: it can show all of it. */
export function strangePart(text: string, language: Language, bucket: string): string | undefined {
  const { strangeAt } = readText(text, language, bucket)
  return strangeAt === undefined ? undefined : text.slice(strangeAt)
}

interface Read {
  readonly model?: Model
  /** Where in the text something stands that the builder would not write. */
  readonly strangeAt?: number
}

function readText(text: string, language: Language, bucket: string): Read {
  const tokens = tokensOf(text, language)
  if (tokens === undefined) return { strangeAt: 0 }
  const steps = new Steps(tokens)
  const model = languageReaders[language](steps, bucket)
  if (model === undefined || !isComplete(model)) {
    return { strangeAt: tokens[steps.at]?.at ?? text.length }
  }
  const printed = tokensOf(printModel(model, language), language) ?? []
  const other = tokens.findIndex((token, i) => !isSameToken(token, printed[i]))
  if (other < 0 && tokens.length === printed.length) return { model }
  return { strangeAt: tokens[other]?.at ?? text.length }
}

/** A name, a quoted text, or a sign; words are names until somebody asks for a word. */
interface Token {
  readonly kind: 'name' | 'text' | 'sign'
  readonly value: string
  readonly isQuoted?: boolean
  /** Where it begins in the text. */
  readonly at: number
}

const otherPattern = /\s+|'((?:[^'\\]|\\.|'')*)'|"((?:[^"\\]|\\.|"")*)"|(\$?\w+)|([^\s\w$'"])/gy
const fluxPattern = /\s+|"((?:[^"\\]|\\.)*)"|(\w+)|(\|>|=>|==|[^\s\w"])/gy

function tokensOf(text: string, language: Language): Token[] | undefined {
  return language === 'flux' ? fluxTokens(text) : otherTokens(text, language)
}

function otherTokens(text: string, language: Language): Token[] | undefined {
  const tokens: Token[] = []
  let end = 0
  for (const found of text.matchAll(otherPattern)) {
    const { index: at } = found
    end = at + found[0].length
    const [, quoted, name, word, sign] = found
    if (quoted !== undefined) tokens.push({ kind: 'text', value: plain(quoted, "'", language), at })
    else if (name !== undefined) {
      tokens.push({ kind: 'name', value: plain(name, '"', language), isQuoted: true, at })
    } else if (word !== undefined) tokens.push({ kind: 'name', value: word, at })
    else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign, at })
  }
  return end === text.length ? tokens : undefined
}

function plain(inner: string, quote: string, language: Language): string {
  if (language === 'sql') return inner.replaceAll(quote + quote, quote)
  return inner.replaceAll('\\n', '\n').replace(/\\(.)/g, '$1')
}

function fluxTokens(text: string): Token[] | undefined {
  const tokens: Token[] = []
  let end = 0
  for (const found of text.matchAll(fluxPattern)) {
    const { index: at } = found
    end = at + found[0].length
    const [, quoted, word, sign] = found
    if (quoted !== undefined) {
      const value = fluxText(quoted)
      if (value === undefined) return undefined
      tokens.push({ kind: 'text', value, at })
    } else if (word !== undefined) tokens.push({ kind: 'name', value: word, at })
    else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign, at })
  }
  return end === text.length ? withDots(tokens) : undefined
}

function fluxText(inner: string): string | undefined {
  try {
    return JSON.parse(`"${inner.replaceAll('\\${', '${')}"`) as string
  } catch {
    return undefined
  }
}

/** `r.host` is written as `r["host"]`, which says the same. */
function withDots(tokens: readonly Token[]): Token[] {
  const list: Token[] = []
  for (let i = 0; i < tokens.length; i++) {
    const [dot, name] = [tokens[i + 1], tokens[i + 2]]
    list.push(tokens[i])
    if (tokens[i].value !== 'r' || dot?.value !== '.' || name?.kind !== 'name') continue
    const { value, at } = name
    list.push({ kind: 'sign', value: '[', at }, { kind: 'text', value, at })
    list.push({ kind: 'sign', value: ']', at })
    i += 2
  }
  return list
}

function isSameToken(a: Token, b: Token | undefined): boolean {
  if (a.kind !== b?.kind) return false
  if (a.value === b.value) return true
  // Words of a language have no case; names have, quoted or not.
  const isWord = a.kind === 'name' && a.isQuoted !== true && b.isQuoted !== true
  return isWord && a.value.toLowerCase() === b.value.toLowerCase()
}

/** Goes over tokens; a step that does not fit gives undefined, and the reader gives up. */
class Steps {
  at = 0
  readonly #tokens: readonly Token[]

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  isWord(word: string, offset = 0): boolean {
    const token = this.#tokens[this.at + offset]
    return token?.isQuoted !== true && token?.kind !== 'text' && isEqual(token?.value, word)
  }

  take(...words: readonly string[]): boolean {
    if (!words.every((word, i) => this.isWord(word, i))) return false
    this.at += words.length
    return true
  }

  next(kind: Token['kind']): string | undefined {
    const token = this.#tokens[this.at]
    if (token?.kind !== kind) return undefined
    this.at++
    return token.value
  }

  /** Where the words come next. */
  skipTo(...words: readonly string[]): boolean {
    const { at } = this
    while (this.at < this.#tokens.length) {
      if (this.take(...words)) return true
      this.at++
    }
    this.at = at
    return false
  }
}

function isEqual(value: string | undefined, word: string): boolean {
  return value?.toLowerCase() === word.toLowerCase()
}

type Reader = (steps: Steps, bucket: string) => Model | undefined

function aggregateNamed(name: string | undefined): Aggregate | undefined {
  return aggregates.find((one) => one !== 'none' && one === name?.toLowerCase())
}

interface Conditions {
  readonly filters: Model['filters']
}

/** `AND "tag" = 'a'`, `AND ("tag" = 'a' OR …)` and `AND "tag" IN ('a', …)`, as often as they come. */
function readConditions(steps: Steps): Conditions {
  const filters: { tag: string; values: string[] }[] = []
  while (steps.take('AND')) {
    const isGroup = steps.take('(')
    const tag = steps.next('name')
    if (tag === undefined) break
    const values: string[] = []
    const isList = steps.take('IN', '(')
    if (!isList) steps.take('=')
    for (;;) {
      const value = steps.next('text')
      if (value === undefined) break
      values.push(value)
      if (isList ? !steps.take(',') : !steps.take('OR')) break
      if (isList) continue
      steps.next('name')
      steps.take('=')
    }
    if (isGroup || isList) steps.take(')')
    filters.push({ tag, values })
  }
  return { filters }
}

function readNames(steps: Steps): string[] {
  const names: string[] = []
  do {
    const name = steps.next('name')
    if (name === undefined) break
    names.push(name)
  } while (steps.take(','))
  return names
}

const readInfluxql: Reader = (steps, bucket) => {
  if (!steps.take('SELECT')) return undefined
  const fields: string[] = []
  let aggregate: Aggregate = 'none'
  do {
    const name = steps.next('name')
    const isCall = steps.take('(')
    if (isCall) aggregate = aggregateNamed(name) ?? 'none'
    const field = isCall ? steps.next('name') : name
    if (isCall && steps.take(')') && steps.take('AS')) steps.next('name')
    if (field === undefined) return undefined
    fields.push(field)
  } while (steps.take(','))
  const measurement = steps.take('FROM') ? steps.next('name') : undefined
  if (measurement === undefined || !steps.take('WHERE', '$timeFilter')) return undefined
  const { filters } = readConditions(steps)
  let groups: string[] = []
  if (steps.take('GROUP', 'BY')) {
    if (steps.take('time', '(', '$window', ')')) steps.take(',')
    if (!steps.isWord('fill')) groups = readNames(steps)
  }
  return { bucket, measurement, fields, filters, aggregate, groups }
}

const sqlAggregates: Readonly<Record<string, Aggregate>> = {
  avg: 'mean',
  max: 'max',
  min: 'min',
  sum: 'sum',
  count: 'count',
  selector_first: 'first',
  selector_last: 'last',
}

const readSql: Reader = (steps, bucket) => {
  if (!steps.take('SELECT')) return undefined
  const isWindowed = steps.take('date_bin', '(', '$window', ',', 'time', ')', 'AS', 'time')
  if (!isWindowed && !steps.take('time')) return undefined
  const [fields, plainNames]: [string[], string[]] = [[], []]
  let aggregate: Aggregate = 'none'
  while (steps.take(',')) {
    const name = steps.next('name')
    if (name === undefined) return undefined
    if (!steps.take('(')) {
      plainNames.push(name)
      continue
    }
    aggregate = sqlAggregates[name.toLowerCase()] ?? 'none'
    const field = steps.next('name')
    if (field === undefined || !steps.skipTo('AS')) return undefined
    steps.next('name')
    fields.push(field)
  }
  const measurement = steps.take('FROM') ? steps.next('name') : undefined
  const range = ['WHERE', 'time', '>', '=', '$from', 'AND', 'time', '<', '$to']
  if (measurement === undefined || !steps.take(...range)) return undefined
  const { filters } = readConditions(steps)
  // Without functions nothing tells tags from fields.
  if (!isWindowed) return undefined
  return { bucket, measurement, fields, filters, aggregate, groups: plainNames }
}

/** `r["key"] == "value" or …`, of one key. */
function readFluxFilter(steps: Steps): { key: string; values: string[] } | undefined {
  if (!steps.take('filter', '(', 'fn', ':', '(', 'r', ')', '=>')) return undefined
  let key: string | undefined
  const values: string[] = []
  do {
    if (!steps.take('r', '[')) return undefined
    const name = steps.next('text')
    if (name === undefined || (key !== undefined && key !== name)) return undefined
    key = name
    if (!steps.take(']', '==')) return undefined
    const value = steps.next('text')
    if (value === undefined) return undefined
    values.push(value)
  } while (steps.take('or'))
  return steps.take(')') && key !== undefined ? { key, values } : undefined
}

const readFlux: Reader = (steps) => {
  if (!steps.take('from', '(', 'bucket', ':')) return undefined
  const bucket = steps.next('text')
  if (bucket === undefined || !steps.skipTo(')') || !steps.take('|>', 'range')) return undefined
  if (!steps.skipTo(')')) return undefined
  const found: { key: string; values: string[] }[] = []
  while (steps.isWord('|>') && steps.isWord('filter', 1)) {
    steps.take('|>')
    const filter = readFluxFilter(steps)
    if (filter === undefined) return undefined
    found.push(filter)
  }
  const groups: string[] = []
  if (!steps.take('|>', 'group', '(', 'columns', ':', '[')) return undefined
  do {
    const name = steps.next('text')
    if (name !== undefined) groups.push(name)
  } while (steps.take(','))
  const isWindowed = steps.skipTo('fn', ':')
  const aggregate = isWindowed ? (aggregateNamed(steps.next('name')) ?? 'none') : 'none'
  const valuesOf = (key: string) => found.find((filter) => filter.key === key)?.values ?? []
  return {
    bucket,
    measurement: valuesOf('_measurement')[0] ?? '',
    fields: valuesOf('_field'),
    filters: found
      .filter(({ key }) => key !== '_measurement' && key !== '_field')
      .map(({ key, values }) => ({ tag: key, values })),
    aggregate,
    groups: groups.filter((name) => name !== '_measurement' && name !== '_field'),
  }
}

const languageReaders: Readonly<Record<Language, Reader>> = {
  influxql: readInfluxql,
  flux: readFlux,
  sql: readSql,
}
