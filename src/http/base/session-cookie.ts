// The cookie of a session: scripts cannot read it, other sites' pages cannot send it, and only paths below `/api/` get
// it. In the managed variant it carries the key of a session, in the cluster variant a token.

import type { IncomingHttpHeaders } from 'node:http'

export const sessionCookie = 'influxdb-oss-session'

export interface CookieRequest {
  readonly protocol: string
  readonly headers: IncomingHttpHeaders
}

/** For `set-cookie`. An empty value that has expired takes it away. */
export function sessionCookieText(
  request: CookieRequest,
  basePath: string,
  value: string,
  expiresNs: bigint,
): string {
  const expires = new Date(Number(expiresNs / 1_000_000n)).toUTCString()
  const attributes = [`Path=${basePath}/api/`, `Expires=${expires}`, 'HttpOnly', 'SameSite=Strict']
  if (isEncrypted(request)) attributes.push('Secure')
  return `${sessionCookie}=${value}; ${attributes.join('; ')}`
}

/** Also where a proxy decrypts. Who makes that header up only loses their own cookie. */
function isEncrypted({ protocol, headers }: CookieRequest): boolean {
  return protocol === 'https' || headers['x-forwarded-proto'] === 'https'
}
