// What a notification rule is made of: the fields of its definition, and how it is kept. The rules about them are in
// `notification-rules.ts`, the script that follows from them in `rule-script.ts`.

import { Type } from '@sinclair/typebox'
import { type Given, optionalFields } from '../base/fields.js'
import type { CatalogRecord } from '../base/records.js'
import { commonFields, type Status } from './monitoring.js'

const tagRule = Type.Object({
  key: Type.String(),
  value: Type.String(),
  operator: Type.Optional(Type.String()),
})

const statusRule = optionalFields({
  currentLevel: Type.String(),
  previousLevel: Type.String(),
  count: Type.Integer(),
  period: Type.String(),
})

/** Nothing is told between these times of the day; where `end` is not later than `start`, it is of the next day. */
const muteTime = Type.Object({
  /** On which `start` lies; absent: every day. */
  days: Type.Optional(Type.Array(Type.String())),
  start: Type.String(),
  end: Type.String(),
  /** A name such as `Europe/Berlin`; absent: UTC. */
  timeZone: Type.Optional(Type.String()),
})

/** Those that every rule may have. */
const sharedFields = {
  every: Type.String(),
  offset: Type.String(),
  sleepUntil: Type.String(),
  runbookLink: Type.String(),
  limit: Type.Integer(),
  limitEvery: Type.Integer(),
  /** How long a worse level lasts before it counts; without it, that of the check. */
  for: Type.String(),
  /** The same for a better one. */
  keepFor: Type.String(),
  sendResolved: Type.Boolean(),
  /** Statuses with equal values of these tags make one message; an empty list: all of them. */
  groupBy: Type.Array(Type.String()),
  repeatEvery: Type.String(),
  muteTimes: Type.Array(muteTime),
}

const rules = { tagRules: Type.Array(tagRule), statusRules: Type.Array(statusRule) }

/** Those that depend on the type of the rule. */
const ownFields = {
  messageTemplate: Type.String(),
  channel: Type.String(),
  url: Type.String(),
  parseMode: Type.String(),
  disableWebPagePreview: Type.Boolean(),
  to: Type.String(),
  subjectTemplate: Type.String(),
  bodyTemplate: Type.String(),
}

export const storedFields = optionalFields({ ...sharedFields, ...rules, ...ownFields })

export const ruleFields = optionalFields({
  endpointID: Type.String(),
  ...commonFields,
  ...sharedFields,
  ...rules,
  ...ownFields,
})

export const sharedFieldNames = Object.keys(sharedFields) as (keyof typeof sharedFields)[]

export type MuteTime = Given<typeof muteTime>
export type TagRule = Given<typeof tagRule>
export type StatusRule = Given<typeof statusRule>
export type RuleFields = Given<typeof storedFields>
export type RuleInput = Given<typeof ruleFields>

export interface RuleBody {
  readonly type: string
  readonly endpointId: string
  readonly description: string
  readonly status: Status
  readonly fields: RuleFields
}

export type NotificationRule = CatalogRecord<RuleBody>
