// Sources: servers that a user interface asks for data. Credentials are kept among the secrets of
// the organization. This server itself is a source that nobody has to make.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import { Secrets } from '../accounts/secrets.js'
import type { CatalogContext } from '../base/context.js'
import { type Given, optionalFields, pick } from '../base/fields.js'
import { type CatalogRecord, Records } from '../base/records.js'

const plainFields = optionalFields({
  type: Type.String(),
  default: Type.Boolean(),
  url: Type.String(),
  insecureSkipVerify: Type.Boolean(),
  telegraf: Type.String(),
  username: Type.String(),
  metaUrl: Type.String(),
  defaultRP: Type.String(),
})

const secretFields = optionalFields({
  token: Type.String(),
  password: Type.String(),
  sharedSecret: Type.String(),
})

export const sourceFields = optionalFields({
  orgID: Type.String(),
  name: Type.String(),
  ...plainFields.properties,
  ...secretFields.properties,
})

export type SourceBody = Given<typeof plainFields>

export type Source = CatalogRecord<SourceBody>

export type SourceInput = Given<typeof sourceFields>

const types = new Set(['v1', 'v2', 'self'])
const secretNames = Object.keys(secretFields.properties) as (keyof typeof secretFields.properties)[]

export class Sources {
  readonly records: Records<SourceBody>
  readonly #secrets: Secrets

  constructor(context: CatalogContext) {
    this.#secrets = new Secrets(context)
    this.records = new Records(context, { kind: 'source', noun: 'source' })
  }

  /** In a transaction. */
  async create(orgId: string, input: SourceInput): Promise<Source> {
    const { name = '' } = input
    if (name === '') throw new UserError('invalid', 'source name is required')
    checkType(input)
    const made = await this.records.create({ orgId, name, body: pick(plainFields, input) })
    await this.#secrets.put(orgId, secretsOf(made.id, input))
    return made
  }

  /** In a transaction. What is not given stays. */
  async update(id: string, input: SourceInput): Promise<Source> {
    const { orgId, body } = await this.records.require(id)
    const given = Object.entries(pick(plainFields, input)).filter(
      ([, value]) => value !== undefined,
    )
    const changed: SourceBody = { ...body, ...Object.fromEntries(given) }
    checkType(changed)
    await this.#secrets.put(orgId, secretsOf(id, input))
    return this.records.update(id, { name: input.name, body: changed })
  }

  /** In a transaction. */
  async delete(id: string): Promise<void> {
    const { orgId } = await this.records.require(id)
    await this.#secrets.delete(
      orgId,
      secretNames.map((name) => `${id}-${name}`),
    )
    await this.records.delete(id)
  }
}

function checkType({ type = 'v2' }: SourceBody): void {
  if (!types.has(type)) throw new UserError('invalid', `invalid source type ${type}`)
}

function secretsOf(id: string, input: SourceInput): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of secretNames) {
    const value = input[name]
    if (value !== undefined && value !== '') kept[`${id}-${name}`] = value
  }
  return kept
}
