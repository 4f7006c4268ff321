// The kinds of notification endpoints: which fields each has, which of them are secrets, and what is said of a
// definition that cannot work. A new kind is an entry here and one among the deliveries of `src/alerts`.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import { type Given, optionalFields } from '../base/fields.js'
import { commonFields } from './monitoring.js'

/** Those that depend on the type of the endpoint and are no secret. */
const plainFields = {
  url: Type.String(),
  clientURL: Type.String(),
  method: Type.String(),
  authMethod: Type.String(),
  contentTemplate: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  channel: Type.String(),
  host: Type.String(),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  security: Type.String(),
  from: Type.String(),
  to: Type.String(),
}

export const plainSchema = optionalFields(plainFields)

export type EndpointFields = Given<typeof plainSchema>

export const endpointFields = optionalFields({
  ...commonFields,
  ...plainFields,
  token: Type.String(),
  routingKey: Type.String(),
  username: Type.String(),
  password: Type.String(),
})

export type EndpointInput = Given<typeof endpointFields>

/** What the key of each secret ends in. */
export const secretSuffixes = {
  token: 'token',
  routingKey: 'routing-key',
  username: 'username',
  password: 'password',
} as const

export type SecretField = keyof typeof secretSuffixes

const secretFields = Object.keys(secretSuffixes) as readonly SecretField[]

interface EndpointKind {
  readonly fields: readonly (keyof EndpointInput)[]
  /** Throws UserError in the words that clients know. Empty fields are absent here. */
  check(given: EndpointInput): void
}

const credentials = ['authMethod', 'username', 'password', 'token'] as const

export const endpointKinds = {
  slack: {
    fields: ['url', 'token'],
    check({ url, token }) {
      if (url === undefined && token === undefined) {
        throw invalid('slack endpoint URL must be provided')
      }
      checkUrl('slack', url)
    },
  },
  pagerduty: {
    fields: ['url', 'clientURL', 'routingKey'],
    check({ routingKey, url }) {
      if (routingKey === undefined) throw invalid('pagerduty routing key is invalid')
      checkUrl('pagerduty', url)
    },
  },
  http: {
    fields: ['url', 'method', 'contentTemplate', 'headers', ...credentials],
    check(given) {
      const { url, method = '' } = given
      if (url === undefined) throw invalid('http endpoint URL is empty')
      checkUrl('http', url)
      if (!['POST', 'GET', 'PUT'].includes(method)) throw invalid('invalid http http method')
      checkCredentials('http', given.authMethod ?? '', given)
    },
  },
  telegram: {
    fields: ['url', 'token', 'channel'],
    check({ token, channel, url }) {
      if (token === undefined) throw invalid('empty telegram bot token')
      if (channel === undefined) throw invalid('empty telegram channel')
      checkUrl('telegram', url)
    },
  },
  teams: { fields: ['url'], check: ({ url }) => requireUrl('teams', url) },
  discord: { fields: ['url'], check: ({ url }) => requireUrl('discord', url) },
  opsgenie: {
    fields: ['url', 'token'],
    check({ token, url }) {
      if (token === undefined) throw invalid('opsgenie API key (token) is empty')
      checkUrl('opsgenie', url)
    },
  },
  alertmanager: {
    fields: ['url', ...credentials],
    check(given) {
      requireUrl('alertmanager', given.url)
      checkCredentials('alertmanager', given.authMethod ?? 'none', given)
    },
  },
  smtp: {
    fields: ['host', 'port', 'security', 'from', 'to', 'username', 'password'],
    check({ host, from, security = 'starttls', username, password }) {
      if (host === undefined) throw invalid('smtp endpoint host is empty')
      if (from === undefined) throw invalid('smtp endpoint from is empty')
      if (!['starttls', 'tls', 'none'].includes(security)) {
        throw invalid('smtp endpoint security is one of starttls, tls and none')
      }
      if ((username === undefined) !== (password === undefined)) {
        throw invalid('smtp endpoint needs both username and password, or neither')
      }
    },
  },
} as const satisfies Readonly<Record<string, EndpointKind>>

export type EndpointType = keyof typeof endpointKinds

/** The type, of a definition that can work. */
export function checkedType(given: EndpointInput): EndpointType {
  const { type = '' } = given
  if (!isEndpointType(type)) throw invalid(`invalid notification endpoint type ${type}`.trimEnd())
  endpointKinds[type].check(given)
  return type
}

export function isEndpointType(type: string): type is EndpointType {
  return Object.hasOwn(endpointKinds, type)
}

export function secretsOf(type: EndpointType): SecretField[] {
  const { fields }: EndpointKind = endpointKinds[type]
  return secretFields.filter((field) => fields.includes(field))
}

/** Of those given, what the type has and is no secret. */
export function plainFieldsOf(type: EndpointType, given: EndpointInput): EndpointFields {
  const { fields }: EndpointKind = endpointKinds[type]
  const plain = fields.filter((field) => field in plainFields && given[field] !== undefined)
  return Object.fromEntries(plain.map((field) => [field, given[field]]))
}

function checkCredentials(type: string, authMethod: string, given: EndpointInput): void {
  const { username, password, token } = given
  if (!['none', 'basic', 'bearer'].includes(authMethod)) {
    throw invalid(`invalid ${type} auth method`)
  }
  if (authMethod === 'basic' && (username === undefined || password === undefined)) {
    throw invalid(`invalid ${type} username/password for basic auth`)
  }
  if (authMethod === 'bearer' && token === undefined) {
    throw invalid(`invalid ${type} token for bearer auth`)
  }
}

function requireUrl(type: string, url: string | undefined): void {
  if (url === undefined) throw invalid(`${type} endpoint URL is empty`)
  checkUrl(type, url)
}

function checkUrl(type: string, url: string | undefined): void {
  if (url === undefined || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return
  throw invalid(`${type} endpoint URL is invalid: it must begin with http:// or https://`)
}

function invalid(message: string): UserError {
  return new UserError('invalid', message)
}
