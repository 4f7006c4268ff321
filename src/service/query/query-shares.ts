// How many queries may be under way at once: all together, of one organization, and of one of its tokens. Nobody can
// take all places, so that whoever else comes finds one.

import { BusyError } from '../../errors.js'
import { type Caller, organizationShare } from '../base/fair-queue.js'

/** Of an organization's places for a token. */
const tokenShare = 3 / 4

export class QueryShares {
  readonly #orgMax: number
  readonly #tokenMax: number
  /** By organization. */
  readonly #orgs = new Map<string, OrgQueries>()

  /** 0: no limit. */
  constructor(queriesMax: number) {
    this.#orgMax =
      queriesMax === 0 ? Number.POSITIVE_INFINITY : Math.ceil(queriesMax * organizationShare)
    this.#tokenMax = Math.ceil(this.#orgMax * tokenShare)
  }

  /** Throws BusyError where the caller has its share under way. */
  enter({ org, token }: Caller): void {
    const running = this.#orgs.get(org) ?? { count: 0, tokens: new Map<string, number>() }
    const ofToken = running.tokens.get(token) ?? 0
    if (running.count >= this.#orgMax) throw tooMany(this.#orgMax, 'organization')
    if (ofToken >= this.#tokenMax) throw tooMany(this.#tokenMax, 'token')
    if (running.count++ === 0) this.#orgs.set(org, running)
    running.tokens.set(token, ofToken + 1)
  }

  leave({ org, token }: Caller): void {
    const running = this.#orgs.get(org)!
    const ofToken = running.tokens.get(token)! - 1
    if (--running.count === 0) this.#orgs.delete(org)
    else if (ofToken === 0) running.tokens.delete(token)
    else running.tokens.set(token, ofToken)
  }
}

/** The queries of an organization that are under way. */
interface OrgQueries {
  count: number
  /** By token. */
  readonly tokens: Map<string, number>
}

function tooMany(max: number, whose: string): BusyError {
  return new BusyError(`max-concurrent-queries limit exceeded: the ${whose} has ${max} under way`)
}
