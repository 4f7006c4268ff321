// What checks, notification endpoints and notification rules have in common: a status, levels, and
// an interval with an offset inside it.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import { parseDuration, roughNs } from '../base/durations.js'
import { type Given, optionalFields } from '../base/fields.js'

export type Status = 'active' | 'inactive'

const changeable = { name: Type.String(), description: Type.String(), status: Type.String() }

/** What may be changed without giving the whole. */
export const smallChange = optionalFields(changeable)

export type SmallChange = Given<typeof smallChange>

/** Of every definition. */
export const commonFields = { orgID: Type.String(), type: Type.String(), ...changeable }

export function checkedStatus(status: string | undefined): Status {
  if (status === undefined || status === '') return 'active'
  if (status === 'active' || status === 'inactive') return status
  throw new UserError('invalid', 'invalid status')
}

export const levels = ['UNKNOWN', 'OK', 'INFO', 'WARN', 'CRIT'] as const

export type Level = (typeof levels)[number]

/** In upper case, whatever case it was written in; undefined where it is none. */
export function levelOf(text: string | undefined): Level | undefined {
  const upper = text?.toUpperCase()
  return levels.find((level) => level === upper)
}

export function checkSchedule(every: string | undefined, offset: string | undefined): void {
  const everyNs = every === undefined ? undefined : durationNs('every', every)
  if (offset === undefined) return
  const offsetNs = durationNs('offset', offset)
  if (everyNs === undefined || offsetNs < everyNs) return
  throw new UserError('invalid', 'Offset should not be equal or greater than the interval')
}

/** Of a field that may be absent. */
export function requireDuration(what: string, text: string | undefined): void {
  if (text !== undefined && durationNs(what, text) < 0n) {
    throw new UserError('invalid', `${what} ${JSON.stringify(text)} is below zero`)
  }
}

/** Of one that was checked; a month counts as thirty days. */
export function fieldNs(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : durationNs('duration', text)
}

function durationNs(what: string, text: string): bigint {
  const duration = parseDuration(text)
  if (duration !== undefined) return roughNs(duration)
  throw new UserError('invalid', `${what} ${JSON.stringify(text)} is no duration`)
}

/** Drops what was not given, so that stored bodies hold no empty fields. */
export function withoutEmpty<T extends object>(fields: T): T {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(kept) as T
}
