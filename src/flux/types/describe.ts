// The functions of the prelude with the sorts of their parameters, as suggestions name them. Everything
// comes from the signatures: there is no second list.

import type { TypeLibrary } from './library.js'
import { type ParameterTerm, resolve, type Type } from './terms.js'

/** Function → parameter → `string`, `stream`, `function`, …; `invalid` where any type will do. */
export type FunctionDescriptions = ReadonlyMap<string, ReadonlyMap<string, string>>

export function describeFunctions(library: TypeLibrary): FunctionDescriptions {
  const functions = new Map<string, ReadonlyMap<string, string>>()
  for (const name of [...library.preludeNames()].sort()) {
    const binding = library.lookup(name)
    if (binding?.kind !== 'value') continue
    const type = resolve(binding.scheme.type)
    if (type.kind !== 'function') continue
    const pipe: readonly ParameterTerm[] = type.pipe === undefined ? [] : [type.pipe]
    const parameters = [...pipe, ...type.required, ...type.optional]
    functions.set(name, new Map(parameters.map((term) => [term.name, sortOf(term.type)])))
  }
  return functions
}

function sortOf(type: Type): string {
  const end = resolve(type)
  switch (end.kind) {
    case 'basic':
      return end.name
    case 'collection':
      return end.form
    case 'record':
      return 'object'
    case 'function':
    case 'dictionary':
    case 'dynamic':
      return end.kind
    default:
      return 'invalid'
  }
}
