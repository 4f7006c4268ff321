// The parser's rules for records and the named arguments of calls, which are the same list of properties.
// A property that is no property is kept under the key `<invalid>`, with the error at it.

import type { Expression, Identifier, ObjectExpression, Property, StringLiteral } from './ast.js'
import { parseExpressionsWhileMore } from './expressions.js'
import { parseIdentifier, parseStringLiteral } from './literals.js'
import { kept, type TokenStream } from './token-stream.js'

type Key = Identifier | StringLiteral

export function parseObject(tokens: TokenStream): Expression {
  const lbrace = tokens.open('LBRACE', 'RBRACE')
  const body = parseObjectBody(tokens)
  const rbrace = tokens.close('RBRACE')
  const object: ObjectExpression = {
    type: 'ObjectExpression',
    ...tokens.base(lbrace, rbrace),
    ...kept('lbrace', lbrace.comments),
    ...body,
    ...kept('rbrace', rbrace.comments),
  }
  return object
}

/** The one argument that a call has: a record without braces. */
export function argumentsOf(
  tokens: TokenStream,
  properties: readonly Property[],
): ObjectExpression {
  const base = tokens.base(properties[0], properties[properties.length - 1])
  return { type: 'ObjectExpression', ...base, properties }
}

function parseObjectBody(tokens: TokenStream): Pick<ObjectExpression, 'with' | 'properties'> {
  if (tokens.is('STRING')) return { properties: parseListFrom(tokens, parseStringLiteral(tokens)) }
  if (!tokens.is('IDENT')) return { properties: parsePropertyList(tokens) }
  const name = parseIdentifier(tokens)
  if (!tokens.is('IDENT')) return { properties: parseListFrom(tokens, name) }
  if (!tokens.isWord('with')) tokens.note('')
  const source = { source: name, ...kept('with', tokens.next().comments) }
  return { with: source, properties: parsePropertyList(tokens) }
}

function parseListFrom(tokens: TokenStream, key: Key): Property[] {
  const first = parsePropertyOf(tokens, key)
  if (!tokens.more()) return [first]
  if (tokens.is('COMMA')) {
    const comma = kept('comma', tokens.next().comments)
    return [{ ...first, ...comma }, ...parsePropertyList(tokens)]
  }
  tokens.note(`expected comma in property list, got ${tokens.peek().kind}`)
  return [first, ...parsePropertyList(tokens)]
}

/** Properties up to the end of the bracket. Errors about commas belong to what is around the list. */
export function parsePropertyList(tokens: TokenStream): Property[] {
  const properties: Property[] = []
  const errors: string[] = []
  for (let last = tokens.peek().start; tokens.more(); ) {
    const property = parseProperty(tokens)
    if (!tokens.more()) properties.push(property)
    else if (tokens.is('COMMA')) {
      properties.push({ ...property, ...kept('comma', tokens.next().comments) })
    } else {
      errors.push(`expected comma in property list, got ${tokens.peek().kind}`)
      properties.push(property)
    }
    const { start } = tokens.peek()
    if (start === last) break
    last = start
  }
  for (const error of errors) tokens.note(error)
  return properties
}

function parseProperty(tokens: TokenStream): Property {
  if (tokens.is('IDENT')) return parsePropertyOf(tokens, parseIdentifier(tokens))
  if (tokens.is('STRING')) return parsePropertyOf(tokens, parseStringLiteral(tokens))
  return parseInvalidProperty(tokens)
}

function parsePropertyOf(tokens: TokenStream, key: Key): Property {
  if (!tokens.is('COLON')) {
    return { type: 'Property', ...tokens.base(key, key), key, value: null }
  }
  const colon = tokens.next()
  const value = parsePropertyValue(tokens)
  const base = tokens.base(key, value ?? key)
  return { type: 'Property', ...base, key, ...kept('separator', colon.comments), value }
}

function parsePropertyValue(tokens: TokenStream): Expression | null {
  const value = parseExpressionsWhileMore(tokens, null, ['COMMA', 'COLON'])
  if (value === null) tokens.note('missing property value')
  return value
}

function parseInvalidProperty(tokens: TokenStream): Property {
  const token = tokens.peek()
  const start = tokens.source.positionAt(token.start)
  let value: Expression | null = null
  if (token.kind === 'COMMA') tokens.note('missing property in property list')
  else {
    let error = 'missing property key'
    if (token.kind !== 'COLON') {
      error = `unexpected token for property key: ${token.kind} (${token.text})`
      // Only to get to the next comma, colon or end.
      parseExpressionsWhileMore(tokens, null, ['COMMA', 'COLON'])
    }
    if (tokens.is('COLON')) {
      tokens.next()
      value = parsePropertyValue(tokens)
    }
    tokens.note(error)
  }
  const base = tokens.base(start, tokens.source.positionAt(tokens.peek().start))
  const location = tokens.locate(start, start)
  const key: StringLiteral = { type: 'StringLiteral', location, value: '<invalid>' }
  return { type: 'Property', ...base, key, value }
}
