// What InfluxDB answers when a function is asked for a type it does not take. The text names the Go
// type of the iterator that came in, which depends on what the function's argument is.

import type { FieldType } from '../../column/column.js'
import { outputType, type ReducerSpec, type TransformSpec } from './function-spec.js'
import { findFunction, functions } from './functions.js'

/** What a call brings its outer function, and what it is given itself. */
export interface RefusalContext {
  /** The function called directly inside this one: `derivative(distinct(x))`. */
  readonly inner?: string | undefined
  /** Whether top or bottom has tags among its arguments. */
  readonly hasTags?: boolean
}

/** Of a type that the function does not take. */
export function typeRefusal(
  name: string,
  spec: ReducerSpec | TransformSpec,
  inputType: FieldType,
  { inner, hasTags = false }: RefusalContext = {},
): string {
  const shown = spec.nameInErrors ?? name.replaceAll('_', ' ')
  if (hasTags && spec.work === 'reduce' && spec.bestOfTags !== undefined) {
    // The best points of each combination of tags are sought first.
    const { bestOfTags } = spec
    const first = functions[bestOfTags]
    return outputType(first, inputType) === undefined
      ? typeRefusal(bestOfTags, first, inputType)
      : refusal(shown, reduceIterator(inputType))
  }
  return refusal(shown, iteratorOf(inputType, inner))
}

function refusal(shown: string, iterator: string): string {
  return `unsupported ${shown} iterator type: *query.${iterator}`
}

function iteratorOf(type: FieldType, inner: string | undefined): string {
  const spec = inner === undefined ? undefined : findFunction(inner)
  const iterator = spec !== undefined && 'iterator' in spec ? spec.iterator : undefined
  if (iterator === 'Reduce') return reduceIterator(type)
  return `${type}${iterator ?? 'Interrupt'}Iterator`
}

function reduceIterator(type: FieldType): string {
  return `${type}Reduce${type[0].toUpperCase()}${type.slice(1)}Iterator`
}
