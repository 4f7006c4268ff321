// The parser's rules for statements and blocks. A token that no statement begins with is a bad statement
// of its own, and reading goes on behind it.

import type {
  Block,
  BuiltinStatement,
  Identifier,
  MemberAssignment,
  Statement,
  TestCaseStatement,
  VariableAssignment,
} from './ast.js'
import { type Attributes, attributed, parseAttributes } from './attributes.js'
import { parseExpression, parseExpressionSuffix } from './expressions.js'
import { parseIdentifier, parseStringLiteral } from './literals.js'
import type { Token } from './token.js'
import { kept, type TokenStream } from './token-stream.js'
import { parseTypeExpression } from './types.js'

/** Statements up to the end of the block or the file. The first takes the attributes that were read before it. */
export function parseStatements(tokens: TokenStream, attributes: Attributes | null): Statement[] {
  const statements: Statement[] = []
  let waiting = attributes
  while (tokens.more()) {
    const first = waiting
    statements.push(
      tokens.nested(() => parseStatement(tokens, first)) ?? badStatement(tokens, tokens.next()),
    )
    waiting = null
  }
  return statements
}

function parseStatement(tokens: TokenStream, given: Attributes | null): Statement {
  const attributes = given ?? parseAttributes(tokens)
  return attributed(parseStatementHere(tokens), attributes)
}

function parseStatementHere(tokens: TokenStream): Statement {
  switch (tokens.peek().kind) {
    case 'INT':
    case 'FLOAT':
    case 'STRING':
    case 'DIV':
    case 'TIME':
    case 'DURATION':
    case 'PIPE_RECEIVE':
    case 'LPAREN':
    case 'LBRACK':
    case 'LBRACE':
    case 'ADD':
    case 'SUB':
    case 'NOT':
    case 'IF':
    case 'EXISTS':
    case 'QUOTE': {
      const expression = parseExpression(tokens)
      const base = tokens.base(expression, expression)
      return { type: 'ExpressionStatement', ...base, expression }
    }
    case 'IDENT':
      return parseNameStatement(tokens)
    case 'OPTION':
      return parseOption(tokens)
    case 'BUILTIN':
      return parseBuiltin(tokens)
    case 'TESTCASE':
      return parseTestCase(tokens)
    case 'RETURN':
      return parseReturn(tokens)
    default:
      return badStatement(tokens, tokens.next())
  }
}

function badStatement(tokens: TokenStream, token: Token): Statement {
  return { type: 'BadStatement', ...tokens.base(token, token, token.comments), text: token.text }
}

function parseNameStatement(tokens: TokenStream): Statement {
  const id = parseIdentifier(tokens)
  if (tokens.is('ASSIGN')) return parseAssignment(tokens, id)
  const expression = parseExpressionSuffix(tokens, id)
  return { type: 'ExpressionStatement', ...tokens.base(expression, expression), expression }
}

function parseAssignment(tokens: TokenStream, id: Identifier): VariableAssignment {
  const assign = tokens.expect('ASSIGN')
  const init = parseExpression(tokens)
  return { type: 'VariableAssignment', ...tokens.base(id, init, assign.comments), id, init }
}

function parseMemberAssignment(tokens: TokenStream, object: Identifier): MemberAssignment {
  const dot = tokens.expect('DOT')
  const property = parseIdentifier(tokens)
  const assign = tokens.expect('ASSIGN')
  const init = parseExpression(tokens)
  const base = tokens.base(object, init, assign.comments)
  const location = tokens.locate(object, property)
  const lbrack = kept('lbrack', dot.comments)
  const member = { type: 'MemberExpression', location, object, ...lbrack, property } as const
  return { type: 'MemberAssignment', ...base, member, init }
}

function parseOption(tokens: TokenStream): Statement {
  const option = tokens.expect('OPTION')
  const id = parseIdentifier(tokens)
  if (!tokens.is('ASSIGN') && !tokens.is('DOT')) return badStatement(tokens, option)
  const assignment = tokens.is('DOT')
    ? parseMemberAssignment(tokens, id)
    : parseAssignment(tokens, id)
  const base = tokens.base(option, assignment, option.comments)
  return { type: 'OptionStatement', ...base, assignment }
}

function parseBuiltin(tokens: TokenStream): BuiltinStatement {
  const builtin = tokens.expect('BUILTIN')
  const id = parseIdentifier(tokens)
  const colon = tokens.expect('COLON')
  const ty = parseTypeExpression(tokens)
  const base = tokens.base(builtin, ty, builtin.comments)
  return { type: 'BuiltinStatement', ...base, ...kept('colon', colon.comments), id, ty }
}

function parseTestCase(tokens: TokenStream): TestCaseStatement {
  const testcase = tokens.expect('TESTCASE')
  const id = parseIdentifier(tokens)
  const parent = parseExtends(tokens)
  const block = parseBlock(tokens)
  const base = tokens.base(testcase, block, testcase.comments)
  return parent === null
    ? { type: 'TestCaseStatement', ...base, id, block }
    : { type: 'TestCaseStatement', ...base, id, extends: parent, block }
}

function parseExtends(tokens: TokenStream) {
  if (!tokens.isWord('extends')) return null
  tokens.next()
  return parseStringLiteral(tokens)
}

function parseReturn(tokens: TokenStream): Statement {
  const token = tokens.expect('RETURN')
  const argument = parseExpression(tokens)
  const base = tokens.base(token, argument, token.comments)
  return { type: 'ReturnStatement', ...base, argument }
}

export function parseBlock(tokens: TokenStream): Block {
  const lbrace = tokens.open('LBRACE', 'RBRACE')
  const body = parseStatements(tokens, null)
  const rbrace = tokens.close('RBRACE')
  return {
    type: 'Block',
    ...tokens.base(lbrace, rbrace),
    ...kept('lbrace', lbrace.comments),
    body,
    ...kept('rbrace', rbrace.comments),
  }
}
