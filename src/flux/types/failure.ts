// What can be wrong with types, and how Flux says it. Failures keep their types as terms: what they
// turn out to be is known only when the whole script has been looked at, and then they become text.

import type { SourceLocation } from '../syntax/ast.js'
import type { Kind } from './kinds.js'
import { resolve, type Type } from './terms.js'
import { TypeNames, typeText } from './type-text.js'

export type Failure =
  | { readonly kind: 'message'; readonly message: string }
  | { readonly kind: 'mismatch'; readonly expected: Type; readonly found: Type }
  | { readonly kind: 'unable'; readonly type: Type; readonly needed: Kind }
  | { readonly kind: 'recursive'; readonly variable: Type; readonly type: Type }
  | { readonly kind: 'missing-label'; readonly label: string }
  | { readonly kind: 'extra-label'; readonly label: string }
  | { readonly kind: 'not-a-label'; readonly type: Type }
  | { readonly kind: 'missing-argument'; readonly name: string }
  | {
      readonly kind: 'extra-argument'
      readonly name: string
      readonly expected: readonly string[]
    }
  | { readonly kind: 'missing-pipe' }
  | { readonly kind: 'other-pipe'; readonly expected: string; readonly found: string }

/** Where inside of the types that were compared, from the inside out. */
export type Context =
  | { readonly kind: 'argument'; readonly name: string; readonly outer: Context | undefined }
  | {
      readonly kind: 'return'
      readonly expected: Type
      readonly found: Type
      readonly outer: Context | undefined
    }
  | {
      readonly kind: 'label'
      readonly label: string
      readonly expected: Type
      readonly found: Type
      readonly outer: Context | undefined
    }

export interface LocatedFailure {
  readonly location: SourceLocation
  readonly failure: Failure
  readonly context: Context | undefined
}

export function failureText({ failure, context }: LocatedFailure): string {
  let text = plainText(failure)
  for (let at = context; at !== undefined; at = at.outer) {
    if (at.kind === 'argument') text = `${text} (argument ${at.name})`
    else if (at.kind === 'return')
      // The digits are in Flux's own text.
      text = `123${mismatchText(at.expected, at.found)} for return type caused by ${text}`
    else text = `${mismatchText(at.expected, at.found)} for label ${at.label} caused by ${text}`
  }
  return text
}

function plainText(failure: Failure): string {
  switch (failure.kind) {
    case 'message':
      return failure.message
    case 'mismatch':
      return mismatchText(failure.expected, failure.found)
    case 'unable': {
      const type = typeText(failure.type, new TypeNames())
      return `${type}${typeInformation(failure.type)} is not ${failure.needed}`
    }
    case 'recursive': {
      const names = new TypeNames()
      const variable = typeText(failure.variable, names)
      return `recursive types not supported ${variable} != ${typeText(failure.type, names)}`
    }
    case 'missing-label':
      return `record is missing label ${failure.label}`
    case 'extra-label':
      return `found unexpected label ${failure.label}`
    case 'not-a-label':
      return `${typeText(failure.type, new TypeNames())} is not a label`
    case 'missing-argument':
      return `missing required argument ${failure.name}`
    case 'extra-argument':
      return `found unexpected argument ${failure.name}${suggestionText(failure.expected)}`
    case 'missing-pipe':
      return 'missing pipe argument'
    case 'other-pipe':
      return `expected pipe argument ${failure.expected} but found ${failure.found}`
  }
}

function mismatchText(expected: Type, found: Type): string {
  const names = new TypeNames()
  const expectedText = `${typeText(expected, names)}${typeInformation(expected)}`
  return `expected ${expectedText} but found ${typeText(found, names)}${typeInformation(found)}`
}

function typeInformation(type: Type): string {
  const end = resolve(type)
  switch (end.kind) {
    case 'function':
    case 'dictionary':
    case 'record':
    case 'dynamic':
      return ` (${end.kind})`
    case 'collection':
      return end.form === 'stream' ? '' : ` (${end.form})`
    default:
      return ''
  }
}

function suggestionText(expected: readonly string[]): string {
  if (expected.length === 0) return ''
  const quoted = expected.map((name) => `\`${name}\``)
  if (quoted.length === 1) return ` (Expected ${quoted[0]})`
  return ` (Expected one of ${quoted.slice(0, -1).join(', ')} or ${quoted[quoted.length - 1]})`
}
