// Which of the streams that a script called for are its results, and what they are called. A stream
// that others are made from is none, unless it is yielded; of two results with one name there is no
// telling which was meant.

import type { StreamNode } from '../node/node.js'
import { LocatedError } from '../value/error.js'
import { quoted } from '../value/quote.js'
import type { SideEffect } from './run.js'

const defaultName = '_result'
const yieldOperation = 'universe.yield'

export interface NamedResult {
  readonly name: string
  readonly node: StreamNode
}

/** In the order in which the script called for them. Throws where there are none, or two of one name. */
export function namedResults(sideEffects: readonly SideEffect[]): NamedResult[] {
  const effects = withoutRepeats(sideEffects)
  if (effects.size === 0) throw noResults()
  const numbers = new Map<StreamNode, number>()
  const inner = new Set<StreamNode>()
  for (const node of effects.keys()) visit(node, numbers, inner)
  const results: NamedResult[] = []
  for (const [node, isCall] of effects) {
    const isYield = node.operation === yieldOperation
    if (!isYield && inner.has(node)) continue
    results.push({ name: isYield ? yieldName(node) : nameOf(node, isCall, numbers), node })
  }
  checkNames(results)
  return results
}

/** Each stream once, where it came first; whether some call was made for what it does. */
function withoutRepeats(sideEffects: readonly SideEffect[]): Map<StreamNode, boolean> {
  const effects = new Map<StreamNode, boolean>()
  for (const { node, isCall } of sideEffects) {
    effects.set(node, isCall || effects.get(node) === true)
  }
  return effects
}

/** Numbers the nodes, those that others are made from first. Chains are long: no recursion along them. */
function visit(start: StreamNode, numbers: Map<StreamNode, number>, inner: Set<StreamNode>): void {
  const waiting = [{ node: start, isOpen: false }]
  while (waiting.length > 0) {
    const { node, isOpen } = waiting.pop()!
    if (numbers.has(node)) continue
    if (isOpen) {
      numbers.set(node, numbers.size)
      continue
    }
    waiting.push({ node, isOpen: true })
    for (const input of node.inputs.toReversed()) {
      inner.add(input)
      waiting.push({ node: input, isOpen: false })
    }
  }
}

function yieldName({ args }: StreamNode): string {
  const name = args.get('name')
  return typeof name === 'string' ? name : defaultName
}

/** Functions with an effect of their own lend their name: `to3`. */
function nameOf(
  node: StreamNode,
  isCall: boolean,
  numbers: ReadonlyMap<StreamNode, number>,
): string {
  if (!isCall) return defaultName
  return `${node.operation.slice(node.operation.lastIndexOf('.') + 1)}${numbers.get(node)}`
}

function checkNames(results: readonly NamedResult[]): void {
  const yielded = new Set<string>()
  for (const { name, node } of results) {
    if (node.operation !== yieldOperation) continue
    if (yielded.has(name)) {
      const what = `found more than one call to yield() with the name ${quoted(name)}`
      throw new LocatedError(`error in building plan while starting program: ${what}`)
    }
    yielded.add(name)
  }
  const names = new Set<string>()
  for (const { name } of results) {
    if (names.has(name)) {
      const what = `tried to produce more than one result with the name ${quoted(name)}`
      throw new LocatedError(`failed to initialize execute state: ${what}`)
    }
    names.add(name)
  }
}

function noResults(): LocatedError {
  const advice =
    'Consider adding a "yield" or invoking streaming functions directly, without performing an assignment'
  return new LocatedError(
    'error in query specification while starting program: ' +
      `this Flux script returns no streaming data. ${advice}`,
  )
}
