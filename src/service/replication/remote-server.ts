// How points are handed to a remote: one request with line protocol, and what its answer means. A remote whose address
// ends in `/write` is spoken to as InfluxDB 1.x, any other as InfluxDB 2.

import { gzipSync } from 'node:zlib'
import type { Remote } from '../../catalog/neighbours/remotes.js'
import type { Replication } from '../../catalog/neighbours/replications.js'
import { OutgoingFailure, type OutgoingHttp } from '../../platform/outgoing-http.js'

/** A remote with its token: lives no longer than one try. */
export interface RemoteServer {
  readonly remote: Remote
  readonly token: string
}

export interface RemoteAnswer {
  /** `refused`: another try would end the same way. `too large`: fewer points at once may pass. */
  readonly kind: 'taken' | 'again' | 'refused' | 'too large'
  /** 0: none came. */
  readonly status: number
  readonly message: string
  readonly retryAfterMs: number | undefined
}

const shownCharactersMax = 300
const timeoutNs = 60_000_000_000n
const retryAfterMsMax = 3_600_000

export async function sendLines(
  outgoing: OutgoingHttp,
  { remote, token }: RemoteServer,
  replication: Replication,
  lines: Uint8Array,
  signal: AbortSignal,
): Promise<RemoteAnswer> {
  const { allowInsecureTLS: skipsVerification } = remote.body
  try {
    const { statusCode, headers, body } = await outgoing.fetch({
      method: 'POST',
      url: writeAddress(remote, replication),
      headers: [
        ['Content-Type', 'text/plain; charset=utf-8'],
        ['Content-Encoding', 'gzip'],
        ...(token === '' ? [] : [['Authorization', authorization(remote, token)] as const]),
      ],
      body: gzipSync(lines, { level: 1 }),
      timeoutNs,
      skipsVerification,
      keepsMethod: true,
      signal,
    })
    const text = Buffer.from(body).toString('utf8', 0, 4 * shownCharactersMax)
    const shown = token === '' ? text : text.replaceAll(token, '***')
    return judged(statusCode, shown.trim().slice(0, shownCharactersMax), headers.get('Retry-After'))
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error
    const advice = error.message === 'no such host' ? privateAdvice : ''
    return { kind: 'again', status: 0, message: error.message + advice, retryAfterMs: undefined }
  }
}

const privateAdvice = ' (this machine and private networks need --flux-private-hosts)'

function isV1({ body }: Remote): boolean {
  return new URL(body.remoteURL).pathname.endsWith('/write')
}

/** Names and passwords of InfluxDB 1.x are given as `NAME:PASSWORD`. */
function authorization(remote: Remote, token: string): string {
  if (!isV1(remote) || !token.includes(':')) return `Token ${token}`
  return `Basic ${Buffer.from(token).toString('base64')}`
}

export function writeAddress(remote: Remote, { body }: Replication): string {
  const url = new URL(remote.body.remoteURL)
  const bucket = body.remoteBucketID === '' ? body.remoteBucketName : body.remoteBucketID
  if (isV1(remote)) {
    const slash = bucket.indexOf('/')
    const [database, policy] =
      slash < 0 ? [bucket, ''] : [bucket.slice(0, slash), bucket.slice(slash + 1)]
    if (!url.searchParams.has('db')) url.searchParams.set('db', database)
    if (!url.searchParams.has('rp') && policy !== '') url.searchParams.set('rp', policy)
  } else {
    url.pathname = `${url.pathname.replace(/\/$/, '')}/api/v2/write`
    if (remote.body.remoteOrgID !== '') url.searchParams.set('org', remote.body.remoteOrgID)
    url.searchParams.set('bucket', bucket)
  }
  url.searchParams.set('precision', 'ns')
  return url.href
}

/**
 * Only what is wrong with the points themselves is refused for good. A token, a bucket or an address that is wrong is
 * set right by somebody, and the points wait for it.
 */
function judged(status: number, text: string, retryAfter: string | undefined): RemoteAnswer {
  const message = `the remote answered ${status}: ${text}`
  const seconds = /^\d{1,6}$/.test(retryAfter?.trim() ?? '') ? Number(retryAfter) : undefined
  const retryAfterMs = seconds === undefined ? undefined : Math.min(seconds * 1000, retryAfterMsMax)
  const answer = { status, message, retryAfterMs }
  if (status >= 200 && status < 300) return { ...answer, kind: 'taken', message: '' }
  if (status === 413) return { ...answer, kind: 'too large' }
  return { ...answer, kind: status === 400 || status === 422 ? 'refused' : 'again' }
}
