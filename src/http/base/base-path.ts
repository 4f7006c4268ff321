// The path that the service lies below behind a proxy: it is taken off what comes in, so that routes need not know
// it.

import type { IncomingMessage } from 'node:http'

/** Proxies may have taken the base path off already: both ways are right. */
export function withoutBasePath(request: IncomingMessage, basePath: string): void {
  const { url } = request
  if (basePath === '' || url === undefined || !url.startsWith(basePath)) return
  const rest = url.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) request.url = `/${rest}`
  else if (rest.startsWith('/')) request.url = rest
}
