// What a dashboard shows besides itself, all of it in the URL: range, refresh, choices of variables. Whoever gets the
// link sees the same.

import type { Variables } from '../query/language.js'
import { parseRange, printRange, type TimeRange } from '../query/time-range.js'

export interface BoardState {
  readonly range: TimeRange
  readonly refreshSeconds: number
  /** Labels by the names of variables. */
  readonly chosen: Variables
}

const variablePrefix = 'v.'
const firstRange: TimeRange = { kind: 'past', duration: '1h' }

export function readBoardState(search: string): BoardState {
  const parameters = new URLSearchParams(search)
  const chosen: Record<string, string> = {}
  for (const [name, value] of parameters) {
    if (name.startsWith(variablePrefix)) chosen[name.slice(variablePrefix.length)] = value
  }
  const seconds = Number(parameters.get('refresh') ?? 0)
  return {
    range: parseRange(parameters.get('r')) ?? firstRange,
    refreshSeconds: seconds >= 1 && seconds <= 86_400 ? seconds : 0,
    chosen,
  }
}

export function printBoardState({ range, refreshSeconds, chosen }: BoardState): string {
  const parameters = new URLSearchParams({ r: printRange(range) })
  if (refreshSeconds > 0) parameters.set('refresh', String(refreshSeconds))
  for (const [name, value] of Object.entries(chosen)) {
    parameters.set(`${variablePrefix}${name}`, value)
  }
  return `?${parameters}`
}
