// The parts of expressions, in the order in which Flux looks at them: what is piped comes after the
// call it is piped into, defaults before the body, the source of a record after its properties.

import type {
  Block,
  CallExpression,
  Expression,
  FunctionExpression,
  ObjectExpression,
  Property,
} from '../syntax/ast.js'

export interface Visitor {
  expression(expression: Expression): void
  /** The body of a function. */
  block(block: Block): void
}

export function visitParts(expression: Expression, visitor: Visitor): void {
  const each = (part: Expression): void => visitor.expression(part)
  switch (expression.type) {
    case 'ParenExpression':
      return each(expression.expression)
    case 'StringExpression':
      for (const part of expression.parts) if (part.type !== 'TextPart') each(part.expression)
      return
    case 'CallExpression':
      return visitCall(expression, visitor)
    case 'PipeExpression':
      each(expression.call)
      return each(expression.argument)
    case 'MemberExpression':
      return each(expression.object)
    case 'IndexExpression':
      each(expression.array)
      return each(expression.index)
    case 'FunctionExpression':
      return visitFunction(expression, visitor)
    case 'BinaryExpression':
    case 'LogicalExpression':
      each(expression.left)
      return each(expression.right)
    case 'UnaryExpression':
      return each(expression.argument)
    case 'ConditionalExpression':
      each(expression.test)
      each(expression.consequent)
      return each(expression.alternate)
    case 'ArrayExpression':
      return expression.elements.forEach(each)
    case 'DictExpression':
      for (const { key, val } of expression.elements) {
        each(key)
        each(val)
      }
      return
    case 'ObjectExpression':
      return visitRecord(expression, visitor)
    default:
      return
  }
}

function visitCall(call: CallExpression, visitor: Visitor): void {
  visitor.expression(call.callee)
  for (const argument of call.arguments ?? []) {
    if (argument.type === 'ObjectExpression') visitRecord(argument, visitor)
  }
}

function visitFunction({ params, body }: FunctionExpression, visitor: Visitor): void {
  for (const { value } of params) {
    if (value !== null && value.type !== 'PipeLiteral') visitor.expression(value)
  }
  if (body.type === 'Block') visitor.block(body)
  else visitor.expression(body)
}

function visitRecord(record: ObjectExpression, visitor: Visitor): void {
  for (const property of record.properties) visitProperty(property, visitor)
  if (record.with !== undefined) visitor.expression(record.with.source)
}

/** `{a}` uses the name `a`. */
function visitProperty({ key, value }: Property, visitor: Visitor): void {
  if (value !== null) visitor.expression(value)
  else if (key.type === 'Identifier') visitor.expression(key)
}
