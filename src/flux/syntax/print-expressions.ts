// Expressions → documents. Each function takes the place of the expression, which decides about parentheses
// (`precedence.ts`); lines that the script broke stay broken for pipes, conditions and dictionaries.

import type {
  BinaryExpression,
  CallExpression,
  ConditionalExpression,
  DictExpression,
  Expression,
  LogicalExpression,
  MemberExpression,
  ParenExpression,
  PipeExpression,
  SourceLocation,
  UnaryExpression,
} from './ast.js'
import { layHanging, opening } from './hang.js'
import {
  concat,
  type Doc,
  group,
  hardLine,
  line,
  lineOrNothing,
  nest,
  nil,
  text,
} from './layout.js'
import {
  anywhere,
  hasParens,
  levelOf,
  levels,
  needsParens,
  type Place,
  stripParens,
} from './precedence.js'
import { hangExpression, recordBody } from './print-hanging.js'
import { commaList, printItemList } from './print-lists.js'
import {
  printComments,
  printCommentsBehind,
  printDuration,
  printFloat,
  printIdentifier,
  printInteger,
  printLabel,
  printRegex,
  printString,
  printTime,
} from './print-literals.js'

/** The expression in its place, in parentheses if it needs them. */
export function printIn(expression: Expression, place: Place): Doc {
  if (!needsParens(expression, place)) return printBare(expression, place)
  return concat('(', printBare(expression, anywhere), ')')
}

export function printAnywhere(expression: Expression): Doc {
  return printIn(expression, anywhere)
}

function printBare(expression: Expression, place: Place): Doc {
  return group(printBareHere(expression, place))
}

function printBareHere(expression: Expression, place: Place): Doc {
  switch (expression.type) {
    case 'ArrayExpression':
    case 'ObjectExpression':
    case 'StringExpression':
    case 'FunctionExpression':
    case 'StringLiteral':
    case 'IndexExpression':
      return layHanging(hangExpression(expression))
    case 'Identifier':
      return printIdentifier(expression)
    case 'DictExpression':
      return printDict(expression)
    case 'BinaryExpression':
    case 'LogicalExpression':
      return printBinary(expression, place)
    case 'MemberExpression':
      return printMember(expression)
    case 'UnaryExpression':
      return printUnary(expression, place)
    case 'PipeExpression':
      return printPipe(expression)
    case 'CallExpression':
      return printCall(expression)
    case 'ConditionalExpression':
      return printConditional(expression)
    case 'ParenExpression':
      return printParen(expression, place)
    default:
      return printLiteral(expression)
  }
}

type PlainLiteral = Exclude<
  Extract<Expression, { type: `${string}Literal` }>,
  { type: 'StringLiteral' }
>

function printLiteral(literal: PlainLiteral | Extract<Expression, { type: 'BadExpression' }>): Doc {
  switch (literal.type) {
    case 'IntegerLiteral':
    case 'UnsignedIntegerLiteral':
      return printInteger(literal)
    case 'FloatLiteral':
      return printFloat(literal)
    case 'DurationLiteral':
      return printDuration(literal)
    case 'DateTimeLiteral':
      return printTime(literal)
    case 'RegexpLiteral':
      return printRegex(literal)
    case 'LabelLiteral':
      return printLabel(literal)
    case 'PipeLiteral':
      return concat(printComments(literal.comments), '<-')
    case 'BooleanLiteral':
      return text(literal.value ? 'true' : 'false')
    case 'BadExpression':
      // Trees with errors are refused before they get here.
      return text(literal.text)
  }
}

function isMultiline(location: SourceLocation): boolean {
  return location.start.line !== location.end.line
}

function printDict(dict: DictExpression): Doc {
  const gap = isMultiline(dict.location) ? hardLine : line
  const items = dict.elements.map(({ key, val, comma }) =>
    concat(printAnywhere(key), ': ', printAnywhere(val), printComments(comma)),
  )
  const list = items.length === 0 ? text(':') : commaList(items, gap)
  const body = nest(concat(lineOrNothing, list, printComments(dict.rbrack)))
  return concat(printComments(dict.lbrack), '[', body, lineOrNothing, ']')
}

