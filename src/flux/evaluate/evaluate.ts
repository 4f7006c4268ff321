// Compiled expressions, and how several are evaluated. A value may have to be waited for; almost none
// has: the way through here without promises makes no closures and no promises, and a promise on the
// way turns only what comes behind it into one.

import type { MaybePromise } from '../../platform/pull-stream.js'
import type { FluxValue } from '../value/value.js'
import type { Frame } from './frame.js'
import type { FrameSize } from './name-scope.js'

/** An expression, compiled. */
export type Evaluate = (frame: Frame) => MaybePromise<FluxValue>

/** A file, compiled. */
export interface FileCode {
  readonly frame: FrameSize
  readonly statements: readonly Evaluate[]
  /** Where the names of the top level are in the frame. */
  readonly places: ReadonlyMap<string, number>
}

/** The values of all, in order. */
export function evaluateAll(parts: readonly Evaluate[], frame: Frame): MaybePromise<FluxValue[]> {
  const values = new Array<FluxValue>(parts.length)
  for (let i = 0; i < parts.length; i++) {
    const value = parts[i](frame)
    if (value instanceof Promise) return evaluateRest(parts, frame, values, i, value)
    values[i] = value
  }
  return values
}

async function evaluateRest(
  parts: readonly Evaluate[],
  frame: Frame,
  values: FluxValue[],
  at: number,
  pending: Promise<FluxValue>,
): Promise<FluxValue[]> {
  values[at] = await pending
  for (let i = at + 1; i < parts.length; i++) values[i] = await parts[i](frame)
  return values
}

/** One after the other for what they do; the value of the last. */
export function evaluateInOrder(parts: readonly Evaluate[], frame: Frame): MaybePromise<FluxValue> {
  let value: FluxValue = null
  for (let i = 0; i < parts.length; i++) {
    const result = parts[i](frame)
    if (result instanceof Promise)
      return result.then((last) => continueInOrder(parts, frame, i, last))
    value = result
  }
  return value
}

async function continueInOrder(
  parts: readonly Evaluate[],
  frame: Frame,
  done: number,
  last: FluxValue,
): Promise<FluxValue> {
  let value = last
  for (let i = done + 1; i < parts.length; i++) value = await parts[i](frame)
  return value
}

/** `compute` of two values. */
export function evaluateBoth(
  left: Evaluate,
  right: Evaluate,
  compute: (left: FluxValue, right: FluxValue) => FluxValue,
): Evaluate {
  return (frame) => {
    const a = left(frame)
    if (a instanceof Promise) {
      return a.then(async (first) => compute(first, await right(frame)))
    }
    const b = right(frame)
    return b instanceof Promise ? b.then((second) => compute(a, second)) : compute(a, b)
  }
}

export function evaluateOne(
  part: Evaluate,
  compute: (value: FluxValue) => MaybePromise<FluxValue>,
): Evaluate {
  return (frame) => {
    const value = part(frame)
    return value instanceof Promise ? value.then(compute) : compute(value)
  }
}
