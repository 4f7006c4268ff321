// Silences: for a while, statuses that carry certain tags are not told. A status is meant where all matchers fit it.
// They end by themselves and stay readable; one that is deleted ends at once.

import { Type } from '@sinclair/typebox'
import { compileRegex } from '../../column/regex.js'
import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { type Given, optionalFields } from '../base/fields.js'
import { type CatalogRecord, Records } from '../base/records.js'

const matcher = Type.Object({
  /** A tag, `_level` and `_check_name` among them. One that is absent has the empty value. */
  name: Type.String(),
  value: Type.String(),
  isRegex: Type.Optional(Type.Boolean()),
  /** False: the matcher fits where the value does not. */
  isEqual: Type.Optional(Type.Boolean()),
})

export const silenceFields = optionalFields({
  orgID: Type.String(),
  matchers: Type.Array(matcher),
  /** Absent: from now on. */
  startsAt: Type.String(),
  endsAt: Type.String(),
  comment: Type.String(),
})

export type SilenceInput = Given<typeof silenceFields>
export type Matcher = Given<typeof matcher>

export interface SilenceBody {
  readonly matchers: readonly Matcher[]
  readonly startsAt: string
  readonly endsAt: string
  readonly comment: string
}

export type Silence = CatalogRecord<SilenceBody>

const matchersMax = 100
/** Every rule looks at all of them. */
const silencesMax = 1000

export class Silences {
  readonly records: Records<SilenceBody>
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
    this.records = new Records(context, { kind: 'silence', noun: 'silence' })
  }

  /** In a transaction. */
  async create(orgId: string, ownerId: string | undefined, input: SilenceInput): Promise<Silence> {
    await this.#dropOldest(orgId)
    const body = this.#bodyOf(input)
    return this.records.create({ orgId, ownerId, name: body.comment, body })
  }

  async replace(id: string, input: SilenceInput): Promise<Silence> {
    const { body: before } = await this.records.require(id)
    const body = this.#bodyOf({ startsAt: before.startsAt, ...input })
    return this.records.update(id, { name: body.comment, body })
  }

  delete(id: string): Promise<boolean> {
    return this.records.delete(id)
  }

  /** Those that hold at a moment, in milliseconds since 1970. */
  async at(orgId: string, nowMs: number): Promise<Silence[]> {
    const all = await this.records.list({ orgId })
    return all.filter(({ body }) => stateOf(body, nowMs) === 'active')
  }

  /** Ended ones make room. */
  async #dropOldest(orgId: string): Promise<void> {
    if ((await this.records.count(orgId)) < silencesMax) return
    const nowMs = Number(this.#context.clock.now() / 1_000_000n)
    const all = await this.records.list({ orgId })
    const ended = all.find(({ body }) => stateOf(body, nowMs) === 'expired')
    if (ended === undefined) {
      throw new UserError('invalid', `an organization has at most ${silencesMax} silences`)
    }
    await this.records.delete(ended.id)
  }

  #bodyOf({ matchers = [], startsAt, endsAt, comment = '' }: SilenceInput): SilenceBody {
    if (matchers.length === 0) throw invalid('a silence needs a matcher')
    if (matchers.length > matchersMax)
      throw invalid(`a silence has at most ${matchersMax} matchers`)
    for (const { name, value, isRegex } of matchers) {
      if (name === '') throw invalid('a matcher needs the name of a tag')
      if (isRegex === true) compileRegex(value)
    }
    const start =
      startsAt === undefined ? this.#context.clock.now() / 1_000_000n : moment('startsAt', startsAt)
    const end = moment('endsAt', endsAt ?? '')
    if (Number(end) <= Number(start)) throw invalid('a silence ends after it starts')
    const text = (ms: bigint | number) => new Date(Number(ms)).toISOString()
    return { matchers, startsAt: text(start), endsAt: text(end), comment }
  }
}

export function stateOf(
  { startsAt, endsAt }: SilenceBody,
  nowMs: number,
): 'pending' | 'active' | 'expired' {
  if (nowMs < Date.parse(startsAt)) return 'pending'
  return nowMs < Date.parse(endsAt) ? 'active' : 'expired'
}

function moment(field: string, text: string): number {
  const ms = Date.parse(text)
  if (!Number.isNaN(ms)) return ms
  throw invalid(`${field} ${JSON.stringify(text)} is no time`)
}

function invalid(message: string): UserError {
  return new UserError('invalid', message)
}
