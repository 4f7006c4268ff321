// Guarded routes share the scope that they are added to: what would change that scope for all others is refused when
// the program starts. That each asks for a credential first is shown with all routes (`test/api/access.test.ts`).

import Fastify, { type FastifyInstance } from 'fastify'
import { expect, it } from 'vitest'
import { guardedRoutes } from './guarded-routes.js'
import type { Services } from './services.js'

const services = {} as Services

it.each<[string, (scope: FastifyInstance) => unknown]>([
  ['addHook', (scope) => scope.addHook('onRequest', async () => undefined)],
  ['addContentTypeParser', (scope) => scope.addContentTypeParser('*', async () => undefined)],
  ['register', (scope) => scope.register(async () => undefined)],
  ['route', (scope) => scope.route({ method: 'GET', url: '/a', handler: () => 1 })],
])('takes no %s', (name, add) => {
  const register = (scope: FastifyInstance) => void add(scope)
  expect(() => guardedRoutes(Fastify(), services, register)).toThrow(
    `guarded routes take no ${name}`,
  )
})

it('puts the guard before every route, and lets nobody put another hook in its place', async () => {
  const app = Fastify()
  const guards: unknown[] = []
  app.addHook('onRoute', ({ method, bodyLimit, onRequest }) => {
    guards.push([method, bodyLimit, typeof onRequest])
  })
  guardedRoutes(app, services, (scope) => {
    scope.post('/a', () => 1)
    scope.put('/a', { bodyLimit: 7 }, () => 1)
  })
  expect(guards).toEqual([
    ['POST', undefined, 'function'],
    ['PUT', 7, 'function'],
  ])
  const withHook = (scope: FastifyInstance) =>
    void scope.get('/b', { onRequest: async () => undefined }, () => 1)
  expect(() => guardedRoutes(app, services, withHook)).toThrow('in the place of the hook')
})
