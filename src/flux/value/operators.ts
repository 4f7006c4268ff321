// The binary operators. Types are told from the values; with null on either side the result is null.
// Integers wrap around at 64 bits. One function per operator, chosen once when a script is compiled.

import { compareUtf8 } from '../../column/series.js'
import type { BinaryOperator } from '../syntax/ast.js'
import { durationNs, durationOfNs, negateDuration } from './duration.js'
import { areEqual } from './equality.js'
import { FluxError } from './error.js'
import { matches } from './regexp.js'
import { checkParts, checkTextLength, comparedPartsMax } from './size.js'
import { typeName } from './type-name.js'
import {
  Bytes,
  Duration,
  Dynamic,
  FluxRecord,
  type FluxValue,
  Regexp,
  Time,
  Uint,
} from './value.js'

export type BinaryFunction = (left: FluxValue, right: FluxValue) => FluxValue

function unsupported(left: FluxValue, operator: BinaryOperator, right: FluxValue): never {
  const types = `${typeName(left)} ${operator} ${typeName(right)}`
  throw new FluxError(`unsupported binary expression ${types}`)
}

function add(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return left + right
  if (typeof left === 'bigint' && typeof right === 'bigint') return BigInt.asIntN(64, left + right)
  if (typeof left === 'string' && typeof right === 'string') {
    checkTextLength(left.length + right.length)
    return left + right
  }
  if (left instanceof Uint && right instanceof Uint) return uintOf(left.value + right.value)
  if (left instanceof Duration && right instanceof Duration) {
    return durationOfNs(BigInt.asIntN(64, durationNs(left) + durationNs(right)))
  }
  return unsupported(left, '+', right)
}

function subtract(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left === 'bigint' && typeof right === 'bigint') return BigInt.asIntN(64, left - right)
  if (left instanceof Uint && right instanceof Uint) return uintOf(left.value - right.value)
  if (left instanceof Duration && right instanceof Duration) {
    return durationOfNs(BigInt.asIntN(64, durationNs(left) - durationNs(right)))
  }
  return unsupported(left, '-', right)
}

function multiply(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return left * right
  if (typeof left === 'bigint' && typeof right === 'bigint') return BigInt.asIntN(64, left * right)
  if (left instanceof Uint && right instanceof Uint) return uintOf(left.value * right.value)
  return unsupported(left, '*', right)
}

function divide(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return left / right
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (right === 0n) throw new FluxError('cannot divide by zero')
    return BigInt.asIntN(64, left / right)
  }
  if (left instanceof Uint && right instanceof Uint) {
    if (right.value === 0n) throw new FluxError('cannot divide by zero')
    return uintOf(left.value / right.value)
  }
  return unsupported(left, '/', right)
}

function remainder(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return left % right
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (right === 0n) throw new FluxError('cannot mod zero')
    return left % right
  }
  if (left instanceof Uint && right instanceof Uint) {
    if (right.value === 0n) throw new FluxError('cannot mod zero')
    return uintOf(left.value % right.value)
  }
  return unsupported(left, '%', right)
}

/** Always a float. */
function power(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return floatPower(left, right)
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    return floatPower(Number(left), Number(right))
  }
  if (left instanceof Uint && right instanceof Uint) {
    return floatPower(Number(left.value), Number(right.value))
  }
  return unsupported(left, '^', right)
}

/** As IEEE 754 and Go have it; JavaScript alone says NaN where the base is 1 or -1. */
export function floatPower(base: number, exponent: number): number {
  if (base === 1) return 1
  if (base === -1 && (exponent === Infinity || exponent === -Infinity)) return 1
  return base ** exponent
}

/** Negative, zero, positive; NaN: neither is less; undefined: the two are not compared. */
function order(left: FluxValue, right: FluxValue): number | undefined {
  if (left instanceof Time && right instanceof Time) return sign(left.ns, right.ns)
  const a = comparable(left)
  const b = comparable(right)
  if (typeof a === 'string' || typeof b === 'string') {
    return typeof a === 'string' && typeof b === 'string' ? compareUtf8(a, b) : undefined
  }
  if (a === undefined || b === undefined) return undefined
  // An integer beside a float is compared as a float, as Go converts it.
  if (typeof a === 'bigint' && typeof b === 'bigint') return sign(a, b)
  return sign(Number(a), Number(b))
}

