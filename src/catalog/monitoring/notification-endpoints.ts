// Notification endpoints: where notifications go. Credentials are kept among the secrets of the
// organization; an endpoint remembers only under which keys.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import { Secrets } from '../accounts/secrets.js'
import type { CatalogContext } from '../base/context.js'
import { type Given, optionalFields } from '../base/fields.js'
import { type CatalogRecord, exactName, Records } from '../base/records.js'
import {
  checkedStatus,
  commonFields,
  type SmallChange,
  type Status,
  withoutEmpty,
} from './monitoring.js'

export type EndpointType = 'slack' | 'pagerduty' | 'http' | 'telegram'

/** Those that depend on the type of the endpoint and are no secret. */
const plainFields = {
  url: Type.String(),
  clientURL: Type.String(),
  method: Type.String(),
  authMethod: Type.String(),
  contentTemplate: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  channel: Type.String(),
}

const plainSchema = optionalFields(plainFields)

export type EndpointFields = Given<typeof plainSchema>

export const endpointFields = optionalFields({
  ...commonFields,
  ...plainFields,
  token: Type.String(),
  routingKey: Type.String(),
  username: Type.String(),
  password: Type.String(),
})

const secretSuffixes = {
  token: 'token',
  routingKey: 'routing-key',
  username: 'username',
  password: 'password',
} as const

type SecretField = keyof typeof secretSuffixes

const secretFields = Object.keys(secretSuffixes) as readonly SecretField[]

export interface EndpointBody {
  readonly type: EndpointType
  readonly description: string
  readonly status: Status
  readonly fields: EndpointFields
  /** Under which key of the organization's secrets each one is kept. */
  readonly secretKeys: Readonly<Partial<Record<SecretField, string>>>
}

export type NotificationEndpoint = CatalogRecord<EndpointBody>

export type EndpointInput = Given<typeof endpointFields>

/**
 * Secrets that exist already, by the fields that they are for. Not part of a request: whoever may name any key could
 * have its value sent anywhere.
 */
export type SecretKeys = EndpointBody['secretKeys']

const ownFields: Readonly<Record<EndpointType, readonly (keyof EndpointInput)[]>> = {
  slack: ['url', 'token'],
  pagerduty: ['clientURL', 'routingKey'],
  http: [
    'url',
    'method',
    'authMethod',
    'contentTemplate',
    'headers',
    'username',
    'password',
    'token',
  ],
  telegram: ['token', 'channel'],
}

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

function secretsOf(type: EndpointType): SecretField[] {
  return secretFields.filter((field) => ownFields[type].includes(field))
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
  const fields: Record<string, unknown> = {}
  for (const field of ownFields[type]) {
    const isSecret = secretFields.some((secret) => secret === field)
    if (!isSecret && given[field] !== undefined) fields[field] = given[field]
  }
  const { description = '' } = input
  return { type, description, status: checkedStatus(input.status), fields }
}

function checkedType(given: EndpointInput): EndpointType {
  switch (given.type) {
    case 'slack':
      if (given.url === undefined && given.token === undefined) {
        throw invalid('slack endpoint URL must be provided')
      }
      return 'slack'
    case 'pagerduty':
      if (given.routingKey === undefined) throw invalid('pagerduty routing key is invalid')
      return 'pagerduty'
    case 'http':
      checkHttp(given)
      return 'http'
    case 'telegram':
      if (given.token === undefined) throw invalid('empty telegram bot token')
      if (given.channel === undefined) throw invalid('empty telegram channel')
      return 'telegram'
    default:
      throw invalid(`invalid notification endpoint type ${given.type ?? ''}`.trimEnd())
  }
}

function checkHttp(given: EndpointInput): void {
  const { url, method = '', authMethod = '', username, password, token } = given
  if (url === undefined) throw invalid('http endpoint URL is empty')
  if (!['POST', 'GET', 'PUT'].includes(method)) throw invalid('invalid http http method')
  if (!['none', 'basic', 'bearer'].includes(authMethod)) throw invalid('invalid http auth method')
  if (authMethod === 'basic' && (username === undefined || password === undefined)) {
    throw invalid('invalid http username/password for basic auth')
  }
  if (authMethod === 'bearer' && token === undefined) {
    throw invalid('invalid http token for bearer auth')
  }
}

function invalid(message: string): UserError {
  return new UserError('invalid', message)
}
