// Headers of outgoing requests: which of a script's are sent, what is added, which survive a redirect, and the
// answer's headers with their names written one way.

import { OutgoingFailure } from './outgoing-http.js'

/**
 * They speak of the connection or of the length of the body, which are not the script's to decide: a second opinion
 * about where a message ends lets one request hide in another.
 */
const notForScripts: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** They are for the host that the script named, and for no other. */
const secrets: ReadonlySet<string> = new Set(['authorization', 'cookie', 'cookie2'])

/** Of the connection: they say nothing about the answer. */
const notOfAnswer: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding'])

const namePattern = /^[\w!#$%&'*+.^`|~-]+$/
const userAgent = 'Millrace'

/** By lower-case name. */
export type HeaderMap = ReadonlyMap<string, readonly [name: string, value: string]>

/** Those of a script that go out. Throws OutgoingFailure for what cannot be a header. */
export function scriptHeaders(given: readonly (readonly [string, string])[]): HeaderMap {
  const headers = new Map<string, readonly [string, string]>()
  for (const [name, value] of given) {
    if (!namePattern.test(name)) {
      throw new OutgoingFailure(`net/http: invalid header field name ${JSON.stringify(name)}`)
    }
    if (hasControls(value)) {
      throw new OutgoingFailure(`net/http: invalid header field value for ${JSON.stringify(name)}`)
    }
    const key = name.toLowerCase()
    if (!notForScripts.has(key)) headers.set(key, [name, value])
  }
  return headers
}

/** A tab is none. */
function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true
  }
  return false
}

/** The same without what only the first host may see. */
export function withoutSecrets(headers: HeaderMap): HeaderMap {
  return new Map([...headers].filter(([key]) => !secrets.has(key)))
}

/** The same without what described the body that is not sent any more. */
export function withoutBody(headers: HeaderMap): HeaderMap {
  return new Map([...headers].filter(([key]) => !key.startsWith('content-')))
}

export interface SentHeaders {
  /** As `http.request` takes them. */
  readonly headers: Readonly<Record<string, string>>
  /** Packed answers were asked for here and not by the script: they are unpacked before it sees them. */
  readonly unpacks: boolean
}

export function sentHeaders(
  headers: HeaderMap,
  method: string,
  url: URL,
  bodyBytes: number,
): SentHeaders {
  const unpacks = method !== 'HEAD' && !headers.has('accept-encoding') && !headers.has('range')
  const sent = new Map<string, string>()
  for (const [name, value] of headers.values()) sent.set(name, wireText(value))
  if (!headers.has('user-agent')) sent.set('User-Agent', userAgent)
  if (unpacks) sent.set('Accept-Encoding', 'gzip')
  if (!headers.has('authorization') && (url.username !== '' || url.password !== '')) {
    sent.set('Authorization', basicAuthorization(url))
  }
  const hasLength = bodyBytes > 0 || method === 'POST' || method === 'PUT' || method === 'PATCH'
  if (hasLength) sent.set('Content-Length', String(bodyBytes))
  // Names passed the pattern above, and fromEntries defines properties: `__proto__` is one like any other.
  return { headers: Object.fromEntries(sent), unpacks }
}

function basicAuthorization({ username, password }: URL): string {
  const credentials = `${decoded(username)}:${decoded(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** UTF-8 on the wire; Node wants each byte as a character. */
function wireText(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1')
}

/** `raw`: names and values in turn. Of a name that comes twice the last value stays. */
export function answerHeaders(raw: readonly string[], wasUnpacked: boolean): Map<string, string> {
  const headers = new Map<string, string>()
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const key = raw[i].toLowerCase()
    const isStale = wasUnpacked && (key === 'content-encoding' || key === 'content-length')
    if (isStale || notOfAnswer.has(key)) continue
    headers.set(canonicalName(key), Buffer.from(raw[i + 1], 'latin1').toString('utf8'))
  }
  return headers
}

function canonicalName(key: string): string {
  return key.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => {
    return dash + letter.toUpperCase()
  })
}
