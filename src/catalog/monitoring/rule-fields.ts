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

/** Those that every rule may have. */
const sharedFields = {
  every: Type.String(),
  offset: Type.String(),
  sleepUntil: Type.String(),
  runbookLink: Type.String(),
  limit: Type.Integer(),
  limitEvery: Type.Integer(),
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

const storedFields = optionalFields({ ...sharedFields, ...rules, ...ownFields })

export const ruleFields = optionalFields({
  endpointID: Type.String(),
  ...commonFields,
  ...sharedFields,
  ...rules,
  ...ownFields,
})

export const sharedFieldNames = Object.keys(sharedFields) as (keyof typeof sharedFields)[]

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
