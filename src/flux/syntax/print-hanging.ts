// Expressions with an opening that may stay on the line before: arrays, records, strings, indexes,
// functions and blocks, as hanging documents (`hang.ts`).

import type {
  ArrayExpression,
  Block,
  Expression,
  FunctionExpression,
  IndexExpression,
  ObjectExpression,
  Property,
  StringExpression,
} from './ast.js'
import { type Hanging, hanging, layHanging, opening, within, withPrefix } from './hang.js'
import { concat, type Doc, group, hardLine, line, nest, nil, text } from './layout.js'
import { leftmost, levels, stripParens } from './precedence.js'
import { printAnywhere, printIn } from './print-expressions.js'
import { type Bracketed, commaList, gapsOf, printItemList } from './print-lists.js'
import {
  hangString,
  printComments,
  printCommentsBehind,
  printIdentifier,
  printPropertyKey,
  printTextPart,
} from './print-literals.js'
import { printStatements } from './print-statements.js'

export function hangExpression(expression: Expression): Hanging {
  switch (expression.type) {
    case 'ArrayExpression':
      return hangArray(expression)
    case 'ObjectExpression':
      return hangRecord(expression)
    case 'StringExpression':
      return hangStringExpression(expression)
    case 'FunctionExpression':
      return hangFunction(expression)
    case 'StringLiteral':
      return hangString(expression)
    case 'IndexExpression':
      return hangIndex(expression)
    default:
      return hanging(printAnywhere(expression))
  }
}

/** `prefix value`, the value on the same line as far as it fits. */
export function hangBehind(prefix: Doc, value: Expression): Doc {
  return layHanging(within(withPrefix(hangExpression(value), line), opening(prefix)))
}

function hangArray(array: ArrayExpression): Hanging {
  const items = array.elements.map((element, index) =>
    concat(printAnywhere(element), printComments(array.commas?.[index])),
  )
  const { prefix, body, suffix } = printItemList('[', ']', items, printComments(array.rbrack))
  const comments = printComments(array.lbrack)
  return hanging(body, opening(prefix, suffix, false), opening(comments))
}

function hangRecord(record: ObjectExpression): Hanging {
  const { prefix, body, suffix } = recordBody(record, true)
  return hanging(body, opening(prefix, suffix))
}

/** A record, or the arguments of a call, which have no braces of their own. */
export function recordBody(record: ObjectExpression, hasBraces: boolean): Bracketed {
  const { gap, edge } = gapsOf(record.properties.length)
  const properties = record.properties.map((property) =>
    concat(printProperty(property), printCommentsBehind(property.comma)),
  )
  return {
    prefix: concat(printComments(record.lbrace), hasBraces ? '{' : ''),
    body: concat(
      record.with === undefined ? edge : printWith(record.with, gap),
      commaList(properties, gap),
      printCommentsBehind(record.rbrace),
    ),
    suffix: concat(edge, hasBraces ? '}' : ''),
  }
}

function printWith(source: NonNullable<ObjectExpression['with']>, gap: Doc): Doc {
  const space = (source.with ?? []).length === 0 ? ' ' : ''
  const comments = printComments(source.with)
  return group(concat(printIdentifier(source.source), comments, space, 'with', gap))
}

function printProperty(property: Property): Doc {
  const key = printPropertyKey(property.key)
  if (property.value === null) return key
  return hangBehind(concat(key, printCommentsBehind(property.separator), ':'), property.value)
}

function printParameter(parameter: Property): Doc {
  const key = printPropertyKey(parameter.key)
  const comma = printComments(parameter.comma)
  if (parameter.value === null) return concat(key, comma)
  const prefix = concat(key, printComments(parameter.separator), '=')
  return concat(layHanging(within(hangExpression(parameter.value), opening(prefix))), comma)
}

function hangStringExpression(expression: StringExpression): Hanging {
  const { parts } = expression
  const docs = parts.map((part, index) => {
    if (part.type === 'InterpolatedPart') {
      return concat('${', printAnywhere(part.expression), '}')
    }
    return printTextPart(part, index === parts.length - 1 ? '"' : '${')
  })
  const quote = concat(printComments(expression.comments), '"')
  return hanging(concat(...docs), opening(quote, text('"')))
}

/** A string as an index would be a member, so it keeps its parentheses. */
function hangIndex(expression: IndexExpression): Hanging {
  const array = printIn(expression.array, { levelMax: levels.postfix, isEnd: false })
  const isString = stripParens(expression.index).type === 'StringLiteral'
  const index = printAnywhere(expression.index)
  return hanging(
    isString ? concat('(', index, ')') : index,
    opening(
      concat(array, printComments(expression.lbrack), '['),
      concat(printComments(expression.rbrack), ']'),
    ),
  )
}

function hangFunction(expression: FunctionExpression): Hanging {
  const { gap, edge } = gapsOf(expression.params.length)
  const params = nest(concat(edge, commaList(expression.params.map(printParameter), gap)))
  const comments = opening(printComments(expression.lparen))
  const beforeArrow = (expression.arrow ?? []).length === 0 ? group(line) : nil
  const head = group(
    concat(
      '(',
      params,
      edge,
      printComments(expression.rparen),
      ')',
      beforeArrow,
      printCommentsBehind(expression.arrow),
      '=>',
    ),
  )
  if (expression.body.type === 'Block') {
    const block = withPrefix(hangBlock(expression.body), line)
    return within(within(block, opening(head)), comments)
  }
  const body = concat(line, printFunctionBody(expression.body))
  return hanging(body, opening(head, nil, false), comments)
}

/** A body that begins with a brace would be read as a block. */
function printFunctionBody(expression: Expression): Doc {
  const body = stripParens(expression)
  if (leftmost(body).type !== 'ObjectExpression') return printAnywhere(body)
  return group(concat('(', printAnywhere(body), ')'))
}

export function hangBlock(block: Block): Hanging {
  const statements = printStatements(block.body)
  const body = concat(hardLine, statements, printComments(block.rbrace))
  const lbrace = concat(printComments(block.lbrace), '{')
  return hanging(body, opening(lbrace, concat(hardLine, '}'), false))
}
