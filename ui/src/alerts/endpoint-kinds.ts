// The kinds of endpoints and what each is asked for: names of the fields as the service has them. Secrets go in and
// come back only as the name of where they are kept.

export interface EndpointField {
  readonly name: string
  readonly label: string
  readonly isSecret?: boolean
  readonly isOptional?: boolean
  readonly hint?: string
  readonly choices?: readonly string[]
  /** Asked for only where the way to sign in is this one. */
  readonly authMethod?: string
}

export interface EndpointKind {
  readonly type: string
  readonly label: string
  readonly fields: readonly EndpointField[]
}

const url: EndpointField = { name: 'url', label: 'Address', hint: 'https://…' }
const ownUrl: EndpointField = { ...url, label: 'Address, if not the usual one', isOptional: true }
const token: EndpointField = { name: 'token', label: 'Token', isSecret: true }
const user: EndpointField = {
  name: 'username',
  label: 'User name',
  isSecret: true,
  isOptional: true,
}
const password: EndpointField = {
  name: 'password',
  label: 'Password',
  isSecret: true,
  isOptional: true,
}
const basic = { authMethod: 'basic' } as const
const bearer: EndpointField = { ...token, isOptional: true, authMethod: 'bearer' }
const method: EndpointField = {
  name: 'authMethod',
  label: 'Signs in by',
  choices: ['none', 'basic', 'bearer'],
}

export const endpointKinds: readonly EndpointKind[] = [
  {
    type: 'http',
    label: 'Web hook',
    fields: [
      url,
      { name: 'method', label: 'Method', choices: ['POST', 'PUT', 'GET'] },
      method,
      { ...user, ...basic },
      { ...password, ...basic },
      bearer,
    ],
  },
  { type: 'slack', label: 'Slack', fields: [url, { ...token, isOptional: true }] },
  {
    type: 'smtp',
    label: 'Mail',
    fields: [
      { name: 'host', label: 'Mail server' },
      { name: 'port', label: 'Port', isOptional: true, hint: '587' },
      { name: 'security', label: 'Security', choices: ['starttls', 'tls', 'none'] },
      { name: 'from', label: 'From' },
      { name: 'to', label: 'To', isOptional: true },
      user,
      password,
    ],
  },
  { type: 'teams', label: 'Teams', fields: [url] },
  { type: 'discord', label: 'Discord', fields: [url] },
  {
    type: 'telegram',
    label: 'Telegram',
    fields: [token, { name: 'channel', label: 'Channel' }, ownUrl],
  },
  {
    type: 'pagerduty',
    label: 'PagerDuty',
    fields: [
      { name: 'routingKey', label: 'Routing key', isSecret: true },
      { name: 'clientURL', label: 'Client address', isOptional: true },
      ownUrl,
    ],
  },
  { type: 'opsgenie', label: 'Opsgenie', fields: [{ ...token, label: 'API key' }, ownUrl] },
  {
    type: 'alertmanager',
    label: 'Alertmanager',
    fields: [url, method, { ...user, ...basic }, { ...password, ...basic }, bearer],
  },
]

export function kindLabel(type: string): string {
  return endpointKinds.find((kind) => kind.type === type)?.label ?? type
}
