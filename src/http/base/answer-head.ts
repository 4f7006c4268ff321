// The headers that every answer carries. Fastify's own answers get them as they leave; whoever writes a
// head by itself, as the answers of queries are written, begins it with them.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Variant } from '../../config.js'
import { interfaceBuild, serviceVersion, toldVersion } from './version.js'

/** What the headers of an answer depend on. */
type HeadRequest = Pick<FastifyRequest, 'id' | 'headers'>

/** Names and values in turn: Node writes such a list as it is, without a map of headers in between. */
export type AnswerHead = (string | number)[]

export function answerHead(
  variant: Variant,
  request: HeadRequest,
  version = toldVersion(variant),
): AnswerHead {
  const { id } = request
  const head = [
    'x-influxdb-version',
    version,
    'x-influxdb-build',
    interfaceBuild,
    'x-service-version',
    serviceVersion(variant),
    'x-service-build',
    interfaceBuild,
    'request-id',
    id,
    'x-request-id',
    id,
  ]
  const { origin } = request.headers
  // A cache must not give one origin's answer to another.
  if (origin !== undefined) head.push('access-control-allow-origin', origin, 'vary', 'Origin')
  return head
}

export function addHeaders(variant: Variant, request: FastifyRequest, reply: FastifyReply): void {
  const head = answerHead(variant, request)
  for (let i = 0; i < head.length; i += 2) {
    if (head[i] === 'vary') addVary(reply, String(head[i + 1]))
    else reply.header(head[i] as string, head[i + 1])
  }
}

/** One more header of the request that the answer depends on. */
export function addVary(reply: FastifyReply, name: string): void {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? name : `${others}, ${name}`)
}
