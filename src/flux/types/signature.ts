// Written types → schemes: `(<-tables: stream[A], fn: (r: A) => B) => stream[B] where A: Record`, as
// the library's signatures and `builtin` statements have them. Letters are quantified variables.

import type {
  FunctionType as FunctionSyntax,
  MonoType,
  RecordType as RecordSyntax,
  SourceLocation,
  TypeExpression,
} from '../syntax/ast.js'
import { type Kind, kindNamed } from './kinds.js'
import { generalize, type Scheme } from './scheme.js'
import {
  basicType,
  byName,
  CollectionType,
  DictionaryType,
  DYNAMIC,
  ERROR,
  type Field,
  FunctionType,
  type ParameterTerm,
  PIPE,
  RecordType,
  type Type,
  Variable,
} from './terms.js'

export type ReportSignature = (location: SourceLocation, message: string) => void

export function schemeOf(expression: TypeExpression, report: ReportSignature): Scheme {
  const reader = new SignatureReader(expression, report)
  const scheme = generalize(reader.of(expression.monotype), 0)
  reader.checkLabels()
  return scheme
}

class SignatureReader {
  readonly #expression: TypeExpression
  readonly #report: ReportSignature
  readonly #variables = new Map<string, Variable>()
  readonly #labels: string[] = []

  constructor(expression: TypeExpression, report: ReportSignature) {
    this.#expression = expression
    this.#report = report
  }

  of(type: MonoType): Type {
    switch (type.type) {
      case 'NamedType':
        return this.#named(type.name.name, type.location)
      case 'TvarType':
        return this.#variable(type.name.name)
      case 'ArrayType':
        return new CollectionType('array', this.of(type.element))
      case 'StreamType':
        return new CollectionType('stream', this.of(type.element))
      case 'VectorType':
        return new CollectionType('vector', this.of(type.element))
      case 'DictType':
        return new DictionaryType(this.of(type.key), this.of(type.val))
      case 'DynamicType':
        return DYNAMIC
      case 'LabelType':
        return { kind: 'label', name: type.value }
      case 'RecordType':
        return this.#record(type)
      case 'FunctionType':
        return this.#function(type)
    }
  }

  /** A variable that stands for a label must say so. */
  checkLabels(): void {
    for (const name of this.#labels) {
      if (this.#variables.get(name)?.kinds.includes('Label')) continue
      const message = `variable ${name} lacks the Label constraint`
      this.#report(this.#expression.location, message)
    }
  }

  #named(name: string, location: SourceLocation): Type {
    const type = basicType(name)
    if (type !== undefined) return type
    this.#report(location, `invalid named type ${name}`)
    return ERROR
  }

  #variable(name: string): Variable {
    const known = this.#variables.get(name)
    if (known !== undefined) return known
    const variable = new Variable(1, this.#kindsOf(name))
    this.#variables.set(name, variable)
    return variable
  }

  #kindsOf(name: string): readonly Kind[] {
    const kinds: Kind[] = []
    for (const { tvar, kinds: written } of this.#expression.constraints) {
      if (tvar.name !== name) continue
      for (const { name: word, location } of written) {
        const kind = kindNamed(word)
        if (kind === undefined) this.#report(location, `invalid constraint ${word}`)
        else if (!kinds.includes(kind)) kinds.push(kind)
      }
    }
    return kinds
  }

  #record(type: RecordSyntax): Type {
    const tail = type.tvar === undefined ? undefined : this.#variable(type.tvar.name)
    const fields: Field[] = type.properties.map(({ name, monotype }) => ({
      label: name.type === 'StringLiteral' ? name.value : this.#label(name.name),
      type: this.of(monotype),
    }))
    // The last one written is the first one looked at: it is the one that messages name.
    return new RecordType(fields.reverse(), tail)
  }

  #label(name: string): string | Variable {
    if (!/^\p{Lu}$/u.test(name)) return name
    if (!this.#labels.includes(name)) this.#labels.push(name)
    return this.#variable(name)
  }

  #function({ parameters, monotype }: FunctionSyntax): Type {
    const required = new Map<string, ParameterTerm>()
    const optional = new Map<string, ParameterTerm>()
    let pipe: ParameterTerm | undefined
    for (const parameter of parameters) {
      const name = parameter.name?.name ?? PIPE
      const type = this.of(parameter.monotype)
      if (parameter.type === 'Required') required.set(name, { name, type })
      else if (parameter.type === 'Optional') {
        const otherwise = parameter.default && this.of(parameter.default)
        optional.set(name, { name, type, otherwise })
      } else if (pipe === undefined) pipe = { name, type }
      else {
        const message = 'function types can have at most one pipe parameter'
        this.#report(parameter.location, message)
      }
    }
    const result = this.of(monotype)
    return new FunctionType(sorted(required), sorted(optional), pipe, result)
  }
}

function sorted(parameters: ReadonlyMap<string, ParameterTerm>): readonly ParameterTerm[] {
  return [...parameters.values()].sort(byName)
}
