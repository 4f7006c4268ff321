// A call as a chain of steps from a field outwards: `derivative(mean(x), 1s)` is a reduction by windows
// and then a transformation. Says what each step takes and gives, and how far the range must reach back
// for the outermost step to know what came before the first window.

import type { FieldType } from '../../column/column.js'
import { nsPerDay } from '../../column/time.js'
import { UserError } from '../../errors.js'
import {
  type FunctionSpec,
  outputType,
  type ReducerSpec,
  type TransformSpec,
} from '../functions/function-spec.js'
import { findFunction } from '../functions/functions.js'
import { typeRefusal } from '../functions/refusals.js'
import type { PlannedSource } from '../plan/select-plan.js'
import { columnType } from '../plan/types.js'
import type { Interval } from '../plan/validate.js'
import type { Call, Expression, Reference } from '../syntax/ast.js'
import { canCast } from './cast.js'

export interface ChainStep {
  readonly spec: ReducerSpec | TransformSpec
  /** The arguments behind the first. */
  readonly args: readonly Expression[]
  readonly inputType: FieldType
  readonly outputType: FieldType
}

export interface CallChain {
  readonly field: Reference
  /** From the inside out, at least one. */
  readonly steps: readonly ChainStep[]
  readonly type: FieldType
  /** How many windows before the range are read. */
  readonly windowsBefore: number
}

/**
 * Undefined: there is nothing to compute, because nobody has the field, or not as the type it is cast to. A tag is as
 * good as a field only in the rows of a subquery.
 */
export function chainOf(call: Call, sources: readonly PlannedSource[]): CallChain | undefined {
  const [arg] = call.args
  const spec = findFunction(call.name)
  if (arg.kind !== 'call') return innermost(call, arg, spec, sources)
  const ofDistinct = spec !== undefined && 'ofDistinct' in spec ? spec.ofDistinct : undefined
  if (ofDistinct !== undefined && arg.name === 'distinct') {
    return innermost(call, arg.args[0], ofDistinct, sources)
  }
  const inner = chainOf(arg, sources)
  if (inner === undefined) return undefined
  const step = stepOf(call, spec, inner.type)
  return {
    field: inner.field,
    steps: [...inner.steps, step],
    type: step.outputType,
    windowsBefore: inner.windowsBefore + windowsBefore(step.spec),
  }
}

function innermost(
  call: Call,
  arg: Expression,
  spec: FunctionSpec | undefined,
  sources: readonly PlannedSource[],
): CallChain | undefined {
  if (arg.kind !== 'reference') return undefined
  const inputType = columnType(arg.type)
  if (inputType === undefined || !sources.some((source) => isThere(arg, source))) return undefined
  const step = stepOf(call, spec, inputType)
  return {
    field: arg,
    steps: [step],
    type: step.outputType,
    windowsBefore: windowsBefore(step.spec),
  }
}

function isThere({ name, type }: Reference, source: PlannedSource): boolean {
  if (source.kind === 'subquery') return true
  const own = source.fields.get(name)
  return type !== 'tag' && own !== undefined && canCast(own, columnType(type))
}

function stepOf(call: Call, spec: FunctionSpec | undefined, inputType: FieldType): ChainStep {
  const { name, args } = call
  if (spec === undefined || spec.kind === 'math') {
    throw new UserError('invalid', `${name}() does not take values of type ${inputType}`)
  }
  const type = outputType(spec, inputType)
  if (type === undefined) {
    const inner = args[0].kind === 'call' ? args[0].name : undefined
    const context = { inner, hasTags: args.length > 2 }
    throw new UserError('invalid', typeRefusal(name, spec, inputType, context))
  }
  return { spec, args: args.slice(1), inputType, outputType: type }
}

/** Those that compare a window with the one before need one more. */
function windowsBefore(spec: ChainStep['spec']): number {
  return spec.work === 'transform' && spec.windowsBefore === 'read' ? 1 : 0
}

/** Months are taken at their longest. */
export function intervalLength({ months, ns }: Interval): bigint {
  return months > 0 ? BigInt(months) * 31n * nsPerDay : ns
}

/** The range that must be read. */
export function chainRange(
  chain: CallChain,
  range: { readonly min: bigint; readonly max: bigint },
  interval: Interval | undefined,
  ascending: boolean,
  limits: { readonly min: bigint; readonly max: bigint },
): { min: bigint; max: bigint } {
  if (interval === undefined || chain.windowsBefore === 0) return range
  const more = intervalLength(interval) * BigInt(chain.windowsBefore)
  if (ascending) {
    const min = range.min - more
    return { min: min > limits.min ? min : limits.min, max: range.max }
  }
  const max = range.max + more
  return { min: range.min, max: max < limits.max ? max : limits.max }
}
