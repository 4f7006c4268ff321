// Routes that ask for a credential before anything else: whoever has none does not learn from the refusal of a body
// what a good one looks like. Each has the question as a hook of its own. A scope of Fastify for each kind of resource
// had one for all its routes, and 36 of them were a quarter of the CPU of the control plane's first answer.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { assert } from '../../errors.js'
import { identify } from './credentials.js'
import type { Services } from './services.js'

type Register = (scope: FastifyInstance) => void

const methods: readonly string[] = ['get', 'post', 'put', 'patch', 'delete']

/** `register` can add routes and nothing else: a hook or a parser would be those of all others too. */
export function guardedRoutes(app: FastifyInstance, services: Services, register: Register): void {
  const onRequest = guard(services)
  register(
    new Proxy(app, {
      get(_, name: string) {
        assert(methods.includes(name), `guarded routes take no ${name}`)
        return (url: string, ...rest: [handler: unknown] | [options: object, handler: unknown]) => {
          const [options, handler] = rest.length === 1 ? [{}, rest[0]] : rest
          assert(!('onRequest' in options), 'the guard is in the place of the hook')
          return app[name as 'get'](url, { ...options, onRequest }, handler as never)
        }
      },
    }),
  )
}

/** The same in a scope, with hooks and parsers of its own. */
export function guardedScope(app: FastifyInstance, services: Services, register: Register): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', guard(services))
    register(scope)
  })
}

function guard(services: Services): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    await identify(services, request)
  }
}
