// Regular expressions as InfluxDB's languages have them: RE2 syntax (Go), matching anywhere, in
// linear time whatever the pattern. A bad pattern is a UserError. Places in a text are counted in
// UTF-16 units, as JavaScript does.

import { createRequire } from 'node:module'
import type { Matcher, RE2JS } from 're2js'
import { UserError } from '../errors.js'

// Loaded when first used: 5 MB that many servers never need.
const require = createRequire(import.meta.url)

export interface Span {
  readonly start: number
  readonly end: number
}

export interface Regex {
  test(text: string): boolean
  /** From left to right without overlap, at most so many; a match of nothing does not follow upon another match. */
  matches(text: string, countMax: number): Span[]
  /** Go's way: `$1`, `$name` and `${name}` in the template stand for groups, `$$` for a dollar sign. */
  replaceAll(text: string, template: string): string
}

/** What replacing may make: characters, and parts of the template written out. */
const replacedLengthMax = 2 ** 26
const expandedPartsMax = 2 ** 24

function tooMuch(): UserError {
  return new UserError('invalid', 'replacing all matches would make too long a text')
}

export function compileRegex(pattern: string): Regex {
  const { RE2JS } = require('re2js') as typeof import('re2js')
  try {
    return new CompiledRegex(RE2JS.compile(pattern))
  } catch (error) {
    throw new UserError('invalid', `invalid regular expression: ${(error as Error).message}`)
  }
}

class CompiledRegex implements Regex {
  readonly #compiled: RE2JS

  constructor(compiled: RE2JS) {
    this.#compiled = compiled
  }

  test(text: string): boolean {
    return this.#compiled.matcher(text).find()
  }

  matches(text: string, countMax: number): Span[] {
    const spans: Span[] = []
    if (countMax <= 0) return spans
    for (const span of walk(this.#compiled.matcher(text), text)) {
      if (spans.push(span) >= countMax) break
    }
    return spans
  }

  replaceAll(text: string, template: string): string {
    const parts = parseTemplate(template)
    const groups = this.#compiled.namedGroups() as Readonly<Record<string, number>>
    const matcher = this.#compiled.matcher(text)
    let result = ''
    let copiedTo = 0
    let expanded = 0
    for (const { start, end } of walk(matcher, text)) {
      expanded += parts.length
      if (result.length > replacedLengthMax || expanded > expandedPartsMax) throw tooMuch()
      result += text.slice(copiedTo, start)
      for (const part of parts) result += expand(part, matcher, groups)
      copiedTo = end
    }
    return result + text.slice(copiedTo)
  }
}

/** The matcher stands on each match while it is handed out. */
function* walk(matcher: Matcher, text: string): Generator<Span, void, void> {
  let previousEnd = -1
  for (let at = 0; at <= text.length; ) {
    if (!matcher.find(at)) return
    const span = { start: matcher.start(), end: matcher.end() }
    const isEmpty = span.start === span.end
    if (!isEmpty || span.start !== previousEnd) yield span
    previousEnd = span.end
    at = isEmpty ? span.end + ((text.codePointAt(span.end) ?? 0) > 0xffff ? 2 : 1) : span.end
  }
}

type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'group'; readonly name: string }

const reference = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu

/** A dollar sign that begins no reference stays. */
function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let at = 0
  for (const found of template.matchAll(reference)) {
    parts.push({ kind: 'text', text: template.slice(at, found.index) })
    const name = found[1] ?? found[2]
    parts.push(name === undefined ? { kind: 'text', text: '$' } : { kind: 'group', name })
    at = found.index + found[0].length
  }
  parts.push({ kind: 'text', text: template.slice(at) })
  return parts
}

/** What has no such group, or a group that took no part, is empty. */
function expand(
  part: TemplatePart,
  matcher: Matcher,
  groups: Readonly<Record<string, number>>,
): string {
  if (part.kind === 'text') return part.text
  const { name } = part
  const number = /^\d+$/.test(name) ? Number(name) : Object.hasOwn(groups, name) ? groups[name] : -1
  if (number < 0 || number > matcher.groupCount()) return ''
  return matcher.group(number) ?? ''
}
