// What InfluxDB answers when a function is asked for a type it does not take. The text names the Go
// type of the iterator that came in, which depends on what the function's argument is.

import type { FieldType } from '../../column/column.js'
import { functionKind } from './functions.js'
import { reducerType } from './reducers.js'
import { transformType } from './transforms.js'

export interface RefusalContext {
  /** The function called directly inside this one: `derivative(distinct(x))`. */
  readonly inner?: string
  /** Whether top or bottom has tags among its arguments. */
  readonly hasTags?: boolean
}

/** Undefined: the function takes the type. */
export function typeRefusal(
  name: string,
  inputType: FieldType,
  context: RefusalContext = {},
): string | undefined {
  if (outputType(name, inputType) !== undefined) return undefined
  if (context.hasTags === true && (name === 'top' || name === 'bottom')) {
    // The best points of each combination of tags are sought first, by max or min.
    const first = name === 'top' ? 'max' : 'min'
    return typeRefusal(first, inputType) ?? refusal(name, reduceIterator(inputType))
  }
  return refusal(name, iteratorOf(inputType, context.inner))
}

function outputType(name: string, inputType: FieldType): FieldType | undefined {
  const kind = functionKind(name)
  if (kind === 'math') return inputType
  return kind === 'transform' ? transformType(name, inputType) : reducerType(name, inputType)
}

function refusal(name: string, iterator: string): string {
  return `unsupported ${spokenName(name)} iterator type: *query.${iterator}`
}

function spokenName(name: string): string {
  // holt_winters says `elapsed` in InfluxDB.
  if (name === 'holt_winters' || name === 'holt_winters_with_fit') return 'elapsed'
  if (name === 'non_negative_derivative') return 'derivative'
  if (name === 'non_negative_difference') return 'difference'
  return name.replaceAll('_', ' ')
}

function iteratorOf(type: FieldType, inner: string | undefined): string {
  if (inner === 'distinct') return `${type}IntervalIterator`
  if (inner === 'sample') return reduceIterator(type)
  return `${type}InterruptIterator`
}

function reduceIterator(type: FieldType): string {
  return `${type}Reduce${type[0].toUpperCase()}${type.slice(1)}Iterator`
}