function comparable(value: FluxValue): number | bigint | string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string') {
    return value
  }
  return value instanceof Uint ? value.value : undefined
}

function sign<T extends number | bigint>(a: T, b: T): number {
  if (a < b) return -1
  if (a > b) return 1
  // biome-ignore lint/suspicious/noSelfCompare: the quickest way to see NaN
  return a !== a || b !== b ? Number.NaN : 0
}

function less(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return left < right
  if (typeof left === 'bigint' && typeof right === 'bigint') return left < right
  return (order(left, right) ?? unsupported(left, '<', right)) < 0
}

function lessOrEqual(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return left <= right
  if (typeof left === 'bigint' && typeof right === 'bigint') return left <= right
  return (order(left, right) ?? unsupported(left, '<=', right)) <= 0
}

function greater(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return left > right
  if (typeof left === 'bigint' && typeof right === 'bigint') return left > right
  return (order(left, right) ?? unsupported(left, '>', right)) > 0
}

function greaterOrEqual(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'number' && typeof right === 'number') return left >= right
  if (typeof left === 'bigint' && typeof right === 'bigint') return left >= right
  return (order(left, right) ?? unsupported(left, '>=', right)) >= 0
}

/** undefined: the two are not compared. */
function sameness(left: FluxValue, right: FluxValue): boolean | undefined {
  if (typeof left === typeof right && typeof left !== 'object') return left === right
  if (Array.isArray(left) || left instanceof FluxRecord) {
    if (Array.isArray(left) !== Array.isArray(right) || !isCollection(right)) return undefined
    checkParts(left, comparedPartsMax)
    return areEqual(left, right)
  }
  if (left instanceof Bytes) return right instanceof Bytes ? areEqual(left, right) : undefined
  const found = order(left, right)
  return found === undefined ? undefined : found === 0
}

function isCollection(value: FluxValue): boolean {
  return Array.isArray(value) || value instanceof FluxRecord
}

function equal(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  return sameness(left, right) ?? unsupported(left, '==', right)
}

/** Records, arrays and bytes are only tested for equality. */
function notEqual(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left === 'object' && !(left instanceof Time || left instanceof Uint)) {
    return unsupported(left, '!=', right)
  }
  return !(sameness(left, right) ?? unsupported(left, '!=', right))
}

function matchesPattern(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left !== 'string' || !(right instanceof Regexp)) return unsupported(left, '=~', right)
  return matches(right, left)
}

function matchesNot(left: FluxValue, right: FluxValue): FluxValue {
  if (left === null || right === null) return null
  if (typeof left !== 'string' || !(right instanceof Regexp)) return unsupported(left, '!~', right)
  return !matches(right, left)
}

const functions: Readonly<Record<BinaryOperator, BinaryFunction>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': remainder,
  '^': power,
  '<': less,
  '<=': lessOrEqual,
  '>': greater,
  '>=': greaterOrEqual,
  '==': equal,
  '!=': notEqual,
  '=~': matchesPattern,
  '!~': matchesNot,
}

export function binaryFunction(operator: BinaryOperator): BinaryFunction {
  return functions[operator]
}

function uintOf(value: bigint): Uint {
  return new Uint(BigInt.asUintN(64, value))
}

export function negate(value: FluxValue): FluxValue {
  if (value === null) return null
  if (typeof value === 'number') return -value
  if (typeof value === 'bigint') return BigInt.asIntN(64, -value)
  if (value instanceof Duration) return negateDuration(value)
  const got = typeName(value)
  throw new FluxError(`operand to unary expression is not a number value, got ${got}`)
}

export function not(value: FluxValue): FluxValue {
  if (value === null) return null
  if (typeof value === 'boolean') return !value
  const got = typeName(value)
  throw new FluxError(`operand to unary expression is not a boolean value, got ${got}`)
}

/** A dynamic value that holds nothing does not exist either. */
export function exists(value: FluxValue): boolean {
  return value instanceof Dynamic ? exists(value.inner) : value !== null
}
