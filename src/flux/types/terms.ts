// The types of Flux as terms of a graph. Variables are cells that unification fills in; a variable
// that is filled is only a step on the way to its type, so whoever looks at a type resolves it first.

import type { SourceLocation } from '../syntax/ast.js'
import type { BasicName, Kind } from './kinds.js'

export type Type =
  | ErrorType
  | BasicType
  | LabelType
  | DynamicType
  | Variable
  | CollectionType
  | DictionaryType
  | RecordType
  | FunctionType

/** What stands where a mistake was reported already: fits everything, so that one mistake is told once. */
export interface ErrorType {
  readonly kind: 'error'
}

export interface BasicType {
  readonly kind: 'basic'
  readonly name: BasicName
}

/** `.name`: the type of exactly this name of a column. */
export interface LabelType {
  readonly kind: 'label'
  readonly name: string
}

export interface DynamicType {
  readonly kind: 'dynamic'
}

/** Level of the variables that a scheme quantifies: every use gets variables of its own instead. */
export const QUANTIFIED = Number.POSITIVE_INFINITY

/** Of one walk over types: what has it was seen by that walk. */
export class Mark {}

export class Variable {
  readonly kind = 'variable'
  /** What it turned out to be. */
  link: Type | undefined = undefined
  /**
   * How many assignments and functions stand around the innermost one that may still say what it is: what lies deeper
   * than the assignment that is done belongs to nobody else, and is quantified.
   */
  level: number
  /** What it must be able to do, in the order in which that came up: the first that fails is reported. */
  kinds: readonly Kind[]
  /** The walk that came by last, and what it made of it. */
  mark: Mark | undefined = undefined
  copy: Type | undefined = undefined

  constructor(level: number, kinds: readonly Kind[] = []) {
    this.level = level
    this.kinds = kinds
  }
}

export class CollectionType {
  readonly kind = 'collection'
  readonly form: 'array' | 'stream' | 'vector'
  readonly element: Type
  readonly isGround: boolean
  mark: Mark | undefined = undefined
  copy: Type | undefined = undefined

  constructor(form: 'array' | 'stream' | 'vector', element: Type) {
    this.form = form
    this.element = element
    this.isGround = isGround(element)
  }
}

export class DictionaryType {
  readonly kind = 'dictionary'
  readonly key: Type
  readonly value: Type
  readonly isGround: boolean
  mark: Mark | undefined = undefined
  copy: Type | undefined = undefined

  constructor(key: Type, value: Type) {
    this.key = key
    this.value = value
    this.isGround = isGround(key) && isGround(value)
  }
}

export interface Field {
  /** A variable: a label that is an argument of the function. */
  readonly label: string | Variable
  readonly type: Type
}

/**
 * Fields before those of the tail. A label may stand several times, as in `{r with a: 1}` where `r` has an `a`: the
 * first is the one that counts. No tail: there are no other fields.
 */
export class RecordType {
  readonly kind = 'record'
  readonly fields: readonly Field[]
  readonly tail: Type | undefined
  readonly isGround: boolean
  mark: Mark | undefined = undefined
  copy: Type | undefined = undefined
  /** All fields as far as they are known. */
  row: Row | undefined = undefined

  constructor(fields: readonly Field[], tail: Type | undefined) {
    this.fields = fields
    this.tail = tail
    this.isGround = (tail === undefined || isGround(tail)) && fields.every(isGroundField)
  }
}

export interface ParameterTerm {
  readonly name: string
  readonly type: Type
  /** What an optional parameter is where it is not given: labels only. */
  readonly otherwise?: Type | undefined
  /** Of an argument in a call. */
  readonly at?: SourceLocation | undefined
}

/** A pipe parameter without a name, as calls have it. */
export const PIPE = '<-'

export class FunctionType {
  readonly kind = 'function'
  /** Both sorted by name. */
  readonly required: readonly ParameterTerm[]
  readonly optional: readonly ParameterTerm[]
  readonly pipe: ParameterTerm | undefined
  readonly result: Type
  readonly isGround: boolean
  mark: Mark | undefined = undefined
  copy: Type | undefined = undefined

  constructor(
    required: readonly ParameterTerm[],
    optional: readonly ParameterTerm[],
    pipe: ParameterTerm | undefined,
    result: Type,
  ) {
    this.required = required
    this.optional = optional
    this.pipe = pipe
    this.result = result
    this.isGround =
      isGround(result) &&
      required.every(isGroundParameter) &&
      optional.every(isGroundParameter) &&
      (pipe === undefined || isGroundParameter(pipe))
  }
}

