// Makes two types one: what is expected and what was found. Variables are filled in on the way; what
// does not fit is noted with its place, and the rest is still looked at, so that all mistakes of a
// call are told together. Records and functions have their own files.

import type { SourceLocation } from '../syntax/ast.js'
import type { Context, Failure, LocatedFailure } from './failure.js'
import { basicIs, type Kind, labelIs, unionOfKinds } from './kinds.js'
import { checkDepth, eachPart, isComposite, type TypeBudget } from './scheme.js'
import {
  type CollectionType,
  Mark,
  type RecordType,
  resolve,
  rowOf,
  type Type,
  Variable,
} from './terms.js'
import { unifyFunctions } from './unify-functions.js'
import { hasOpenLabel, unifyRecords } from './unify-records.js'

/** More of them help nobody, and a short script can have as many as it has letters. */
const FAILURES_MAX = 100

export class Unifier {
  readonly failures: LocatedFailure[] = []
  #failed = 0
  readonly budget: TypeBudget
  /** Of the functions and assignments around what is looked at. */
  level = 0
  #location: SourceLocation
  #context: Context | undefined = undefined
  #depth = 0
  /** Records with labels that are not known before the rest of the call is. */
  #delayed: [RecordType, RecordType][] = []

  constructor(location: SourceLocation, budget: TypeBudget) {
    this.#location = location
    this.budget = budget
  }

  /** The place of what is looked at, for failures that have none of their own. */
  get location(): SourceLocation {
    return this.#location
  }

  fresh(): Variable {
    this.budget.spend()
    return new Variable(this.level)
  }

  /** true: the types are one now. */
  equal(expected: Type, found: Type, location: SourceLocation): boolean {
    const before = this.#failed
    this.#location = location
    this.#context = undefined
    this.unify(expected, found)
    this.finishDelayed(location)
    return this.#failed === before
  }

  constrain(kind: Kind, type: Type, location: SourceLocation): void {
    this.#location = location
    this.#context = undefined
    this.require(kind, type)
  }

  finishDelayed(location: SourceLocation): void {
    if (this.#delayed.length === 0) return
    this.#location = location
    this.#context = undefined
    for (let pair = this.#delayed.pop(); pair !== undefined; pair = this.#delayed.pop()) {
      unifyRecords(this, pair[0], pair[1])
    }
  }

  fail(failure: Failure): void {
    this.failAt(this.#location, failure)
  }

  /** Without a place of its own it is where everything is that is looked at. */
  failAt(location: SourceLocation | undefined, failure: Failure): void {
    const context = this.#context
    this.note({ location: location ?? this.#location, failure, context })
  }

  note(failure: LocatedFailure): void {
    this.#failed++
    if (this.failures.length < FAILURES_MAX) this.failures.push(failure)
  }

  /** What fails inside is told as a part of an argument, a result or a field, and at its place if it has one. */
  within(context: Context, location: SourceLocation | undefined, inside: () => void): void {
    const outerContext = this.#context
    const outerLocation = this.#location
    this.#context = context
    if (location !== undefined) this.#location = location
    inside()
    this.#context = outerContext
    this.#location = outerLocation
  }

  get context(): Context | undefined {
    return this.#context
  }

  unify(expected: Type, found: Type): void {
    const a = resolve(expected)
    const b = resolve(found)
    if (a === b) return
    checkDepth(++this.#depth)
    this.budget.spend()
    this.#unifyResolved(a, b)
    this.#depth--
  }

  #unifyResolved(a: Type, b: Type): void {
    if (a.kind === 'error' || b.kind === 'error') return
    if (a.kind === 'variable') return b.kind === 'variable' ? this.#join(a, b) : this.#bind(a, b)
    if (b.kind === 'variable') return this.#bind(b, a)
    if (a.kind === 'dynamic' || b.kind === 'dynamic') {
      const other = a.kind === 'dynamic' ? b : a
      // Members of dynamic values are looked up as those of records are.
      if (other.kind === 'dynamic' || other.kind === 'record') return
    } else if (a.kind === 'basic' && b.kind === 'basic') {
      if (a.name === b.name) return
    } else if (a.kind === 'label' && b.kind === 'label') {
      if (a.name === b.name) return
    } else if (a.kind === 'collection' && b.kind === 'collection') {
      return this.#collections(a, b)
    } else if (a.kind === 'dictionary' && b.kind === 'dictionary') {
      this.unify(a.key, b.key)
      return this.unify(a.value, b.value)
    } else if (a.kind === 'record' && b.kind === 'record') {
      return this.#records(a, b)
    } else if (a.kind === 'function' && b.kind === 'function') {
      return unifyFunctions(this, a, b)
    }
    this.fail({ kind: 'mismatch', expected: a, found: b })
  }

  #collections(a: CollectionType, b: CollectionType): void {
    if (a.form !== b.form) this.fail({ kind: 'mismatch', expected: a, found: b })
    this.unify(a.element, b.element)
  }

  #records(a: RecordType, b: RecordType): void {
    if (hasOpenLabel(a) || hasOpenLabel(b)) this.#delayed.push([a, b])
    else unifyRecords(this, a, b)
  }

  #join(a: Variable, b: Variable): void {
    b.level = Math.min(a.level, b.level)
    b.kinds = unionOfKinds(a.kinds, b.kinds)
    a.link = b
  }

  #bind(variable: Variable, type: Type): void {
    if (this.#occurs(variable, type, variable.level, new Mark(), 0)) {
      this.fail({ kind: 'recursive', variable, type })
      return
    }
    variable.link = type
    for (const kind of variable.kinds) if (!this.require(kind, type)) return
  }

