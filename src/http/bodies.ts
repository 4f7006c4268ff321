// The two ways in which routes take bodies: as JSON, checked by the route's schema, or as a raw
// stream that the route reads itself. In both the content type is ignored: `curl -d` and many
// clients send a wrong one or none.

import type { FastifyInstance } from 'fastify'
import { UserError } from '../errors.js'

type Register = (scope: FastifyInstance) => void

export function jsonRoutes(app: FastifyInstance, register: Register): void {
  app.register(async (scope) => {
    ignoreContentType(scope)
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
      try {
        done(null, text === '' ? undefined : JSON.parse(text as string))
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'not JSON'
        done(new UserError('invalid', `invalid json structure: ${reason}`))
      }
    })
    register(scope)
  })
}

export function rawRoutes(app: FastifyInstance, register: Register): void {
  app.register(async (scope) => {
    ignoreContentType(scope)
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    register(scope)
  })
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
