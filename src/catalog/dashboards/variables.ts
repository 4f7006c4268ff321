// Variables: named values that dashboards put into their queries. Names are unique in their
// organization whatever their case, and are names that a Flux script can carry.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { type Given, optionalFields, pick } from '../base/fields.js'
import { type CatalogRecord, foldedName, Records } from '../base/records.js'

export interface VariableQuery {
  readonly query: string
  readonly language: 'flux' | 'influxql' | 'sql'
  /** By name: which one InfluxQL and SQL read. Other programs know nothing of it. */
  readonly bucket?: string | undefined
}

export type VariableArguments =
  | { readonly type: 'constant'; readonly values: readonly string[] }
  | { readonly type: 'map'; readonly values: Readonly<Record<string, string>> }
  | { readonly type: 'query'; readonly values: VariableQuery }

export interface VariableBody {
  readonly description: string
  readonly selected: readonly string[]
  readonly sortOrder?: number | undefined
  readonly arguments: VariableArguments
}

export type Variable = CatalogRecord<VariableBody>

/** Of `arguments` the values are checked here, because each type has its own. */
const ownFields = {
  name: Type.String(),
  description: Type.String(),
  selected: Type.Array(Type.String()),
  sort_order: Type.Integer(),
  arguments: Type.Object({ type: Type.String(), values: Type.Optional(Type.Unknown()) }),
}

export const variableFields = optionalFields({ orgID: Type.String(), ...ownFields })

const ownSchema = optionalFields(ownFields)

export type VariableInput = Given<typeof variableFields>

/** Words of the Flux language, in which variables are used. */
const protectedNames = new Set([
  'and',
  'import',
  'not',
  'return',
  'option',
  'test',
  'empty',
  'in',
  'or',
  'package',
  'builtin',
])

export class Variables {
  readonly records: Records<VariableBody>

  constructor(context: CatalogContext) {
    this.records = new Records(context, {
      kind: 'variable',
      noun: 'variable',
      uniqueName: foldedName,
    })
  }

  async create(orgId: string, input: VariableInput): Promise<Variable> {
    return this.records.create({ orgId, name: checkedName(input.name), body: bodyOf(input) })
  }

  async replace(id: string, input: VariableInput): Promise<Variable> {
    return this.records.update(id, { name: checkedName(input.name), body: bodyOf(input) })
  }

  async update(id: string, input: VariableInput): Promise<Variable> {
    if (Object.values(pick(ownSchema, input)).every((value) => value === undefined)) {
      throw new UserError('invalid', 'no fields supplied in update')
    }
    const { name, body } = await this.records.require(id)
    return this.replace(id, {
      name: input.name ?? name,
      description: input.description ?? body.description,
      selected: input.selected ?? body.selected,
      sort_order: input.sort_order ?? body.sortOrder,
      arguments: input.arguments ?? body.arguments,
    })
  }
}

function bodyOf(input: VariableInput): VariableBody {
  return {
    description: input.description ?? '',
    selected: input.selected ?? [],
    sortOrder: input.sort_order,
    arguments: checkedArguments(input.arguments),
  }
}

function checkedName(given: string | undefined): string {
  const name = (given ?? '').trim()
  if (name === '') throw new UserError('invalid', 'missing variable name')
  if (!/^[a-zA-Z_]/.test(name)) {
    throw new UserError('invalid', 'variable name must start with a letter')
  }
  if (protectedNames.has(name.toLowerCase())) {
    throw new UserError('invalid', `"${name}" is a protected variable name`)
  }
  return name
}

function checkedArguments(given: VariableInput['arguments']): VariableArguments {
  const values = given?.values
  switch (given?.type) {
    case 'constant':
      if (isTexts(values)) return { type: 'constant', values }
      throw badValues('constant', 'a list of strings')
    case 'map':
      if (isTextMap(values)) return { type: 'map', values }
      throw badValues('map', 'an object of strings')
    case 'query':
      return { type: 'query', values: checkedQuery(values) }
    default:
      throw new UserError('invalid', 'invalid arguments type')
  }
}

function checkedQuery(values: unknown): VariableQuery {
  if (isTextMap(values)) {
    const { query, language, bucket } = values
    if (query !== undefined && isLanguage(language)) {
      return bucket === undefined ? { query, language } : { query, language, bucket }
    }
  }
  throw badValues('query', 'a query and its language, flux, influxql or sql')
}

function isLanguage(name: string | undefined): name is VariableQuery['language'] {
  return name === 'flux' || name === 'influxql' || name === 'sql'
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isTextMap(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((item) => typeof item === 'string')
}

function badValues(type: string, expected: string): UserError {
  return new UserError('invalid', `values of ${type} arguments must be ${expected}`)
}
