// Types → documents: what stands behind `builtin name :`. More than four items are written one per line,
// fewer on one line as long as they fit.

import type {
  MonoType,
  ParameterType,
  PropertyType,
  TypeConstraint,
  TypeExpression,
} from './ast.js'
import {
  concat,
  type Doc,
  group,
  hardLine,
  line,
  lineOrNothing,
  nest,
  nil,
  separated,
  text,
} from './layout.js'
import { commaList, itemsPerLineMax } from './print-lists.js'
import { printComments, printIdentifier, printLabel, printPropertyKey } from './print-literals.js'

export function printTypeExpression(expression: TypeExpression): Doc {
  const { constraints } = expression
  if (constraints.length === 0) return printMonoType(expression.monotype)
  const gap = constraints.length > itemsPerLineMax ? hardLine : line
  const list = separated(constraints.map(printConstraint), concat(',', gap))
  return concat(printMonoType(expression.monotype), gap, 'where', gap, list)
}

function printConstraint(constraint: TypeConstraint): Doc {
  const kinds = separated(constraint.kinds.map(printIdentifier), text(' + '))
  return group(concat(printIdentifier(constraint.tvar), ': ', kinds))
}

export function printMonoType(type: MonoType): Doc {
  return group(printMonoTypeHere(type))
}

function printMonoTypeHere(type: MonoType): Doc {
  switch (type.type) {
    case 'TvarType':
    case 'NamedType':
      return printIdentifier(type.name)
    case 'ArrayType':
      return concat('[', printMonoType(type.element), ']')
    case 'StreamType':
      return concat('stream[', printMonoType(type.element), ']')
    case 'VectorType':
      return concat('vector[', printMonoType(type.element), ']')
    case 'DictType':
      return concat('[', printMonoType(type.key), ':', printMonoType(type.val), ']')
    case 'DynamicType':
      return concat(printComments(type.comments), 'dynamic')
    case 'LabelType':
      return printLabel(type)
    case 'RecordType': {
      const source =
        type.tvar === undefined ? nil : concat(printIdentifier(type.tvar), line, 'with', line)
      const items = bracketed('{', source, type.properties.map(printPropertyType), '}')
      return concat(printComments(type.comments), items)
    }
    case 'FunctionType': {
      const items = bracketed('(', nil, type.parameters.map(printParameterType), ')')
      return concat(printComments(type.comments), items, ' => ', printMonoType(type.monotype))
    }
  }
}

function bracketed(open: string, first: Doc, items: readonly Doc[], close: string): Doc {
  const isLong = items.length > itemsPerLineMax
  const gap = isLong ? hardLine : line
  const edge = isLong ? hardLine : lineOrNothing
  return concat(open, nest(concat(edge, first, commaList(items, gap))), edge, close)
}

function printPropertyType(property: PropertyType): Doc {
  return group(concat(printPropertyKey(property.name), ': ', printMonoType(property.monotype)))
}

function printParameterType(parameter: ParameterType): Doc {
  const mark = parameter.type === 'Optional' ? '?' : parameter.type === 'Pipe' ? '<-' : ''
  const name = parameter.name === undefined ? nil : printIdentifier(parameter.name)
  const label = parameter.default === undefined ? nil : concat(' = ', printLabel(parameter.default))
  const comments = printComments(parameter.comments)
  return concat(comments, mark, name, ': ', printMonoType(parameter.monotype), label)
}
