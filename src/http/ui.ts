// What a request that no route knows gets where the UI is served: one of its files or its page. The service may have
// none.

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
