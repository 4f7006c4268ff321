// How many queries may be under way at once: all together, of one organization, and of one of its tokens. Nobody can
// take all places, so that whoever else comes finds one.

import { BusyError } from '../../errors.js'
import type { Caller } from './fair-queue.js'

/** Of all places for an organization, and of these for a token. */
const share = 3 / 4

export class QueryShares {
  readonly #orgMax: number
  readonly #tokenMax: number
  readonly #counts = new Map<string, number>()

  /** 0: no limit. */
  constructor(queriesMax: number) {
    this.#orgMax = queriesMax === 0 ? Number.POSITIVE_INFINITY : Math.ceil(queriesMax * share)
    this.#tokenMax = Math.ceil(this.#orgMax * share)
  }

  /** Throws BusyError where the caller has its share under way. */
  enter({ org, token }: Caller): void {
    const ofOrg = this.#counts.get(org) ?? 0
    const ofToken = this.#counts.get(tokenKey(org, token)) ?? 0
    if (ofOrg >= this.#orgMax) throw tooMany(this.#orgMax, 'organization')
    if (ofToken >= this.#tokenMax) throw tooMany(this.#tokenMax, 'token')
    this.#counts.set(org, ofOrg + 1)
    this.#counts.set(tokenKey(org, token), ofToken + 1)
  }

  leave({ org, token }: Caller): void {
    for (const key of [org, tokenKey(org, token)]) {
      const left = (this.#counts.get(key) ?? 0) - 1
      if (left > 0) this.#counts.set(key, left)
      else this.#counts.delete(key)
    }
  }
}

function tokenKey(org: string, token: string): string {
  return `${org}/${token}`
}

function tooMany(max: number, whose: string): BusyError {
  return new BusyError(`max-concurrent-queries limit exceeded: the ${whose} has ${max} under way`)
}
