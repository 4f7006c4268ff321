// How the control plane's routes take bodies: as JSON, checked by the route's schema. The content type is ignored:
// `curl -d` and many clients send a wrong one or none. A member that is null is absent: generated clients send every
// member that they know, the ones not set as null, and InfluxDB's decoder passes over them.

import { promisify } from 'node:util'
import { gunzip, type ZlibOptions } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkJsonBounds } from '../../column/json-bounds.js'
import { limits } from '../../config.js'
import { UserError } from '../../errors.js'
import { isGzip } from './body.js'

type Register = (scope: FastifyInstance) => void

export function jsonRoutes(app: FastifyInstance, register: Register): void {
  app.register(async (scope) => {
    ignoreContentType(scope)
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => {
        const bytes = await unpacked(request.headers['content-encoding'], body)
        const text = bytes.toString()
        try {
          return text === '' ? undefined : parseJson(text)
        } catch (error) {
          if (error instanceof UserError) throw error
          const reason = error instanceof Error ? error.message : 'not JSON'
          throw new UserError('invalid', `invalid json structure: ${reason}`)
        }
      },
    )
    register(scope)
  })
}

const gunzipBuffer = promisify<Buffer, ZlibOptions, Buffer>(gunzip)

/** Packed or not, a body is held to the same limit. */
async function unpacked(encoding: string | undefined, body: Buffer): Promise<Buffer> {
  if (!isGzip(encoding)) return body
  try {
    return await gunzipBuffer(body, { maxOutputLength: limits.jsonBodyBytes })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_BUFFER_TOO_LARGE') {
      throw new UserError('invalid', `unable to read data: gzip: ${message}`)
    }
    throw new UserError('request too large', `a body has at most ${limits.jsonBodyBytes} bytes`)
  }
}

function parseJson(text: string): unknown {
  checkJsonBounds(text)
  const kept = text.includes('\\u') ? text.replace(escapes, storable) : text
  return kept.includes('null') ? JSON.parse(kept, withoutNull) : JSON.parse(kept)
}

/** For `JSON.parse`: members of objects that are null go; a list keeps its length. */
function withoutNull(this: unknown, _name: string, value: unknown): unknown {
  return value === null && !Array.isArray(this) ? undefined : value
}

/** A pair of surrogates, one alone, a NUL, or any other escape. */
const escapes = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|ud[89a-f][\da-f]{2}|u0000|.)/gi

/**
 * What the catalog can keep: half a character becomes the replacement character, as elsewhere; at a
 * NUL the database would cut a text off.
 */
function storable(found: string): string {
  if (found === '\\u0000') throw new Error('NUL in a string')
  return /^\\ud[89a-f]..$/i.test(found) ? '\\ufffd' : found
}

/**
 * Without this a content type that cannot be parsed would be refused before any parser is asked.
 */
function ignoreContentType(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addHook('onRequest', (request, _reply, done) => {
    delete request.raw.headers['content-type']
    done()
  })
}
