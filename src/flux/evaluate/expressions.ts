// Expressions → closures. Operators, literals, strings and conditions are here; records, calls and
// functions have files of their own.

import type { MaybePromise } from '../../platform/pull-stream.js'
import type {
  ConditionalExpression,
  Expression,
  LogicalExpression,
  StringExpression,
  UnaryExpression,
} from '../syntax/ast.js'
import { durationOfParts } from '../value/duration.js'
import { FluxError, locationText } from '../value/error.js'
import { binaryFunction, exists, negate, not } from '../value/operators.js'
import { regexOf } from '../value/regexp.js'
import { checkTextLength } from '../value/size.js'
import { interpolatedText } from '../value/text.js'
import { parseTime } from '../value/time.js'
import { typeName } from '../value/type-name.js'
import { type FluxValue, Regexp, Time, Uint } from '../value/value.js'
import { compileCall, compilePipe } from './calls.js'
import { type Compiler, compileError } from './compiler.js'
import { type Evaluate, evaluateAll, evaluateBoth, evaluateOne } from './evaluate.js'
import type { Frame } from './frame.js'
import { compileFunction } from './functions.js'
import {
  compileArray,
  compileDictionary,
  compileIndex,
  compileMember,
  compileRecord,
} from './records.js'

export function compileExpression(node: Expression, compiler: Compiler): Evaluate {
  switch (node.type) {
    case 'Identifier':
      return compiler.identifier(node.name, node.location)
    case 'ParenExpression':
      return compileExpression(node.expression, compiler)
    case 'MemberExpression':
      return compileMember(node, compiler)
    case 'IndexExpression':
      return compileIndex(node, compiler)
    case 'CallExpression':
      return compileCall(node, undefined, compiler)
    case 'PipeExpression':
      return compilePipe(node, compiler)
    case 'BinaryExpression':
      return evaluateBoth(
        compileExpression(node.left, compiler),
        compileExpression(node.right, compiler),
        binaryFunction(node.operator),
      )
    case 'LogicalExpression':
      return compileLogical(node, compiler)
    case 'UnaryExpression':
      return compileUnary(node, compiler)
    case 'ConditionalExpression':
      return compileConditional(node, compiler)
    case 'ObjectExpression':
      return compileRecord(node, compiler)
    case 'ArrayExpression':
      return compileArray(node, compiler)
    case 'DictExpression':
      return compileDictionary(node, compiler)
    case 'FunctionExpression':
      return compileFunction(node, compiler)
    case 'StringExpression':
      return compileString(node, compiler)
    case 'BadExpression':
      throw compileError(node.location, `invalid expression: ${node.text}`)
    default: {
      const value = literalValue(node)
      return () => value
    }
  }
}

type LiteralNode = Extract<Expression, { readonly type: `${string}Literal` }>

function literalValue(node: LiteralNode): FluxValue {
  switch (node.type) {
    case 'StringLiteral':
    case 'LabelLiteral':
    case 'BooleanLiteral':
    case 'FloatLiteral':
      return node.value
    case 'IntegerLiteral':
      return BigInt(node.value)
    case 'UnsignedIntegerLiteral':
      return new Uint(BigInt(node.value))
    case 'DurationLiteral':
      return durationOfParts(node.values)
    case 'DateTimeLiteral':
      return new Time(parseTime(node.value))
    case 'RegexpLiteral': {
      const regexp = new Regexp(node.value)
      regexOf(regexp)
      return regexp
    }
    case 'PipeLiteral':
      throw compileError(node.location, 'invalid expression: <-')
  }
}

function compileUnary({ operator, argument }: UnaryExpression, compiler: Compiler): Evaluate {
  const value = compileExpression(argument, compiler)
  switch (operator) {
    case '-':
      return evaluateOne(value, negate)
    case 'not':
      return evaluateOne(value, not)
    case 'exists':
      return evaluateOne(value, exists)
    case '+':
      return value
  }
}

/** Three-valued: what is not known stays unknown, unless the other side decides alone. */
function compileLogical(node: LogicalExpression, compiler: Compiler): Evaluate {
  const left = compileExpression(node.left, compiler)
  const right = compileExpression(node.right, compiler)
  /** The value with which one side decides. */
  const deciding = node.operator === 'or'
  const join = (a: boolean | null, b: FluxValue): FluxValue => {
    checkOperand(b, 'right')
    if (b === deciding) return deciding
    return a === null || b === null ? null : !deciding
  }
  const proceed = (a: FluxValue, frame: Frame): MaybePromise<FluxValue> => {
    checkOperand(a, 'left')
    if (a === deciding) return deciding
    const b = right(frame)
    return b instanceof Promise ? b.then((second) => join(a, second)) : join(a, b)
  }
  return (frame) => {
    const a = left(frame)
    return a instanceof Promise ? a.then((first) => proceed(first, frame)) : proceed(a, frame)
  }
}

function checkOperand(value: FluxValue, side: 'left' | 'right'): asserts value is boolean | null {
  if (value === null || typeof value === 'boolean') return
  const got = side === 'left' ? `, got ${typeName(value)}` : ''
  throw new FluxError(`${side} operand to logical expression is not a boolean value${got}`)
}

/** Without a value, the condition does not hold. */
function compileConditional(node: ConditionalExpression, compiler: Compiler): Evaluate {
  const test = compileExpression(node.test, compiler)
  const consequent = compileExpression(node.consequent, compiler)
  const alternate = compileExpression(node.alternate, compiler)
  const choose = (value: FluxValue): Evaluate => {
    if (value === true) return consequent
    if (value === false || value === null) return alternate
    throw new FluxError('conditional test expression is not a boolean value')
  }
  return (frame) => {
    const value = test(frame)
    if (value instanceof Promise) return value.then((ready) => choose(ready)(frame))
    return choose(value)(frame)
  }
}

function compileString({ parts }: StringExpression, compiler: Compiler): Evaluate {
  const texts: string[] = ['']
  const values: Evaluate[] = []
  const places: string[] = []
  for (const part of parts) {
    if (part.type === 'TextPart') {
      texts[texts.length - 1] += part.value
    } else {
      values.push(compileExpression(part.expression, compiler))
      places.push(locationText(part.location))
      texts.push('')
    }
  }
  const join = (frame: Frame, ready: readonly FluxValue[]): string => {
    let text = texts[0]
    for (let i = 0; i < ready.length; i++) {
      text += (interpolatedText(ready[i]) ?? refuse(frame, ready[i], places[i])) + texts[i + 1]
      checkTextLength(text.length)
    }
    return text
  }
  return (frame) => {
    const ready = evaluateAll(values, frame)
    return ready instanceof Promise ? ready.then((all) => join(frame, all)) : join(frame, ready)
  }
}

/** Row functions and scripts have words of their own for it. */
function refuse({ run }: Frame, value: FluxValue, place: string): never {
  if (run.isStreaming) {
    throw new FluxError(
      value === null ? 'string expression evaluated to null' : 'invalid interpolation type',
    )
  }
  throw new FluxError(
    value === null
      ? `${place}: interpolated expression produced a null value`
      : `${place}: expected interpolated expression to have type string, but it had type ${typeName(value)}`,
  )
}
