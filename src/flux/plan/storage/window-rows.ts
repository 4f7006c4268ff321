// What everybody who makes rows of windows agrees on: how long windows are and where they lie, and which
// functions give the point of a window rather than a figure of all.

import type { AggregateFunction } from '../../../store/store.js'

/** How rows of windows are told. */
export interface WindowRows {
  readonly everyNs: bigint
  readonly offsetNs: bigint
  /** Which end of its window a row has for its time. */
  readonly time: '_start' | '_stop'
  /** Windows without points have a row too. */
  readonly createEmpty: boolean
}

export function isSelector(name: AggregateFunction): boolean {
  return name === 'first' || name === 'last' || name === 'min' || name === 'max'
}
