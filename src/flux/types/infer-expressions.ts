// The types of expressions. Each kind of expression says what it expects of its parts; the order in
// which that happens is the order in which mistakes are reported, and is Flux's.

import type {
  ArrayExpression,
  BinaryExpression,
  ConditionalExpression,
  DictExpression,
  Expression,
  Identifier,
  IndexExpression,
  LogicalExpression,
  MemberExpression,
  ObjectExpression,
  Property,
  SourceLocation,
  StringExpression,
  StringLiteral,
  UnaryExpression,
} from '../syntax/ast.js'
import { inferCall } from './infer-calls.js'
import { inferFunction } from './infer-functions.js'
import type { Inference } from './inference.js'
import type { Kind } from './kinds.js'
import { instantiate } from './scheme.js'
import {
  BOOL,
  CollectionType,
  DictionaryType,
  DURATION,
  EMPTY_RECORD,
  ERROR,
  type Field,
  FLOAT,
  INT,
  REGEXP,
  RecordType,
  resolve,
  rowOf,
  STRING,
  TIME,
  type Type,
  UINT,
} from './terms.js'
import type { Unifier } from './unifier.js'

export function inferExpression(inference: Inference, expression: Expression): Type {
  switch (expression.type) {
    case 'Identifier':
      return inference.typeOfName(expression.name, expression.location)
    case 'ParenExpression':
      return inferExpression(inference, expression.expression)
    case 'CallExpression':
      return inferCall(inference, expression, undefined)
    case 'PipeExpression':
      return inferCall(inference, expression.call, expression.argument)
    case 'FunctionExpression':
      return inferFunction(inference, expression)
    case 'MemberExpression':
      return inferMember(inference, expression)
    case 'IndexExpression':
      return inferIndex(inference, expression)
    case 'BinaryExpression':
      return inferBinary(inference, expression)
    case 'UnaryExpression':
      return inferUnary(inference, expression)
    case 'LogicalExpression':
      return inferLogical(inference, expression)
    case 'ConditionalExpression':
      return inferConditional(inference, expression)
    case 'ArrayExpression':
      return inferArray(inference, expression)
    case 'DictExpression':
      return inferDictionary(inference, expression)
    case 'ObjectExpression':
      return inferRecord(inference, expression)
    case 'StringExpression':
      return inferInterpolation(inference, expression)
    default:
      return literalType(expression)
  }
}

type PlainExpression = Exclude<
  Expression,
  | Identifier
  | StringExpression
  | MemberExpression
  | IndexExpression
  | BinaryExpression
  | UnaryExpression
  | LogicalExpression
  | ConditionalExpression
  | ArrayExpression
  | DictExpression
  | ObjectExpression
  | {
      readonly type: 'ParenExpression' | 'CallExpression' | 'PipeExpression' | 'FunctionExpression'
    }
>

function literalType(literal: PlainExpression): Type {
  switch (literal.type) {
    case 'StringLiteral':
      return STRING
    case 'BooleanLiteral':
      return BOOL
    case 'FloatLiteral':
      return FLOAT
    case 'IntegerLiteral':
      return INT
    case 'UnsignedIntegerLiteral':
      return UINT
    case 'RegexpLiteral':
      return REGEXP
    case 'DurationLiteral':
      return DURATION
    case 'DateTimeLiteral':
      return TIME
    case 'LabelLiteral':
      return { kind: 'label', name: literal.value }
    case 'PipeLiteral':
    case 'BadExpression':
      return ERROR
  }
}

/** Parentheses leave no trace, and what is piped belongs to the call it is piped into: that call's place is told. */
export function placeOf(expression: Expression): SourceLocation {
  let inner = expression
  while (inner.type === 'ParenExpression') inner = inner.expression
  return inner.type === 'PipeExpression' ? inner.call.location : inner.location
}

export function keyName(key: Identifier | StringLiteral): string {
  return key.type === 'Identifier' ? key.name : key.value
}

/** `{a}` means `{a: a}`. */
export function inferProperty(inference: Inference, { key, value }: Property): Type {
  if (value !== null) return inferExpression(inference, value)
  return inference.typeOfName(keyName(key), key.location)
}

/** Expects the type, and gives it, or a type that fits everything where it was not found. */
function expect(inference: Inference, expected: Type, found: Type, at: Expression): Type {
  return inference.unifier.equal(expected, found, placeOf(at)) ? expected : ERROR
}

function inferMember(inference: Inference, { object, property }: MemberExpression): Type {
  const name = keyName(property)
  const member = object.type === 'Identifier' && packageMember(inference, object, name)
  if (member) return member
  const type = resolve(inferExpression(inference, object))
  if (type.kind === 'dynamic') return type
  const { unifier } = inference
  if (type.kind !== 'record') return fieldOf(unifier, type, name, placeOf(object))
  const row = rowOf(type)
  const known = row.typeOf(name)
  if (known !== undefined) return known
  // What is known is not looked at again: only what comes behind it can have the field.
  return fieldOf(unifier, row.tail ?? EMPTY_RECORD, name, placeOf(object))
}

/** Expects a record with the field, and maybe others. */
function fieldOf(unifier: Unifier, type: Type, label: string, at: SourceLocation): Type {
  const found = unifier.fresh()
  unifier.equal(new RecordType([{ label, type: found }], unifier.fresh()), type, at)
  return found
}

