// The specification of one resource in a template, as it was read: nobody has checked what it holds.
// Reads single fields of it, and refuses those that are something else.

import { UserError } from '../../errors.js'

export type Spec = Readonly<Record<string, unknown>>

export function isSpec(value: unknown): value is Spec {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOf(spec: Spec, field: string): string | undefined {
  const value = spec[field]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new UserError('unprocessable entity', `${field} must be a string`)
}

/** Several of them, under their own names. */
export function textsOf<Name extends string>(
  spec: Spec,
  fields: readonly Name[],
): Record<Name, string | undefined> {
  const texts = fields.map((field) => [field, textOf(spec, field)])
  return Object.fromEntries(texts)
}

export function listOf(spec: Spec, field: string): readonly Spec[] {
  const value = spec[field]
  if (value === undefined || value === null) return []
  const isList = Array.isArray(value) && value.every((item) => item !== null)
  if (isList && value.every((item) => typeof item === 'object')) return value
  throw new UserError('unprocessable entity', `${field} must be a list of objects`)
}