export type Composite = CollectionType | DictionaryType | RecordType | FunctionType

export const ERROR: ErrorType = { kind: 'error' }
export const DYNAMIC: DynamicType = { kind: 'dynamic' }
export const EMPTY_RECORD = new RecordType([], undefined)

const basicOf = (name: BasicName): BasicType => ({ kind: 'basic', name })
export const BOOL = basicOf('bool')
export const INT = basicOf('int')
export const UINT = basicOf('uint')
export const FLOAT = basicOf('float')
export const STRING = basicOf('string')
export const DURATION = basicOf('duration')
export const TIME = basicOf('time')
export const REGEXP = basicOf('regexp')
export const BYTES = basicOf('bytes')

const BASIC = new Map<string, BasicType>(
  [BOOL, INT, UINT, FLOAT, STRING, DURATION, TIME, REGEXP, BYTES].map((type) => [type.name, type]),
)

export function basicType(name: string): BasicType | undefined {
  return BASIC.get(name)
}

/** Follows filled variables to what they stand for, and shortens the way for the next who comes. */
export function resolve(type: Type): Type {
  if (type.kind !== 'variable' || type.link === undefined) return type
  let end: Type = type.link
  while (end.kind === 'variable' && end.link !== undefined) end = end.link
  let step: Type = type
  while (step.kind === 'variable' && step.link !== undefined && step !== end) {
    const next: Type = step.link
    step.link = end
    step = next
  }
  return end
}

/** Has no variables inside, filled or not: nothing that a walk could find. */
function isGround(type: Type): boolean {
  switch (type.kind) {
    case 'variable':
      return false
    case 'collection':
    case 'dictionary':
    case 'record':
    case 'function':
      return type.isGround
    default:
      return true
  }
}

function isGroundField({ label, type }: Field): boolean {
  return typeof label === 'string' && isGround(type)
}

function isGroundParameter({ type, otherwise }: ParameterTerm): boolean {
  return isGround(type) && (otherwise === undefined || isGround(otherwise))
}

/** Below this a search from the front is faster than a map. */
const INDEXED_FIELDS_MIN = 16

/**
 * The fields of a record and of its tails. Kept, and longer by what the tail has become since: functions that use a
 * thousand columns would otherwise walk over all of them at every use.
 */
export class Row {
  readonly fields: Field[]
  /** Not a record: a variable where more fields may follow. */
  tail: Type | undefined
  #index: Map<string, Type> | undefined
  #indexed = 0

  constructor(record: RecordType) {
    this.fields = record.fields.slice()
    this.tail = record.tail
  }

  follow(): void {
    let tail = this.tail === undefined ? undefined : resolve(this.tail)
    while (tail !== undefined && tail.kind === 'record') {
      for (const field of tail.fields) this.fields.push(field)
      tail = tail.tail === undefined ? undefined : resolve(tail.tail)
    }
    this.tail = tail
  }

  typeOf(label: string): Type | undefined {
    if (this.fields.length < INDEXED_FIELDS_MIN) {
      for (const field of this.fields) if (labelOf(field) === label) return field.type
      return undefined
    }
    this.#index ??= new Map()
    for (; this.#indexed < this.fields.length; this.#indexed++) {
      const field = this.fields[this.#indexed]
      const known = labelOf(field)
      // Labels that are not known yet come into the map with the first search after they are.
      if (typeof known !== 'string') break
      if (!this.#index.has(known)) this.#index.set(known, field.type)
    }
    return this.#index.get(label) ?? this.#behindIndex(label)
  }

  #behindIndex(label: string): Type | undefined {
    for (let i = this.#indexed; i < this.fields.length; i++) {
      if (labelOf(this.fields[i]) === label) return this.fields[i].type
    }
    return undefined
  }
}

/** All fields that are known, those of the tails included. The row grows when the tail does. */
export function rowOf(record: RecordType): Row {
  record.row ??= new Row(record)
  record.row.follow()
  return record.row
}

/** The label, if it is known by now. */
export function labelOf(field: Field): string | Variable | ErrorType {
  if (typeof field.label === 'string') return field.label
  const label = resolve(field.label)
  if (label.kind === 'label') return label.name
  return label.kind === 'variable' ? label : ERROR
}

export function byName(a: ParameterTerm, b: ParameterTerm): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