/** Operators on the right side that bind tighter go on in the same row: `a + b * c`. */
function printBinary(expression: BinaryExpression | LogicalExpression, place: Place): Doc {
  const level = levelOf(expression)
  const first = printIn(expression.left, { levelMax: level, isEnd: false })
  const rest: Doc[] = []
  let parent = expression
  for (;;) {
    const { right } = parent
    const rightPlace = { levelMax: levelOf(parent) - 1, isEnd: place.isEnd }
    rest.push(group(concat(line, printComments(parent.comments), parent.operator, line)))
    if (right.type !== 'BinaryExpression' || needsParens(right, rightPlace)) {
      rest.push(printIn(right, rightPlace))
      return group(concat(first, nest(concat(...rest))))
    }
    rest.push(printIn(right.left, { levelMax: levelOf(right), isEnd: false }))
    parent = right
  }
}

function printUnary(unary: UnaryExpression, place: Place): Doc {
  const isSign = unary.operator === '-' || unary.operator === '+'
  const argument = printIn(unary.argument, { levelMax: levelOf(unary), isEnd: place.isEnd })
  return concat(printComments(unary.comments), unary.operator, isSign ? '' : ' ', argument)
}

export function printMember(member: MemberExpression): Doc {
  const { property } = member
  if (property.type === 'StringLiteral') {
    const object = printIn(member.object, { levelMax: levels.postfix, isEnd: false })
    const key = concat('[', printString(property), printCommentsBehind(member.rbrack), ']')
    return concat(object, printComments(member.lbrack), key)
  }
  const dot = printCommentsBehind(member.lbrack)
  return concat(printDottedObject(member.object), dot, '.', printIdentifier(property))
}

/** A point behind an integer would make a float of it. */
function printDottedObject(object: Expression): Doc {
  const place = { levelMax: levels.postfix, isEnd: false }
  if (stripParens(object).type !== 'IntegerLiteral') return printIn(object, place)
  return concat('(', printAnywhere(object), ')')
}

function printPipe(pipe: PipeExpression): Doc {
  const gap = isMultiline(pipe.location) ? hardLine : line
  const calls: Doc[] = []
  let first: Expression = pipe
  while (first.type === 'PipeExpression') {
    const operator = concat(printComments(first.comments), '|> ')
    calls.push(group(concat(operator, group(printCall(first.call)))))
    first = first.argument
  }
  const source = group(printIn(first, { levelMax: levels.pipe, isEnd: false }))
  const rest = calls.toReversed().flatMap((call) => [gap, call])
  return group(concat(source, nest(concat(...rest))))
}

function printCall(call: CallExpression): Doc {
  const callee = printIn(call.callee, { levelMax: levels.postfix, isEnd: false })
  return group(concat(callee, printCommentsBehind(call.lparen), printArguments(call)))
}

function printArguments(call: CallExpression): Doc {
  const [argument, ...others] = call.arguments ?? []
  const comments = printComments(call.rparen)
  if (argument?.type === 'ObjectExpression' && others.length === 0) {
    const { prefix, body, suffix } = recordBody(argument, false)
    const list = layHanging({ body, openings: [opening(prefix, suffix)] })
    return concat('(', list, comments, ')')
  }
  const items = (call.arguments ?? []).map(printAnywhere)
  const { prefix, body, suffix } = printItemList('(', ')', items, comments)
  return layHanging({ body, openings: [opening(prefix, suffix)] })
}

function printConditional(conditional: ConditionalExpression): Doc {
  const gap = isMultiline(conditional.location) ? hardLine : line
  const parts: Doc[] = [printFirstBranch(conditional, gap)]
  let alternate = conditional.alternate
  while (alternate.type === 'ConditionalExpression') {
    const { tk_if, test, tk_then, consequent, tk_else } = alternate
    const head = concat('else if ', nest(printAnywhere(test)), printComments(tk_then), ' then')
    const branch = nest(concat(gap, printAnywhere(consequent)))
    parts.push(concat(printComments(tk_if), head, branch, gap, printComments(tk_else)))
    alternate = alternate.alternate
  }
  parts.push(concat('else', nest(concat(gap, printAnywhere(alternate)))))
  return concat(printComments(conditional.tk_if), group(concat(...parts)))
}

function printFirstBranch(conditional: ConditionalExpression, gap: Doc): Doc {
  const { test, tk_then = [], consequent, tk_else } = conditional
  const beforeThen = concat(printComments(tk_then), tk_then.length === 0 ? line : nil)
  const head = group(concat('if ', nest(printAnywhere(test)), beforeThen, 'then'))
  const branch = nest(concat(gap, printAnywhere(consequent)))
  return concat(head, branch, gap, printComments(tk_else))
}

function printParen(paren: ParenExpression, place: Place): Doc {
  if (!hasParens(paren)) return printBare(paren.expression, place)
  const inner = printAnywhere(paren.expression)
  return concat(printComments(paren.lparen), '(', inner, printCommentsBehind(paren.rparen), ')')
}