/** Looked up by itself: the record of a package is large. */
function packageMember(inference: Inference, { name }: Identifier, member: string): Type | false {
  const binding = inference.scope.lookup(name)
  if (binding === undefined || binding.kind === 'value') return false
  const scheme = binding.types.typeOf(member)
  if (scheme === undefined) return false
  return instantiate(scheme, inference.unifier.level, inference.unifier.budget)
}

function inferIndex(inference: Inference, { array, index }: IndexExpression): Type {
  const type = resolve(inferExpression(inference, array))
  const indexType = inferExpression(inference, index)
  expect(inference, INT, indexType, index)
  if (type.kind === 'collection' && type.form === 'array') return type.element
  const element = inference.unifier.fresh()
  expect(inference, new CollectionType('array', element), type, array)
  return element
}

const ARITHMETIC_KINDS: Readonly<Record<'+' | '-' | '*' | '/' | '%' | '^', Kind>> = {
  '+': 'Addable',
  '-': 'Subtractable',
  '*': 'Divisible',
  '/': 'Divisible',
  '%': 'Divisible',
  '^': 'Divisible',
}

function inferBinary(inference: Inference, expression: BinaryExpression): Type {
  const { operator, left, right } = expression
  const leftType = inferExpression(inference, left)
  const rightType = inferExpression(inference, right)
  switch (operator) {
    case '==':
    case '!=':
      return inferComparison(inference, ['Equatable'], expression, leftType, rightType)
    case '<':
    case '>':
      return inferComparison(inference, ['Comparable'], expression, leftType, rightType)
    case '<=':
    case '>=': {
      const kinds = ['Equatable', 'Comparable'] as const
      return inferComparison(inference, kinds, expression, leftType, rightType)
    }
    case '=~':
    case '!~':
      expect(inference, STRING, leftType, left)
      expect(inference, REGEXP, rightType, right)
      return BOOL
    default: {
      const result = expect(inference, leftType, rightType, right)
      inference.unifier.constrain(ARITHMETIC_KINDS[operator], leftType, expression.location)
      return result
    }
  }
}

/** The two sides may be of different types: comparing them then gives no value. */
function inferComparison(
  inference: Inference,
  kinds: readonly Kind[],
  { left, right }: BinaryExpression,
  leftType: Type,
  rightType: Type,
): Type {
  for (const kind of kinds) inference.unifier.constrain(kind, leftType, placeOf(left))
  for (const kind of kinds) inference.unifier.constrain(kind, rightType, placeOf(right))
  return BOOL
}

function inferUnary(inference: Inference, { operator, argument }: UnaryExpression): Type {
  const type = inferExpression(inference, argument)
  if (operator === 'exists') return BOOL
  if (operator === 'not') {
    expect(inference, BOOL, type, argument)
    return BOOL
  }
  inference.unifier.constrain('Negatable', type, placeOf(argument))
  return type
}

function inferLogical(inference: Inference, { left, right }: LogicalExpression): Type {
  const leftType = inferExpression(inference, left)
  const rightType = inferExpression(inference, right)
  expect(inference, BOOL, leftType, left)
  expect(inference, BOOL, rightType, right)
  return BOOL
}

function inferConditional(inference: Inference, expression: ConditionalExpression): Type {
  const { test, consequent, alternate } = expression
  expect(inference, BOOL, inferExpression(inference, test), test)
  const type = inferExpression(inference, consequent)
  return expect(inference, type, inferExpression(inference, alternate), alternate)
}

function inferArray(inference: Inference, { elements }: ArrayExpression): Type {
  let element: Type | undefined
  for (const expression of elements) {
    const type = inferExpression(inference, expression)
    element = element === undefined ? type : expect(inference, element, type, expression)
  }
  return new CollectionType('array', element ?? inference.unifier.fresh())
}

function inferDictionary(inference: Inference, { elements, location }: DictExpression): Type {
  const { unifier } = inference
  const key = unifier.fresh()
  const value = unifier.fresh()
  for (const item of elements) {
    const keyType = inferExpression(inference, item.key)
    const valueType = inferExpression(inference, item.val)
    expect(inference, key, keyType, item.key)
    expect(inference, value, valueType, item.val)
  }
  unifier.constrain('Comparable', key, location)
  return new DictionaryType(key, value)
}

function inferRecord(inference: Inference, expression: ObjectExpression): Type {
  const source = expression.with?.source
  const tail = source && inference.typeOfName(source.name, source.location)
  const { properties } = expression
  if (properties.length === 0) return tail ?? EMPTY_RECORD
  const fields: Field[] = new Array(properties.length)
  // From the last to the first, as Flux goes.
  for (let i = properties.length - 1; i >= 0; i--) {
    const type = inferProperty(inference, properties[i])
    fields[i] = { label: keyName(properties[i].key), type }
  }
  return new RecordType(fields, tail)
}

function inferInterpolation(inference: Inference, { parts }: StringExpression): Type {
  for (const part of parts) {
    if (part.type === 'TextPart') continue
    const type = inferExpression(inference, part.expression)
    inference.unifier.constrain('Stringable', type, placeOf(part.expression))
  }
  return STRING
}
