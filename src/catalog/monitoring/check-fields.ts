// What a check is made of: the fields of its definition, and how it is kept. The rules about them are in `checks.ts`,
// the script that follows from them in `check-script.ts`.

import { Type } from '@sinclair/typebox'
import { type Given, optionalFields } from '../base/fields.js'
import type { CatalogRecord } from '../base/records.js'
import { commonFields, type Status } from './monitoring.js'

const tag = Type.Object({ key: Type.String(), value: Type.String() })

const threshold = Type.Object({
  type: Type.String(),
  level: Type.String(),
  allValues: Type.Optional(Type.Boolean()),
  value: Type.Optional(Type.Number()),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  within: Type.Optional(Type.Boolean()),
})

const query = optionalFields({
  text: Type.String(),
  editMode: Type.String(),
  name: Type.String(),
  builderConfig: Type.Record(Type.String(), Type.Unknown()),
})

/** Those that depend on the type of the check. */
const ownFields = {
  every: Type.String(),
  offset: Type.String(),
  statusMessageTemplate: Type.String(),
  tags: Type.Array(tag),
  thresholds: Type.Array(threshold),
  timeSince: Type.String(),
  staleTime: Type.String(),
  reportZero: Type.Boolean(),
  level: Type.String(),
  /** How long a worse level lasts before rules tell of it, and how long a better one does. */
  for: Type.String(),
  keepFor: Type.String(),
  /** While that check has a status at least as severe for the same thing, rules tell nothing of this one. */
  parentCheckID: Type.String(),
  /** What a series gets that had statuses and has no data any more; absent: no status. */
  noDataLevel: Type.String(),
  /** What all its series get when a run of it fails; absent: no status. */
  errorLevel: Type.String(),
}

export const checkFields = optionalFields({
  ...commonFields,
  query,
  ...ownFields,
  // Ids of labels; clients that send back what they got send whole labels.
  labels: Type.Array(Type.Unknown()),
})

/** Without what all resources have. */
export const ownCheckFields = optionalFields(ownFields)

export type CheckTag = Given<typeof tag>
export type Threshold = Given<typeof threshold>
export type CheckFields = Given<typeof ownCheckFields>
export type CheckInput = Given<typeof checkFields>

export interface CheckBody {
  readonly type: 'threshold' | 'deadman' | 'custom'
  readonly description: string
  readonly status: Status
  readonly query: Given<typeof query>
  readonly fields: CheckFields
}

export type Check = CatalogRecord<CheckBody>
