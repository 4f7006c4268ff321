// The Fastify app that both variants stand on: request ids, the headers that every answer carries,
// errors, unknown paths, metrics. Routes are added by `managed.ts` and `cluster.ts`.

import { AjvCompiler } from '@fastify/ajv-compiler'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawServerDefault,
} from 'fastify'
import { limits } from '../config.js'
import { UserError } from '../errors.js'
import { ActiveQueries } from '../query/active-queries.js'
import { addHeaders } from './answer-head.js'
import { ApiDocument } from './api-document.js'
import { BodyReader } from './body.js'
import { BodyPool } from './body-pool.js'
import { errorAnswer, sendError } from './errors.js'
import { ServerMetrics } from './metrics.js'
import { ParserRegistry } from './parsers.js'
import { requestId } from './request-id.js'
import { RouteTable } from './route-table.js'
import type { Foundation, Services } from './services.js'
import { Targets } from './targets.js'
import { WriteGate } from './write-gate.js'

export type App = FastifyInstance<RawServerDefault>

export function buildServices(foundation: Foundation): Services {
  const { config, store, catalog, clock } = foundation
  const gate = new WriteGate(config.writeRequestsMax, config.writeBytesMax)
  const pool = new BodyPool(limits.bodyPoolBytes)
  return {
    ...foundation,
    gate,
    bodies: new BodyReader(pool, config.maxBodyBytes),
    queryBodies: new BodyReader(pool, limits.queryBodyBytes),
    queries: new ActiveQueries(clock),
    metrics: new ServerMetrics(store, gate),
    parsers: new ParserRegistry(limits),
    targets: new Targets(catalog),
    document: new ApiDocument(),
    startedAt: clock.now(),
  }
}

export function buildApp(services: Services): App {
  const { config } = services
  const app = Fastify({
    logger: false,
    bodyLimit: limits.jsonBodyBytes,
    http: { maxHeaderSize: limits.headerBytes },
    requestTimeout: config.requestTimeoutSeconds * 1000,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    genReqId: (raw) => requestId(raw.headers, services.random),
    schemaController: { compilersFactory: { buildValidator: compileWhenAsked() } },
    // Ajv as Fastify sets it up bends values to fit; a service that keeps data takes them as they
    // are.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } },
    frameworkErrors: (error, request, reply) => {
      addHeaders(config.variant, request as FastifyRequest, reply as FastifyReply)
      fail(services, error, request as FastifyRequest, reply as FastifyReply)
    },
  })
  const routes = new RouteTable()
  app.addHook('onRoute', (route) => {
    routes.add(route.url, route.method)
    services.document.add(route)
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    addHeaders(config.variant, request, reply)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    recordAnswer(services, request, reply)
    done()
  })
  app.addHook('onClose', (_instance, done) => {
    services.metrics.close()
    done()
  })
  app.setErrorHandler((error, request, reply) => fail(services, error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const allowed = routes.methodsOf(request.url)
    if (request.method === 'OPTIONS' && allowed.length > 0) return preflight(reply)
    if (allowed.length === 0) throw new UserError('not found', 'path not found')
    reply.header('allow', allowed.join(', '))
    throw new UserError('method not allowed', `allow: ${allowed.join(', ')}`)
  })
  return app
}

type BuildValidator = ReturnType<typeof AjvCompiler>
type Validate = ((data: unknown) => unknown) & { errors?: unknown }

/**
 * Validators are made when the first request needs them: making those of two hundred routes took a third of the time to
 * start.
 */
function compileWhenAsked(): BuildValidator {
  const build = AjvCompiler()
  return (schemas, options) => {
    const compile = build(schemas, options)
    return (route) => {
      let made: Validate | undefined
      const validate: Validate = (data) => {
        made ??= compile(route) as Validate
        const isValid = made(data)
        validate.errors = made.errors
        return isValid
      }
      return validate as ReturnType<typeof compile>
    }
  }
}

function fail(
  services: Services,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { method, id } = request
  const { variant } = services.config
  const answer = errorAnswer(error, request.url, id, variant)
  if (answer.isUnexpected) {
    services.metrics.internalError()
    const path = pathOf(request)
    services.log('error', 'request failed', { method, path, requestId: id, error })
  }
  sendError(request, reply, answer, variant)
}

function recordAnswer(services: Services, request: FastifyRequest, reply: FastifyReply): void {
  const { method, id } = request
  const { statusCode, elapsedTime } = reply
  const route = request.routeOptions.url ?? 'unknown'
  services.metrics.request(method, route, statusCode, elapsedTime / 1000)
  if (services.config.logLevel !== 'debug') return
  const figures = { status: statusCode, ms: elapsedTime }
  services.log('debug', 'request', { method, path: pathOf(request), requestId: id, ...figures })
}

/** For logs: the query string may hold a password. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]
}

/** What a browser asks before it sends a request from another page's origin. */
function preflight(reply: FastifyReply): FastifyReply {
  reply.header('access-control-allow-methods', 'POST, GET, OPTIONS, PUT, DELETE, PATCH')
  const headers = 'Accept, Content-Type, Content-Length, Accept-Encoding, Authorization, User-Agent'
  reply.header('access-control-allow-headers', headers)
  return reply.code(204).send()
}