  /** Is the variable a part of the type? Whatever is, is from now on as far out as the variable. */
  #occurs(variable: Variable, type: Type, level: number, mark: Mark, depth: number): boolean {
    checkDepth(depth)
    const end = resolve(type)
    if (end === variable) return true
    if (end.kind === 'variable') {
      if (end.level > level) end.level = level
      return false
    }
    if (!isComposite(end) || end.isGround || end.mark === mark) return false
    end.mark = mark
    let found = false
    eachPart(end, (part) => {
      found ||= this.#occurs(variable, part, level, mark, depth + 1)
    })
    return found
  }

  /** false: it is not of the kind, and that is noted. */
  require(kind: Kind, type: Type): boolean {
    return this.#require(kind, type, new Mark(), 0)
  }

  /** Records that hold others several times are looked at once: whatever fails ends the walk. */
  #require(kind: Kind, type: Type, mark: Mark, depth: number): boolean {
    checkDepth(depth)
    const end = resolve(type)
    switch (end.kind) {
      case 'error':
        return true
      case 'variable':
        if (!end.kinds.includes(kind)) end.kinds = [...end.kinds, kind]
        return true
      case 'basic':
        return basicIs(end.name, kind) || this.#unable(kind, end)
      case 'label':
        return labelIs(kind) || this.#unable(kind, end)
      case 'dynamic':
        return kind === 'Basic' || this.#unable(kind, end)
      case 'collection':
        if (end.form === 'vector' || kind === 'Equatable') {
          return this.#require(kind, end.element, mark, depth + 1)
        }
        return this.#unable(kind, end)
      case 'record':
        return kind === 'Record' || this.#recordIs(kind, end, mark, depth)
      default:
        return this.#unable(kind, end)
    }
  }

  #recordIs(kind: Kind, record: RecordType, mark: Mark, depth: number): boolean {
    if (kind !== 'Equatable') return this.#unable(kind, record)
    if (record.mark === mark) return true
    record.mark = mark
    const { fields, tail } = rowOf(record)
    this.budget.spend(fields.length)
    let isEquatable = true
    for (const { type } of fields) isEquatable &&= this.#require(kind, type, mark, depth + 1)
    if (tail !== undefined) isEquatable &&= this.#require(kind, tail, mark, depth + 1)
    return isEquatable
  }

  #unable(kind: Kind, type: Type): false {
    this.fail({ kind: 'unable', type, needed: kind })
    return false
  }
}
