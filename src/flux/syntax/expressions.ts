// The parser's rules for expressions, one function per step of precedence, loosest first. The order of the
// steps is Flux's own: `|>` binds tighter than arithmetic, a sign tighter than `|>`, and `not` and
// `exists` stand between `and` and the comparisons.

import type {
  BinaryExpression,
  BinaryOperator,
  CallExpression,
  ConditionalExpression,
  Expression,
  LogicalExpression,
  UnaryExpression,
} from './ast.js'
import { parseIdentifier, unexpectedExpression } from './literals.js'
import { parsePrimary } from './primaries.js'
import { argumentsOf, parsePropertyList } from './records.js'
import type { Token, TokenKind } from './token.js'
import { kept, type TokenStream } from './token-stream.js'

export function parseExpression(tokens: TokenStream): Expression {
  const expression = tokens.nested(() => parseConditional(tokens))
  return expression ?? unexpectedExpression(tokens, tokens.next())
}

/** Carries on behind a name that was read already. */
export function parseExpressionSuffix(tokens: TokenStream, first: Expression): Expression {
  const postfix = parsePostfixSuffix(tokens, first)
  const pipe = parsePipeSuffix(tokens, postfix)
  let expression = pipe
  for (const level of binaryLevels) expression = parseBinarySuffix(tokens, level, expression)
  return parseOrSuffix(tokens, parseAndSuffix(tokens, expression))
}

/**
 * Expressions up to the end of the bracket, or one of the tokens given. In a good script that is one; more
 * of them become a bad expression, and tokens that no expression begins with are skipped with an error.
 */
export function parseExpressionsWhileMore(
  tokens: TokenStream,
  first: Expression | null,
  stops: readonly TokenKind[],
): Expression | null {
  let result = first
  while (!stops.includes(tokens.peek().kind) && tokens.more()) {
    const expression = parseExpression(tokens)
    if (expression.type === 'BadExpression') {
      const token = tokens.next()
      tokens.note(`invalid expression ${tokens.placeOf(token)}: ${token.text}`)
    } else result = result === null ? expression : joinSideBySide(tokens, result, expression)
  }
  return result
}

function joinSideBySide(tokens: TokenStream, left: Expression, right: Expression): Expression {
  const base = tokens.base(left, right)
  const errors = [...(base.errors ?? []), { msg: 'invalid binary operator <INVALID_OP>' }]
  return { type: 'BadExpression', ...base, errors, text: '', expression: left, right }
}

function parseConditional(tokens: TokenStream): Expression {
  if (!tokens.is('IF')) return parseOr(tokens)
  const ifToken = tokens.next()
  const test = parseExpression(tokens)
  const thenToken = tokens.expectOrSkip('THEN')
  const consequent = parseBranch(tokens, thenToken, 'THEN')
  const elseToken = tokens.expectOrSkip('ELSE')
  const alternate = parseBranch(tokens, elseToken, 'ELSE')
  const conditional: ConditionalExpression = {
    type: 'ConditionalExpression',
    ...tokens.base(ifToken, alternate),
    ...kept('tk_if', ifToken.comments),
    test,
    ...kept('tk_then', thenToken.comments),
    consequent,
    ...kept('tk_else', elseToken.comments),
    alternate,
  }
  return conditional
}

/** Behind a missing `then` or `else` nothing is read; the empty bad expression is no error of its own. */
function parseBranch(tokens: TokenStream, token: Token, kind: TokenKind): Expression {
  if (token.kind === kind) return parseExpression(tokens)
  return { type: 'BadExpression', location: tokens.locate(token, token), text: '' }
}

function parseOr(tokens: TokenStream): Expression {
  return parseOrSuffix(tokens, parseAnd(tokens))
}

function parseOrSuffix(tokens: TokenStream, first: Expression): Expression {
  let left = first
  while (tokens.is('OR')) {
    const token = tokens.next()
    left = logical(tokens, 'or', left, token, parseAnd(tokens))
  }
  return left
}

function parseAnd(tokens: TokenStream): Expression {
  return parseAndSuffix(tokens, parseNot(tokens))
}

function parseAndSuffix(tokens: TokenStream, first: Expression): Expression {
  let left = first
  while (tokens.is('AND')) {
    const token = tokens.next()
    left = logical(tokens, 'and', left, token, parseNot(tokens))
  }
  return left
}

function logical(
  tokens: TokenStream,
  operator: 'and' | 'or',
  left: Expression,
  token: Token,
  right: Expression,
): LogicalExpression {
  const base = tokens.base(left, right, token.comments)
  return { type: 'LogicalExpression', ...base, operator, left, right }
}

function parseNot(tokens: TokenStream): Expression {
  const operators: Token[] = []
  while (tokens.is('NOT') || tokens.is('EXISTS')) operators.push(tokens.next())
  return applyUnary(tokens, operators, parseBinary(tokens, binaryLevels.length - 1))
}

/** By a loop, not by recursion: a row of a million signs must not fill the stack. */
function applyUnary(
  tokens: TokenStream,
  operators: readonly Token[],
  operand: Expression,
): Expression {
  let argument = operand
  for (const token of operators.toReversed()) {
    const unary: UnaryExpression = {
      type: 'UnaryExpression',
      ...tokens.base(token, argument, token.comments),
      operator: token.text as UnaryExpression['operator'],
      argument,
    }
    argument = unary
  }
  return argument
}

