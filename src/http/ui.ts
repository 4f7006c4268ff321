// What a request that no route knows gets where the UI is served: one of its files or its page. And the path that the
// service lies below behind a proxy: it is taken off what comes in, so that routes need not know it.

import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from './base/services.js'

/** False: it is for nothing that the UI has. */
export async function answerWithUi(
  { ui, random }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  return ui === undefined ? false : ui.answer(request, reply, random)
}

/** Proxies may have taken the base path off already: both ways are right. */
export function withoutBasePath(request: IncomingMessage, basePath: string): void {
  const { url } = request
  if (basePath === '' || url === undefined || !url.startsWith(basePath)) return
  const rest = url.slice(basePath.length)
  if (rest === '' || rest.startsWith('?')) request.url = `/${rest}`
  else if (rest.startsWith('/')) request.url = rest
}
