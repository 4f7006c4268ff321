// The parser's rules for function literals: `(a, b=2, tables=<-) => …`, with an expression or a block as
// their body.

import type { Expression, FunctionExpression, Property } from './ast.js'
import { parseExpression } from './expressions.js'
import { parseIdentifier } from './literals.js'
import { parseBlock } from './statements.js'
import type { Token } from './token.js'
import { kept, type TokenStream } from './token-stream.js'

/** Behind the closing parenthesis of the parameters. */
export function parseFunction(
  tokens: TokenStream,
  lparen: Token,
  rparen: Token,
  params: readonly Property[],
): Expression {
  const arrow = tokens.expectOrSkip('ARROW')
  const body = tokens.is('LBRACE') ? parseBlock(tokens) : parseExpression(tokens)
  const expression: FunctionExpression = {
    type: 'FunctionExpression',
    ...tokens.base(lparen, body),
    ...kept('lparen', lparen.comments),
    params,
    ...kept('rparen', rparen.comments),
    ...kept('arrow', arrow.comments),
    body,
  }
  return expression
}

/** Parameters up to the closing parenthesis. */
export function parseParameters(tokens: TokenStream): Property[] {
  const params: Property[] = []
  for (let last = tokens.peek().start; tokens.more(); ) {
    const parameter = parseParameter(tokens)
    const comma = tokens.is('COMMA') ? tokens.next().comments : []
    params.push({ ...parameter, ...kept('comma', comma) })
    const { start } = tokens.peek()
    if (start === last) break
    last = start
  }
  return params
}

function parseParameter(tokens: TokenStream): Property {
  const key = parseIdentifier(tokens)
  if (!tokens.is('ASSIGN')) {
    return { type: 'Property', ...tokens.base(key, key), key, value: null }
  }
  const assign = tokens.next()
  const value = parseExpression(tokens)
  const separator = kept('separator', assign.comments)
  return { type: 'Property', ...tokens.base(key, value), key, ...separator, value }
}
