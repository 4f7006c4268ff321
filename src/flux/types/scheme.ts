// Schemes: types with quantified variables, as names have them. Made from the type of an assignment
// (generalize), and turned into a type with variables of its own at each use (instantiate).
//
// Types are graphs in which parts are shared, so walks mark what they have seen: a type that would be
// written with a thousand million letters is walked over in as many steps as it has parts.

import {
  CollectionType,
  type Composite,
  DictionaryType,
  type Field,
  FunctionType,
  Mark,
  type ParameterTerm,
  QUANTIFIED,
  RecordType,
  resolve,
  rowOf,
  type Type,
  Variable,
} from './terms.js'

export interface Scheme {
  readonly type: Type
  /** false: the type is the same at every use. */
  readonly isQuantified: boolean
}

/** Types that grow without end are refused with this; whoever started the inference reports it. */
export class TypeTooLarge extends Error {
  constructor() {
    super('the types of this script are too large')
  }
}

/** Deeper than any type that is written by hand; recursion over types stays far from the end of the stack. */
const TYPE_DEPTH_MAX = 300

export function checkDepth(depth: number): void {
  if (depth > TYPE_DEPTH_MAX) throw new TypeTooLarge()
}

/** Counts the parts of types that one inference makes. */
export class TypeBudget {
  #parts: number

  constructor(partsMax: number) {
    this.#parts = partsMax
  }

  spend(parts = 1): void {
    this.#parts -= parts
    if (this.#parts < 0) throw new TypeTooLarge()
  }
}

export function plain(type: Type): Scheme {
  return { type, isQuantified: false }
}

/** Quantifies all variables that nobody outside of the assignment can still say something about. */
export function generalize(type: Type, level: number): Scheme {
  const walk = new Generalization(level, new Mark())
  walk.visit(type, 0)
  return { type, isQuantified: walk.found }
}

class Generalization {
  readonly #level: number
  readonly #mark: Mark
  found = false

  constructor(level: number, mark: Mark) {
    this.#level = level
    this.#mark = mark
  }

  visit(type: Type, depth: number): void {
    checkDepth(depth)
    const end = resolve(type)
    if (end.kind === 'variable') {
      if (end.level <= this.#level) return
      end.level = QUANTIFIED
      this.found = true
      return
    }
    if (!isComposite(end) || end.isGround || end.mark === this.#mark) return
    end.mark = this.#mark
    eachPart(end, (part) => this.visit(part, depth + 1))
  }
}

export function isComposite(type: Type): type is Composite {
  return (
    type.kind === 'collection' ||
    type.kind === 'dictionary' ||
    type.kind === 'record' ||
    type.kind === 'function'
  )
}

export function eachPart(type: Composite, visit: (part: Type) => void): void {
  switch (type.kind) {
    case 'collection':
      visit(type.element)
      return
    case 'dictionary':
      visit(type.key)
      visit(type.value)
      return
    case 'record': {
      // Row by row: tails of tails are as many as a function uses columns, and must not be a recursion.
      const { fields, tail } = rowOf(type)
      for (const field of fields) {
        if (typeof field.label !== 'string') visit(field.label)
        visit(field.type)
      }
      if (tail !== undefined) visit(tail)
      return
    }
    case 'function':
      for (const parameter of type.required) visit(parameter.type)
      for (const parameter of type.optional) visit(parameter.type)
      if (type.pipe !== undefined) visit(type.pipe.type)
      visit(type.result)
      return
  }
}

/** A type of the scheme with fresh variables, which have the kinds of those they stand for. */
export function instantiate(scheme: Scheme, level: number, budget: TypeBudget): Type {
  if (!scheme.isQuantified) return scheme.type
  return new Copy(QUANTIFIED, level, budget).of(scheme.type, 0)
}

/** The same for a type that is not generalized yet: its own variables, deeper than the level, become fresh ones. */
export function copyAbove(type: Type, level: number, budget: TypeBudget): Type {
  return new Copy(level + 1, level, budget).of(type, 0)
}

class Copy {
  readonly #from: number
  readonly #level: number
  readonly #budget: TypeBudget
  readonly #mark = new Mark()

  constructor(from: number, level: number, budget: TypeBudget) {
    this.#from = from
    this.#level = level
    this.#budget = budget
  }

  of(type: Type, depth: number): Type {
    checkDepth(depth)
    const end = resolve(type)
    if (end.kind === 'variable') return end.level >= this.#from ? this.#variable(end) : end
    if (!isComposite(end) || end.isGround) return end
    if (end.mark === this.#mark && end.copy !== undefined) return end.copy
    this.#budget.spend()
    const copy = this.#composite(end, depth + 1)
    end.mark = this.#mark
    end.copy = copy
    return copy
  }

  #variable(variable: Variable): Type {
    if (variable.mark === this.#mark && variable.copy !== undefined) return variable.copy
    this.#budget.spend()
    const copy = new Variable(this.#level, variable.kinds)
    variable.mark = this.#mark
    variable.copy = copy
    return copy
  }

  #composite(type: Composite, depth: number): Type {
    switch (type.kind) {
      case 'collection':
        return new CollectionType(type.form, this.of(type.element, depth))
      case 'dictionary':
        return new DictionaryType(this.of(type.key, depth), this.of(type.value, depth))
      case 'record': {
        const { fields, tail } = rowOf(type)
        const copies = fields.map((field) => this.#field(field, depth))
        return new RecordType(copies, tail && this.of(tail, depth))
      }
      case 'function': {
        const parameter = (term: ParameterTerm): ParameterTerm => this.#parameter(term, depth)
        return new FunctionType(
          type.required.map(parameter),
          type.optional.map(parameter),
          type.pipe && parameter(type.pipe),
          this.of(type.result, depth),
        )
      }
    }
  }

  #field({ label, type }: Field, depth: number): Field {
    const copy = typeof label === 'string' ? label : this.of(label, depth)
    if (typeof copy === 'string') return { label: copy, type: this.of(type, depth) }
    // A label that is known by now is written as the name it is.
    const name = copy.kind === 'label' ? copy.name : copy.kind === 'variable' ? copy : label
    return { label: name, type: this.of(type, depth) }
  }

  #parameter({ name, type, otherwise }: ParameterTerm, depth: number): ParameterTerm {
    return { name, type: this.of(type, depth), otherwise }
  }
}
