// Records, arrays and dictionaries: making them and looking into them. What is costly per row (which
// place a name has) is remembered at the place in the text that asks.

import type { MaybePromise } from '../../platform/pull-stream.js'
import type {
  ArrayExpression,
  DictExpression,
  Identifier,
  IndexExpression,
  MemberExpression,
  ObjectExpression,
  Property,
  StringLiteral,
} from '../syntax/ast.js'
import { dictionaryOf } from '../value/dictionary.js'
import { FluxError } from '../value/error.js'
import { PlacedRecord, RecordExtension, RecordLayout, SlotRecord } from '../value/record.js'
import { typeName } from '../value/type-name.js'
import { Dynamic, FluxRecord, type FluxValue } from '../value/value.js'
import { type Compiler, compileError } from './compiler.js'
import { type Evaluate, evaluateAll, evaluateBoth } from './evaluate.js'
import { compileExpression } from './expressions.js'
import type { Frame } from './frame.js'

export function keyName(key: Identifier | StringLiteral): string {
  return key.type === 'Identifier' ? key.name : key.value
}

/** The first that stands there twice. */
export function repeatedName(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find((name) => seen.size === seen.add(name).size)
}

/** `{a}` is `{a: a}`. */
export function compileProperty({ key, value, location }: Property, compiler: Compiler): Evaluate {
  if (value !== null) return compileExpression(value, compiler)
  return compiler.identifier(keyName(key), location)
}

export function compileRecord(node: ObjectExpression, compiler: Compiler): Evaluate {
  const names = node.properties.map(({ key }) => keyName(key))
  const duplicate = repeatedName(names)
  if (duplicate !== undefined) {
    throw compileError(node.location, `duplicate key in object: "${duplicate}"`)
  }
  const values = node.properties.map((property) => compileProperty(property, compiler))
  if (node.with !== undefined) return compileExtension(node.with.source, names, values, compiler)
  const layout = new RecordLayout(names)
  return (frame) => {
    const ready = evaluateAll(values, frame)
    if (ready instanceof Promise) return ready.then((all) => new SlotRecord(layout, all))
    return new SlotRecord(layout, ready)
  }
}

function compileExtension(
  source: Identifier,
  names: readonly string[],
  values: readonly Evaluate[],
  compiler: Compiler,
): Evaluate {
  const record = compiler.identifier(source.name, source.location)
  const extension = new RecordExtension(names)
  const extend = (from: FluxValue, ready: readonly FluxValue[], { run }: Frame): FluxValue => {
    if (from instanceof FluxRecord) {
      const extended = extension.extend(from, ready)
      if (!run.isStreaming) run.holdRecord(extended)
      return extended
    }
    throw new FluxError(
      from === null
        ? 'null value on left hand side of "with" in record literal'
        : `value on left hand side of "with" in record literal has type ${typeName(from)}; expected record`,
    )
  }
  return (frame) => {
    const from = record(frame)
    if (from instanceof Promise) {
      return from.then(async (base) => extend(base, await evaluateAll(values, frame), frame))
    }
    const ready = evaluateAll(values, frame)
    return ready instanceof Promise
      ? ready.then((all) => extend(from, all, frame))
      : extend(from, ready, frame)
  }
}

export function compileMember(node: MemberExpression, compiler: Compiler): Evaluate {
  const object = compileExpression(node.object, compiler)
  const name = keyName(node.property)
  // Rows of one table, and records of one expression, have the same shape: the place is looked up when it changes.
  let shape: object | undefined
  let place = -1
  const read = (value: FluxValue, frame: Frame): FluxValue => {
    if (value instanceof PlacedRecord) {
      if (value.shape !== shape) {
        place = value.place(name)
        shape = value.shape
      }
      return place < 0 ? null : value.at(place)
    }
    if (value instanceof FluxRecord) return value.get(name) ?? null
    if (value instanceof Dynamic) return dynamicMember(value, name, frame)
    return refuseMember(value, name, frame)
  }
  return (frame) => {
    const value = object(frame)
    return value instanceof Promise ? value.then((ready) => read(ready, frame)) : read(value, frame)
  }
}

function dynamicMember({ inner }: Dynamic, name: string, frame: Frame): FluxValue {
  if (!(inner instanceof FluxRecord)) return refuseMember(inner, name, frame)
  const value = inner.get(name) ?? null
  return value instanceof Dynamic ? value : new Dynamic(value)
}

/** Row functions and scripts have words of their own for it. */
function refuseMember(value: FluxValue, name: string, { run }: Frame): never {
  const type = typeName(value)
  if (!run.isStreaming) {
    throw new FluxError(`cannot access property "${name}" on value of type ${type}`)
  }
  const what = value === null ? 'a null value' : `a value with type ${type}`
  throw new FluxError(`cannot access property of ${what}; expected record`)
}

export function compileIndex(node: IndexExpression, compiler: Compiler): Evaluate {
  const array = compileExpression(node.array, compiler)
  const index = compileExpression(node.index, compiler)
  return evaluateBoth(array, index, element)
}

function element(array: FluxValue, index: FluxValue): FluxValue {
  if (array instanceof Dynamic) {
    const value = element(array.inner, index)
    return value instanceof Dynamic ? value : new Dynamic(value)
  }
  if (!Array.isArray(array)) {
    const what = array === null ? 'a null value' : `a value of type ${typeName(array)}`
    throw new FluxError(`cannot index into ${what}; expected an array`)
  }
  if (typeof index !== 'bigint') {
    const what = index === null ? 'null value' : `value of type ${typeName(index)}`
    throw new FluxError(`cannot index into an array with ${what}; expected an int`)
  }
  if (index >= 0n && index < BigInt(array.length)) return array[Number(index)]
  throw new FluxError(`cannot access element ${index} of array of length ${array.length}`)
}

export function compileArray({ elements }: ArrayExpression, compiler: Compiler): Evaluate {
  const parts = elements.map((part) => compileExpression(part, compiler))
  return (frame): MaybePromise<FluxValue> => evaluateAll(parts, frame)
}

export function compileDictionary({ elements }: DictExpression, compiler: Compiler): Evaluate {
  const parts = elements.flatMap(({ key, val }) => [
    compileExpression(key, compiler),
    compileExpression(val, compiler),
  ])
  const build = (ready: readonly FluxValue[]): FluxValue => {
    const entries = elements.map((_, i) => ({ key: ready[2 * i], value: ready[2 * i + 1] }))
    return dictionaryOf(entries)
  }
  return (frame) => {
    const ready = evaluateAll(parts, frame)
    return ready instanceof Promise ? ready.then(build) : build(ready)
  }
}
