// What rules remember, from the catalog, and in memory as long as nobody else has changed it: parsing the states of
// thousands of series at each run would cost more than the run.

import type { Catalog } from '../../catalog/catalog.js'
import { ruleItself } from '../../catalog/monitoring/alert-states.js'
import { LruCache } from '../../platform/lru-cache.js'
import { type CheckState, parseCheckState, parseRuleState, type RuleState } from './rule-state.js'

export interface Remembered {
  /** As the catalog has it, to be compared before it is changed; undefined: the rule never ran. */
  readonly body: string | undefined
  readonly rule: RuleState | undefined
  readonly checks: Map<string, CheckState>
  /** This process has not carried it out before. */
  readonly isFresh: boolean
}

type Kept = Omit<Remembered, 'isFresh'>

const cacheBytesMax = 64 * 1024 * 1024
/** Roughly: keys, times and levels of a series. */
const bytesPerSeries = 400

export class RuleMemory {
  readonly #catalog: Catalog
  readonly #kept = new LruCache<string, Kept>({ bytesMax: cacheBytesMax, sizeOf: keptBytes })

  constructor(catalog: Catalog) {
    this.#catalog = catalog
  }

  async load(ruleId: string): Promise<Remembered> {
    const { alertStates } = this.#catalog
    const kept = this.#kept.get(ruleId)
    const [own] = await alertStates.load(ruleId, [ruleItself])
    if (kept !== undefined && kept.body === own?.body) return { ...kept, isFresh: false }
    const checks = new Map<string, CheckState>()
    if (own === undefined) return { body: undefined, rule: undefined, checks, isFresh: true }
    for (const { checkId, body } of await alertStates.load(ruleId)) {
      if (checkId !== ruleItself) checks.set(checkId, parseCheckState(body))
    }
    return { body: own.body, rule: parseRuleState(own.body), checks, isFresh: true }
  }

  keep(ruleId: string, kept: Kept): void {
    this.#kept.set(ruleId, kept)
  }

  /** What is in memory may be half changed. */
  forget(ruleId: string): void {
    this.#kept.delete(ruleId)
  }
}

function keptBytes({ checks }: Kept): number {
  let series = 1
  for (const check of checks.values()) series += check.size
  return series * bytesPerSeries
}
