// The data plane: the endpoints that carry points and answers, as plain handlers over Node's request and response.
// Everything else is Fastify's, also wrong methods and unknown paths.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Action } from '../../access/permissions.js'
import type { MaybePromise } from '../../platform/pull-stream.js'
import { requireRole } from '../../service/base/role.js'
import type { ErrorForm } from '../base/errors.js'
import type { Services } from '../base/services.js'
import { Exchange, type FailureBody } from './exchange.js'

export interface DataRoute {
  readonly methods: readonly ('GET' | 'HEAD' | 'POST')[]
  /** One part may be a parameter, `:id`. */
  readonly path: string
  readonly errors: ErrorForm
  readonly failureBody?: FailureBody
  /** Which processes of a cluster take it: those that read, those that write; absent: all. */
  readonly role?: Action
  /** A promise only where something must be waited for. */
  handle(exchange: Exchange): MaybePromise<void>
}

export class DataRouter {
  readonly routes: readonly DataRoute[]
  readonly #services: Services
  /** By method and path. */
  readonly #exact = new Map<string, DataRoute>()
  readonly #patterns: readonly { readonly pattern: RegExp; readonly route: DataRoute }[]

  constructor(services: Services, routes: readonly DataRoute[]) {
    this.#services = services
    this.routes = routes
    for (const route of routes) {
      for (const method of route.methods) this.#exact.set(`${method} ${route.path}`, route)
    }
    this.#patterns = routes
      .filter(({ path }) => path.includes(':'))
      .map((route) => ({ pattern: patternOf(route.path), route }))
  }

  /** False: it is not of this plane. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '' } = request
    const mark = url.indexOf('?')
    const search = mark < 0 ? '' : url.slice(mark + 1)
    const path = pathOf(url, mark)
    const exact = this.#exact.get(`${method} ${path}`)
    if (exact !== undefined) {
      this.#answer(exact, request, response, search, noParams)
      return true
    }
    for (const { pattern, route } of this.#patterns) {
      const found = pattern.exec(path)
      if (found === null || !route.methods.includes(method as 'GET')) continue
      this.#answer(route, request, response, search, { ...found.groups })
      return true
    }
    return false
  }

  /** How errors are told at a path of this plane, whatever the method; undefined: it is none. */
  errorsOf(url: string): ErrorForm | undefined {
    const path = pathOf(url, url.indexOf('?'))
    return this.routes.find((route) => route.path === path)?.errors
  }

  #answer(
    route: DataRoute,
    request: IncomingMessage,
    response: ServerResponse,
    search: string,
    params: Readonly<Record<string, string>>,
  ): void {
    const startedAt = performance.now()
    const exchange = new Exchange(this.#services, request, response, route.errors, search, params)
    const answered = this.#handle(route, exchange)
    if (answered instanceof Promise) answered.then(() => this.#count(route, exchange, startedAt))
    else this.#count(route, exchange, startedAt)
  }

  /** Never throws or rejects: what fails is told. */
  #handle(route: DataRoute, exchange: Exchange): MaybePromise<void> {
    const fail = (error: Error) => exchange.sendError(error, route.failureBody)
    try {
      if (route.role !== undefined) requireRole(this.#services.config, route.role)
      const handled = route.handle(exchange)
      return handled instanceof Promise ? handled.catch(fail) : undefined
    } catch (error) {
      fail(error as Error)
    }
  }

  #count({ path }: DataRoute, { method, id, response }: Exchange, startedAt: number): void {
    const { metrics, config, log } = this.#services
    const seconds = (performance.now() - startedAt) / 1000
    const { statusCode: status } = response
    metrics.request(method, path, status, seconds)
    if (config.logLevel !== 'debug') return
    log('debug', 'request', { method, path, requestId: id, status, ms: seconds * 1000 })
  }
}

const noParams = {}

/** A slash at the end does not matter. */
function pathOf(url: string, mark: number): string {
  const end = mark < 0 ? url.length : mark
  const isSlashed = end > 1 && url.charCodeAt(end - 1) === slash
  return url.slice(0, isSlashed ? end - 1 : end)
}

const slash = 0x2f

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
}
