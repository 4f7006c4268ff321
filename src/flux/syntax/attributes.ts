// The parser's rules for attributes such as `@edition("2022.1")`, which stand before a clause, an import
// or a statement. They have no meaning when a script runs; they are read and kept for the printer.

import type { Attribute, AttributeParam } from './ast.js'
import { parsePrimary } from './primaries.js'
import { kept, type TokenStream } from './token-stream.js'

export type Attributes = readonly Attribute[]

export function parseAttributes(tokens: TokenStream): Attributes {
  const attributes: Attribute[] = []
  while (tokens.is('ATTRIBUTE')) attributes.push(parseAttribute(tokens))
  return attributes
}

export function attributed<Node extends object>(node: Node, attributes: Attributes): Node {
  return attributes.length === 0 ? node : { ...node, attributes }
}

function parseAttribute(tokens: TokenStream): Attribute {
  const token = tokens.expect('ATTRIBUTE')
  const name = token.text.slice(1)
  if (!tokens.is('LPAREN')) {
    return { ...tokens.base(token, token, token.comments), name, params: [] }
  }
  tokens.open('LPAREN', 'RPAREN')
  const params = parseAttributeParams(tokens)
  const end = tokens.close('RPAREN')
  return { ...tokens.base(token, end, token.comments), name, params }
}

function parseAttributeParams(tokens: TokenStream): AttributeParam[] {
  const params: AttributeParam[] = []
  const errors: string[] = []
  for (let last = tokens.peek().start; tokens.more(); ) {
    const value = parsePrimary(tokens)
    const comma = tokens.is('COMMA') ? tokens.next() : null
    if (comma === null && tokens.more()) {
      errors.push(`expected comma in attribute parameter list, got ${tokens.peek().kind}`)
    }
    const base = tokens.base(value, comma ?? value)
    params.push({ ...base, value, ...kept('comma', comma?.comments ?? []) })
    const { start } = tokens.peek()
    if (start === last) break
    last = start
  }
  for (const error of errors) tokens.note(error)
  return params
}
