// The rule for `reduce` of what the store gives, of each series or of groups of them: rows are reduced as they are
// read where the text of the function allows.

import { areColumnsAllowed } from '../../table/column-expression.js'
import { FluxFunction, FluxRecord } from '../../value/value.js'
import { reducedTables } from '../storage/reduced-tables.js'
import type { Rule } from './shape.js'

export const reduceRule: Rule = async (node, input, context) => {
  if (node.operation !== 'universe.reduce') return undefined
  if (input.kind !== 'rows' && input.kind !== 'groups') return undefined
  const [fn, identity] = [node.args.get('fn'), node.args.get('identity')]
  if (!(fn instanceof FluxFunction) || !(identity instanceof FluxRecord)) return undefined
  if (!(await areColumnsAllowed(context))) return undefined
  const by = input.kind === 'groups' ? input.columns : undefined
  const reduced = { read: input.read, by, fn, identity }
  return { run: (general) => reducedTables(reduced, context, general) }
}
