// Notification endpoints: where notifications go. Credentials are kept among the secrets of the
// organization; an endpoint remembers only under which keys.

import { UserError } from '../../errors.js'
import { Secrets } from '../accounts/secrets.js'
import type { CatalogContext } from '../base/context.js'
import { type CatalogRecord, exactName, Records } from '../base/records.js'
import {
  checkedType,
  type EndpointFields,
  type EndpointInput,
  type EndpointType,
  plainFieldsOf,
  type SecretField,
  secretSuffixes,
  secretsOf,
} from './endpoint-kinds.js'
import { checkedStatus, type SmallChange, type Status, withoutEmpty } from './monitoring.js'

export interface EndpointBody {
  readonly type: EndpointType
  readonly description: string
  readonly status: Status
  readonly fields: EndpointFields
  /** Under which key of the organization's secrets each one is kept. */
  readonly secretKeys: Readonly<Partial<Record<SecretField, string>>>
}

export type NotificationEndpoint = CatalogRecord<EndpointBody>

/**
 * Secrets that exist already, by the fields that they are for. Not part of a request: whoever may name any key could
 * have its value sent anywhere.
 */
export type SecretKeys = EndpointBody['secretKeys']

export class NotificationEndpoints {
  readonly records: Records<EndpointBody>
  readonly #secrets: Secrets

  constructor(context: CatalogContext) {
    this.#secrets = new Secrets(context)
    this.records = new Records(context, {
      kind: 'notification-endpoint',
      noun: 'notification endpoint',
      uniqueName: exactName,
    })
  }

  /** In a transaction: the secrets belong to it. */
  async create(
    orgId: string,
    ownerId: string | undefined,
    input: EndpointInput,
    references: SecretKeys = {},
  ): Promise<NotificationEndpoint> {
    const name = checkedName(input.name)
    const body = { ...bodyOf(input, references), secretKeys: {} }
    const { id } = await this.records.create({ orgId, ownerId, name, body })
    const typed = { ...input, type: body.type }
    const secretKeys = await this.#keepSecrets(orgId, id, typed, references, {})
    return this.records.update(id, { body: { ...body, secretKeys } })
  }

  /** In a transaction. A secret that is given as its own key stays as it is. */
  async replace(
    id: string,
    input: EndpointInput,
    references: SecretKeys = {},
  ): Promise<NotificationEndpoint> {
    const { orgId, body: before } = await this.records.require(id)
    const body = bodyOf(input, references)
    const typed = { ...input, type: body.type }
    const secretKeys = await this.#keepSecrets(orgId, id, typed, references, before.secretKeys)
    const dropped = ownKeys(id, before).filter((key) => !ownKeys(id, { secretKeys }).includes(key))
    await this.#secrets.delete(orgId, dropped)
    return this.records.update(id, {
      name: checkedName(input.name),
      body: { ...body, secretKeys },
    })
  }

  /** In a transaction. */
  async update(id: string, change: SmallChange): Promise<NotificationEndpoint> {
    const { name, body } = await this.records.require(id)
    const description = change.description ?? body.description
    const status = checkedStatus(change.status ?? body.status)
    return this.records.update(id, {
      name: checkedName(change.name ?? name),
      body: { ...body, description, status },
    })
  }

  /** In a transaction: its secrets go with it. */
  async delete(id: string): Promise<void> {
    const { orgId, body } = await this.records.require(id)
    await this.#secrets.delete(orgId, ownKeys(id, body))
    await this.records.delete(id)
  }

  async #keepSecrets(
    orgId: string,
    id: string,
    input: EndpointInput & { readonly type: EndpointType },
    references: SecretKeys,
    known: SecretKeys,
  ): Promise<SecretKeys> {
    const keys: Partial<Record<SecretField, string>> = {}
    for (const field of secretsOf(input.type)) {
      const given = input[field] ?? ''
      const key = references[field] ?? known[field]
      const isKept = references[field] !== undefined || given === `secret: ${key}`
      if (key !== undefined && isKept) {
        keys[field] = key
      } else if (given !== '') {
        const own = `${id}-${secretSuffixes[field]}`
        keys[field] = own
        await this.#secrets.put(orgId, { [own]: given })
      }
    }
    return keys
  }
}

/** Keys that were made for this endpoint, unlike those it only refers to. */
function ownKeys(id: string, body: Pick<EndpointBody, 'secretKeys'>): string[] {
  return Object.values(body.secretKeys).filter((key) => key.startsWith(`${id}-`))
}

function checkedName(name: string | undefined): string {
  if (name !== undefined && name !== '') return name
  throw invalid("Notification Endpoint Name can't be empty")
}

function bodyOf(input: EndpointInput, references: SecretKeys): Omit<EndpointBody, 'secretKeys'> {
  const given = withoutEmpty({ ...input, ...references })
  const type = checkedType(given)
  const { description = '' } = input
  const status = checkedStatus(input.status)
  return { type, description, status, fields: plainFieldsOf(type, given) }
}

function invalid(message: string): UserError {
  return new UserError('invalid', message)
}