type BinaryLevel = ReadonlyMap<TokenKind, BinaryOperator>

/** Tightest first. All of them, `^` too, take from the left. */
const binaryLevels: readonly BinaryLevel[] = [
  new Map([['POW', '^']]),
  new Map([
    ['MUL', '*'],
    ['DIV', '/'],
    ['MOD', '%'],
  ]),
  new Map([
    ['ADD', '+'],
    ['SUB', '-'],
  ]),
  new Map([
    ['EQ', '=='],
    ['NEQ', '!='],
    ['LTE', '<='],
    ['LT', '<'],
    ['GTE', '>='],
    ['GT', '>'],
    ['REGEXEQ', '=~'],
    ['REGEXNEQ', '!~'],
  ]),
]

/** An expression of the operators up to this level. */
function parseBinary(tokens: TokenStream, levelIndex: number): Expression {
  let expression = parsePipe(tokens)
  for (let index = 0; index <= levelIndex; index++) {
    expression = parseBinarySuffix(tokens, binaryLevels[index], expression)
  }
  return expression
}

function parseBinarySuffix(tokens: TokenStream, level: BinaryLevel, first: Expression): Expression {
  const tighter = binaryLevels.indexOf(level) - 1
  let left = first
  for (;;) {
    const operator = level.get(tokens.peek().kind)
    if (operator === undefined) return left
    const token = tokens.next()
    const right = parseBinary(tokens, tighter)
    const binary: BinaryExpression = {
      type: 'BinaryExpression',
      ...tokens.base(left, right, token.comments),
      operator,
      left,
      right,
    }
    left = binary
  }
}

function parsePipe(tokens: TokenStream): Expression {
  return parsePipeSuffix(tokens, parseSigned(tokens))
}

function parsePipeSuffix(tokens: TokenStream, first: Expression): Expression {
  let argument = first
  while (tokens.is('PIPE_FORWARD')) {
    const token = tokens.next()
    const call = asCall(tokens, parseSigned(tokens))
    const base = tokens.base(argument, call, token.comments)
    argument = { type: 'PipeExpression', ...base, argument, call }
  }
  return argument
}

function asCall(tokens: TokenStream, destination: Expression): CallExpression {
  if (destination.type === 'CallExpression') return destination
  tokens.note('pipe destination must be a function call')
  const base = tokens.base(destination, destination)
  return { type: 'CallExpression', ...base, callee: destination }
}

function parseSigned(tokens: TokenStream): Expression {
  const operators: Token[] = []
  while (tokens.is('ADD') || tokens.is('SUB')) operators.push(tokens.next())
  return applyUnary(tokens, operators, parsePostfixSuffix(tokens, parsePrimary(tokens)))
}

/** Members, calls and indexes behind an expression. */
function parsePostfixSuffix(tokens: TokenStream, first: Expression): Expression {
  let expression = first
  for (;;) {
    const { kind } = tokens.peek()
    if (kind === 'DOT') expression = parseMember(tokens, expression)
    else if (kind === 'LPAREN') expression = parseCall(tokens, expression)
    else if (kind === 'LBRACK') expression = parseIndex(tokens, expression)
    else return expression
  }
}

function parseMember(tokens: TokenStream, object: Expression): Expression {
  const dot = tokens.next()
  const property = parseIdentifier(tokens)
  const base = tokens.base(object, property)
  return { type: 'MemberExpression', ...base, object, ...kept('lbrack', dot.comments), property }
}

function parseCall(tokens: TokenStream, callee: Expression): CallExpression {
  const lparen = tokens.open('LPAREN', 'RPAREN')
  const properties = parsePropertyList(tokens)
  const rparen = tokens.close('RPAREN')
  return {
    type: 'CallExpression',
    ...tokens.base(callee, rparen),
    callee,
    ...kept('lparen', lparen.comments),
    ...(properties.length === 0 ? {} : { arguments: [argumentsOf(tokens, properties)] }),
    ...kept('rparen', rparen.comments),
  }
}

function parseIndex(tokens: TokenStream, array: Expression): Expression {
  const open = tokens.open('LBRACK', 'RBRACK')
  const index = parseExpressionsWhileMore(tokens, null, [])
  const close = tokens.close('RBRACK')
  if (index === null) return parseMissingIndex(tokens, array, open, close)
  const base = tokens.base(array, close)
  const lbrack = kept('lbrack', open.comments)
  const rbrack = kept('rbrack', close.comments)
  return index.type === 'StringLiteral'
    ? { type: 'MemberExpression', ...base, object: array, ...lbrack, property: index, ...rbrack }
    : { type: 'IndexExpression', ...base, array, ...lbrack, index, ...rbrack }
}

function parseMissingIndex(
  tokens: TokenStream,
  array: Expression,
  open: Token,
  close: Token,
): Expression {
  tokens.note('no expression included in brackets')
  const base = tokens.base(array, close)
  const location = tokens.locate(open, close)
  return {
    type: 'IndexExpression',
    ...base,
    array,
    index: { type: 'IntegerLiteral', location, value: '-1' },
  }
}
