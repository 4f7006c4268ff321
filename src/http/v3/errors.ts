// The error of a v3 write: `{"error": …, "data": …}`, where `data` names the lines that were refused, each
// with its number and the reason; where nothing was written, only the first of them.

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

/** For the error that carries more than all others, which go the way of every error. */
export function v3WriteErrorHandler(services: Services) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    if (!(error instanceof V3WriteError)) throw error
    const { variant } = services.config
    const answer = errorAnswer(error, request.url, request.id, variant)
    const bytes = Buffer.from(JSON.stringify({ error: answer.message, data: error.data }))
    sendError(request, reply, answer, variant, { contentType: 'application/json', bytes })
  }
}
