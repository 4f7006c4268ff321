// What a rule remembers: of each series of statuses how far it was handled, which level holds, and what was told of it;
// of itself until when it looked, and when it told something lately. Kept as JSON, one text per check.

import type { AlertLevel } from '../status/message.js'

/** Times are nanoseconds since 1970. */
export interface SeriesState {
  /** Of the last status that was handled. */
  readonly time: bigint
  /** The level that holds; undefined: none has lasted long enough yet. */
  readonly level: AlertLevel | undefined
  /** Another level is seen since then, which does not count yet; above zero: a worse one. */
  readonly differsSince?: bigint | undefined
  readonly differsBy?: number | undefined
  /** What was told and is not over, and when. */
  readonly told?: AlertLevel | undefined
  readonly toldAt?: bigint | undefined
  /** The level should have been told, and was held back. */
  readonly isOwed?: boolean | undefined
  /** Of the last statuses with this level, the newest last, where the rule counts them. */
  readonly recent?: readonly bigint[] | undefined
  /** Which of the rule's groups the series is in. */
  readonly group?: string | undefined
}

/** By series, without what may change from one status to the next. */
export type CheckState = Map<string, SeriesState>

export interface RuleState {
  /** For which moment the rule ran last. */
  readonly until: bigint
  /** Of the messages that the limit counts, the newest last. */
  readonly sent: readonly bigint[]
  /** One more with every run: two runs for one moment differ in it. */
  readonly revision: number
}

/** Of one check, for one rule. Where there are more, those that were silent for longest are forgotten. */
const seriesMax = 20_000

export function checkStateText(state: CheckState): string {
  let entries = [...state]
  if (entries.length > seriesMax) {
    entries.sort(([, a], [, b]) => (a.time > b.time ? -1 : 1))
    entries = entries.slice(0, seriesMax)
  }
  return text(entries)
}

export function parseCheckState(body: string): CheckState {
  return new Map(parsed<[string, SeriesState][]>(body))
}

export function ruleStateText(state: RuleState): string {
  return text(state)
}

export function parseRuleState(body: string): RuleState {
  return parsed(body)
}

/** Integers as texts that begin with a sign that no other text here does. */
function text(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `#${part}` : part))
}

function parsed<T>(body: string): T {
  return JSON.parse(body, (_, part: unknown) =>
    typeof part === 'string' && /^#-?\d+$/.test(part) ? BigInt(part.slice(1)) : part,
  )
}
