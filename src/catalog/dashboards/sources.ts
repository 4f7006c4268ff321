// Sources: servers that a user interface asks for data. Credentials are kept among the secrets of
// the organization. This server itself is a source that nobody has to make.

import { UserError } from '../../errors.js'
import { Secrets } from '../accounts/secrets.js'
import type { CatalogContext } from '../base/context.js'
import { type CatalogRecord, Records } from '../base/records.js'

export interface SourceFields {
  readonly type?: string | undefined
  readonly url?: string | undefined
  readonly insecureSkipVerify?: boolean | undefined
  readonly telegraf?: string | undefined
  readonly username?: string | undefined
  readonly metaUrl?: string | undefined
  readonly defaultRP?: string | undefined
  readonly default?: boolean | undefined
}

export interface SourceSecrets {
  readonly token?: string | undefined
  readonly password?: string | undefined
  readonly sharedSecret?: string | undefined
}

export type SourceBody = SourceFields

export type Source = CatalogRecord<SourceBody>

export interface SourceInput {
  readonly name?: string | undefined
  readonly fields: SourceFields
  readonly secrets: SourceSecrets
}

const types = new Set(['v1', 'v2', 'self'])
const secretNames = ['token', 'password', 'sharedSecret'] as const

export class Sources {
  readonly records: Records<SourceBody>
  readonly #secrets: Secrets

  constructor(context: CatalogContext) {
    this.#secrets = new Secrets(context)
    this.records = new Records(context, { kind: 'source', noun: 'source' })
  }

  /** In a transaction. */
  async create(orgId: string, input: SourceInput): Promise<Source> {
    const { name = '', fields } = input
    if (name === '') throw new UserError('invalid', 'source name is required')
    checkType(fields)
    const made = await this.records.create({ orgId, name, body: fields })
    await this.#secrets.put(orgId, secretsOf(made.id, input.secrets))
    return made
  }

  /** In a transaction. What is not given stays. */
  async update(id: string, input: SourceInput): Promise<Source> {
    const { orgId, body } = await this.records.require(id)
    const given = Object.entries(input.fields).filter(([, value]) => value !== undefined)
    const changed: SourceFields = { ...body, ...Object.fromEntries(given) }
    checkType(changed)
    await this.#secrets.put(orgId, secretsOf(id, input.secrets))
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

function checkType({ type = 'v2' }: SourceFields): void {
  if (!types.has(type)) throw new UserError('invalid', `invalid source type ${type}`)
}

function secretsOf(id: string, secrets: SourceSecrets): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of secretNames) {
    const value = secrets[name]
    if (value !== undefined && value !== '') kept[`${id}-${name}`] = value
  }
  return kept
}
