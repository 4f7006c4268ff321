// Requests to S3 and to what speaks like it, signed as AWS wants it (Signature Version 4): a canonical text of the
// request is hashed, and that hash is signed with a key that was made from the secret for this day, region and service.
// The secret itself never leaves the process.

import { createHash, createHmac } from 'node:crypto'

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of credentials that are lent for some time. */
  readonly sessionToken: string | undefined
}

export interface SignedRequest {
  readonly method: string
  /** Its path is encoded as `encodeSegment` does it. */
  readonly url: URL
  /** Names in lower case; those that are here are signed, and `host` with them. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface SigningPlace {
  readonly credentials: AwsCredentials
  readonly region: string
  readonly service: string
}

/** All headers to send but `host`, which whoever sends adds. `at`: `20130524T000000Z`. */
export function signedHeaders(
  { method, url, headers, body }: SignedRequest,
  { credentials, region, service }: SigningPlace,
  at: string,
): Record<string, string> {
  const bodyHash = sha256(body)
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': at,
  }
  if (credentials.sessionToken !== undefined) {
    sent['x-amz-security-token'] = credentials.sessionToken
  }
  const signed = { ...sent, host: url.host }
  const names = Object.keys(signed).sort()
  const lines = names.map((name) => `${name}:${signed[name as 'host'].trim()}\n`).join('')
  const query = canonicalQuery(url)
  const list = names.join(';')
  const canonical = [method, url.pathname, query, lines, list, bodyHash].join('\n')
  const scope = `${at.slice(0, 8)}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', at, scope, sha256(Buffer.from(canonical))].join('\n')
  let key: Uint8Array = Buffer.from(`AWS4${credentials.secretAccessKey}`)
  for (const part of scope.split('/')) key = hmac(key, part)
  const signature = Buffer.from(hmac(key, text)).toString('hex')
  const credential = `Credential=${credentials.accessKeyId}/${scope}`
  const parts = [credential, `SignedHeaders=${list}`, `Signature=${signature}`]
  return { ...sent, authorization: `AWS4-HMAC-SHA256 ${parts.join(', ')}` }
}

/** Everything but letters, digits and -._~ as bytes in hexadecimal. */
export function encodeSegment(text: string): string {
  const rest = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text).replace(/[!'()*]/g, rest)
}

function canonicalQuery({ searchParams }: URL): string {
  const pairs = Array.from(searchParams, ([name, value]) => {
    return `${encodeSegment(name)}=${encodeSegment(value)}`
  })
  return pairs.sort().join('&')
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function hmac(key: Uint8Array, text: string): Uint8Array {
  return createHmac('sha256', key).update(text).digest()
}
