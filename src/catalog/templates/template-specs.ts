// The specification of one resource in a template, as it was read: nobody has checked what it holds.
// Reads single fields of it, and refuses those that are something else.

import type { TObject, TSchema } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import type { Given } from '../base/fields.js'

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

/** Those that a schema names, each as the schema has it. YAML writes some texts as numbers. */
export function fieldsOf<Fields extends TObject>(schema: Fields, spec: Spec): Given<Fields> {
  const given: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(schema.properties)) {
    const value = schemaValue(kind, spec[name], name)
    if (value !== undefined) given[name] = value
    else if (schema.required?.includes(name)) {
      throw new UserError('unprocessable entity', `${name} is missing`)
    }
  }
  return given as Given<Fields>
}

function schemaValue(schema: TSchema, value: unknown, name: string): unknown {
  if (value === undefined || value === null) return undefined
  switch (schema.type) {
    case 'string':
      return textOf({ [name]: value }, name)
    case 'boolean':
      if (typeof value === 'boolean') return value
      break
    case 'integer':
    case 'number':
      if (isNumber(value, schema.type)) return Number(value)
      break
    case 'array':
      if (Array.isArray(value)) return value.map((item) => schemaValue(schema.items, item, name))
      break
    case 'object':
      if (isSpec(value)) return schema.properties ? fieldsOf(schema as TObject, value) : value
      break
    default:
      return value
  }
  throw new UserError('unprocessable entity', `${name} must be of type ${schema.type}`)
}

function isNumber(value: unknown, type: 'integer' | 'number'): boolean {
  if (typeof value !== 'number' && typeof value !== 'string') return false
  if (value === '') return false
  return type === 'integer' ? Number.isInteger(Number(value)) : Number.isFinite(Number(value))
}
