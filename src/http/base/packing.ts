// Answers packed with gzip for whoever takes it. Those of queries are packed as they are made (`data/answer.ts`); here
// are all others, which are there as a whole: lists of dashboards and tasks are texts that shrink to a tenth.

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from './answer-head.js'

/** Numbers and repeated names pack well at once; more effort takes several times as long. */
export const gzipLevel = 1

/** What fits into one packet arrives no sooner for being smaller. */
const packedBytesMin = 1400

const pack = promisify(gzip)

export function takesGzip(accepted: string | string[] | undefined): boolean {
  if (typeof accepted !== 'string' || !accepted.includes('gzip')) return false
  return !/gzip\s*;\s*q=0(\.0*)?\s*(,|$)/.test(accepted)
}

/** The body as it is to be sent; says so in the reply's headers where that is another one. */
export async function packedBody(
  request: FastifyRequest,
  reply: FastifyReply,
  body: unknown,
): Promise<unknown> {
  const isText = typeof body === 'string' && body.length >= packedBytesMin
  if (!isText || reply.hasHeader('content-encoding')) return body
  addVary(reply, 'Accept-Encoding')
  if (!takesGzip(request.headers['accept-encoding'])) return body
  const bytes = await pack(body, { level: gzipLevel })
  reply.header('content-encoding', 'gzip').header('content-length', bytes.length)
  return bytes
}
