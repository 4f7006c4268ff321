// Errors of the v3 endpoints: `{"error": …, "data": …}`, where `data` names the lines of a write that
// were refused, each with its number and the reason; where nothing was written, only the first of them.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { UserError } from '../../errors.js'
import { errorAnswer, sendError } from '../errors.js'
import type { Services } from '../services.js'

/** A line of a write that is not stored. */
export interface RefusedLine {
  readonly original_line: string
  readonly line_number: number
  readonly error_message: string
}

export class V3WriteError extends UserError {
  readonly data: RefusedLine | readonly RefusedLine[]

  constructor(message: string, data: V3WriteError['data']) {
    super('invalid', message)
    this.data = data
  }
}

export function v3ErrorHandler(services: Services) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const { variant } = services.config
    const answer = errorAnswer(error, request.url, request.id, variant)
    if (answer.isUnexpected) {
      const { method, id: requestId } = request
      services.metrics.internalError()
      const path = request.routeOptions.url
      services.log('error', 'request failed', { method, path, requestId, error })
    }
    const data = error instanceof V3WriteError ? error.data : null
    const bytes = Buffer.from(JSON.stringify({ error: answer.message, data }))
    sendError(request, reply, answer, variant, { contentType: 'application/json', bytes })
  }
}
