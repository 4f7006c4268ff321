// Types as Flux prints them: `(<-tables: stream[A], ?n: int) => stream[A]`. Variables are named by
// letters in the order in which they are met; wide types are broken into lines as Flux breaks them.

import {
  concat,
  type Doc,
  group,
  hardLine,
  ifBroken,
  line,
  lineOrNothing,
  nest,
  nil,
  render,
  separated,
  text,
} from '../syntax/layout.js'
import type { Kind } from './kinds.js'
import type { Scheme } from './scheme.js'
import {
  type Field,
  type FunctionType,
  labelOf,
  type ParameterTerm,
  PIPE,
  type RecordType,
  resolve,
  rowOf,
  type Type,
  Variable,
} from './terms.js'

const WIDTH_MAX = 120
/** Records and parameter lists of more parts are always broken. */
const INLINE_PARTS_MAX = 4
/** Of one text: a type of which parts are shared may be endless when it is written out. */
const PARTS_MAX = 1_000
const DEPTH_MAX = 24

/** The letters of the variables in one message. */
export class TypeNames {
  readonly #names = new Map<Variable, string>()
  #parts = 0

  of(variable: Variable): string {
    const known = this.#names.get(variable)
    if (known !== undefined) return known
    const number = this.#names.size
    const name = number < 26 ? String.fromCharCode(65 + number) : `t${number}`
    this.#names.set(variable, name)
    return name
  }

  get named(): ReadonlyMap<Variable, string> {
    return this.#names
  }

  /** false: enough is written. */
  countPart(): boolean {
    return ++this.#parts <= PARTS_MAX
  }
}

/** Records as messages show them: the fields in falling order of their labels. */
export function typeText(type: Type, names: TypeNames): string {
  nameVariables(type, names)
  return render(new Printer(names, 'falling').of(type), WIDTH_MAX)
}

/** Records in the order of their fields, and behind `where` what the variables must be able to do. */
export function schemeText({ type }: Scheme): string {
  const names = new TypeNames()
  const written = render(new Printer(names, 'given').of(type), WIDTH_MAX)
  const constraints: string[] = []
  for (const [variable, name] of names.named) {
    if (variable.kinds.length > 0) constraints.push(`${name}: ${kindsText(variable.kinds)}`)
  }
  return constraints.length === 0 ? written : `${written} where ${constraints.join(', ')}`
}

function kindsText(kinds: readonly Kind[]): string {
  return [...kinds].sort().join(' + ')
}

/** Letters are given in another order than that of the print: required, optional, pipe; tails before fields. */
function nameVariables(type: Type, names: TypeNames): void {
  const counted = new TypeNames()
  const visit = (part: Type, depth: number): void => {
    const end = resolve(part)
    if (!counted.countPart() || depth > DEPTH_MAX) return
    switch (end.kind) {
      case 'variable':
        names.of(end)
        return
      case 'collection':
        visit(end.element, depth + 1)
        return
      case 'dictionary':
        visit(end.key, depth + 1)
        visit(end.value, depth + 1)
        return
      case 'record': {
        const row = rowOf(end)
        if (row.tail !== undefined) visit(row.tail, depth + 1)
        for (const field of sortedFields(row.fields)) {
          const label = labelOf(field)
          if (label instanceof Variable) names.of(label)
          visit(field.type, depth + 1)
        }
        return
      }
      case 'function':
        for (const parameter of end.required) visit(parameter.type, depth + 1)
        for (const parameter of end.optional) visit(parameter.type, depth + 1)
        if (end.pipe !== undefined) visit(end.pipe.type, depth + 1)
        visit(end.result, depth + 1)
        return
      default:
        return
    }
  }
  visit(type, 0)
}

/** Of very wide records only the first are shown, and sorting all of them would be in vain. */
function sortedFields(fields: readonly Field[]): readonly Field[] {
  const keyed = fields.slice(0, PARTS_MAX).map((field) => ({ field, key: labelKey(field) }))
  return keyed
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ field }) => field)
}

/** Labels that are variables stand before all others. */
function labelKey(field: Field): string {
  const label = labelOf(field)
  return typeof label === 'string' ? `1${label}` : '0'
}

class Printer {
  readonly #names: TypeNames
  readonly #order: 'given' | 'falling'
  #depth = 0

  constructor(names: TypeNames, order: 'given' | 'falling') {
    this.#names = names
    this.#order = order
  }

  of(type: Type): Doc {
    if (!this.#names.countPart() || this.#depth > DEPTH_MAX) return text('…')
    this.#depth++
    const doc = this.#doc(resolve(type))
    this.#depth--
    return doc
  }

  #doc(type: Type): Doc {
    switch (type.kind) {
      case 'error':
        return text('<error>')
      case 'basic':
        return text(type.name)
      case 'label':
        return text(`.${type.name}`)
      case 'dynamic':
        return text('dynamic')
      case 'variable':
        return text(this.#names.of(type))
      case 'collection': {
        const open = type.form === 'array' ? '[' : type.form === 'stream' ? 'stream[' : 'v['
        return group(concat(open, this.of(type.element), ']'))
      }
      case 'dictionary':
        return group(concat('[', this.of(type.key), ':', this.of(type.value), ']'))
      case 'record':
        return this.#record(type)
      case 'function':
        return this.#function(type)
    }
  }

  #record(record: RecordType): Doc {
    const { fields, tail } = rowOf(record)
    // An open record without fields is what its tail is.
    if (fields.length === 0 && tail !== undefined) return this.of(tail)
    const ordered = this.#order === 'given' ? fields : [...sortedFields(fields)].reverse()
    const front =
      tail === undefined ? nil : concat(group(concat(this.of(tail), line, 'with')), line)
    const shown = ordered.slice(0, PARTS_MAX)
    const parts = shown.map((field) => concat(this.#label(field), ': ', this.of(field.type)))
    return group(concat('{', ...inside(front, parts), '}'))
  }

  #label(field: Field): string {
    const label = labelOf(field)
    if (typeof label === 'string') return label
    return label.kind === 'variable' ? this.#names.of(label) : '<error>'
  }

  #function(type: FunctionType): Doc {
    const parts: Doc[] = []
    if (type.pipe !== undefined) {
      const name = type.pipe.name === PIPE ? PIPE : `${PIPE}${type.pipe.name}`
      parts.push(concat(`${name}: `, this.of(type.pipe.type)))
    }
    for (const parameter of type.required) {
      parts.push(concat(`${parameter.name}: `, this.of(parameter.type)))
    }
    for (const parameter of type.optional) parts.push(this.#optional(parameter))
    const front = concat('(', ...inside(nil, parts), ') => ')
    return group(concat(front, this.of(type.result)))
  }

  #optional({ name, type, otherwise }: ParameterTerm): Doc {
    const written = concat(`?${name}: `, this.of(type))
    return otherwise === undefined ? written : concat(written, ' = ', this.of(otherwise))
  }
}

/** A list in brackets: on one line if it is short, otherwise a line for each, and a comma behind the last. */
function inside(front: Doc, parts: readonly Doc[]): readonly Doc[] {
  const isBroken = parts.length > INLINE_PARTS_MAX
  const edge = isBroken ? hardLine : lineOrNothing
  const separator = concat(',', isBroken ? hardLine : line)
  const trailing = parts.length === 0 ? nil : ifBroken(text(','))
  const list = concat(front, separated(parts.map(group), separator), trailing)
  return [nest(concat(edge, list)), edge]
}
