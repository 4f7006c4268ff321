// The fields of a resource are stated once, as a schema beside the resource's rules: requests are validated by it, the
// page about the interface shows it, and the types of what the catalog is given follow from it.

import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** An object whose fields may all be absent. What cannot do without is said by the resource, in its own words. */
export function optionalFields<Fields extends TProperties>(fields: Fields) {
  return Type.Partial(Type.Object(fields))
}

/** What a schema lets through: nobody changes it, and a field that may be absent may be undefined. */
export type Given<Schema extends TSchema> = GivenValue<Static<Schema>>

type GivenValue<Value> = Value extends readonly (infer Item)[]
  ? readonly GivenValue<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: GivenField<Value, Name> }
    : Value

type GivenField<Value, Name extends keyof Value> =
  Record<never, never> extends Pick<Value, Name>
    ? GivenValue<Value[Name]> | undefined
    : GivenValue<Value[Name]>

/** The fields that the schema knows: requests may hold others. */
export function pick<Fields extends TObject>(schema: Fields, given: Given<Fields>): Given<Fields> {
  const all: Readonly<Record<string, unknown>> = given
  const known = Object.keys(schema.properties).map((name) => [name, all[name]])
  return Object.fromEntries(known)
}
