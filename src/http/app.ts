// What the parts of the control plane stand on, in both variants: Fastify with its request ids, the headers that every
// answer carries, errors, unknown paths, metrics. Routes are added by `managed.ts`, `content.ts` and `cluster.ts`.
// Requests come from `server.ts`, which has the port: the server that Fastify insists on never listens.

import { createServer } from 'node:http'
import { AjvCompiler } from '@fastify/ajv-compiler'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { limits } from '../config.js'
import { UserError } from '../errors.js'
import { addHeaders } from './base/answer-head.js'
import { type ErrorForm, errorAnswer, errorHeaders, v2Errors } from './base/errors.js'
import { packedBody } from './base/packing.js'
import { requestId } from './base/request-id.js'
import { RouteTable } from './base/route-table.js'
import type { Services } from './base/services.js'
import type { DataRouter } from './data/router.js'
import type { ControlPlane } from './server.js'
import { answerWithUi } from './ui.js'

/** Resolves when all routes that `add` adds are ready to be asked. */
export async function buildApp(
  services: Services,
  dataPlane: DataRouter,
  add: (app: FastifyInstance) => void,
): Promise<ControlPlane> {
  const { config } = services
  const app = Fastify({
    logger: false,
    bodyLimit: limits.jsonBodyBytes,
    serverFactory: () => createServer(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    exposeHeadRoutes: false,
    genReqId: (raw) => requestId(raw.headers, services.random),
    schemaController: { compilersFactory: { buildValidator: compileWhenAsked() } },
    // Ajv as Fastify sets it up bends values to fit; a service that keeps data takes them as they
    // are. That our own schemas are schemas is not checked: a tenth of the CPU up to the first request with a body.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        allErrors: true,
        validateSchema: false,
        // A validator is made for a handful of bodies: to shorten it takes two fifths of making it.
        code: { optimize: false },
      },
    },
    frameworkErrors: (error, request, reply) => {
      addHeaders(config.variant, request as FastifyRequest, reply as FastifyReply)
      fail(services, error, request as FastifyRequest, reply as FastifyReply, v2Errors)
    },
  })
  ignoreBodies(app)
  const routes = new RouteTable()
  for (const { path: url, methods } of dataPlane.routes) {
    routes.add(url, [...methods])
  }
  app.addHook('onRoute', (route) => {
    routes.add(route.url, route.method)
    if ([route.method].flat().includes('GET')) routes.add(route.url, 'HEAD')
    services.document.add(route)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    addHeaders(config.variant, request, reply)
    tellUnreachable(services, request, reply)
    return packedBody(request, reply, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    recordAnswer(services, request, reply)
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    fail(services, error, request, reply, dataPlane.errorsOf(request.url) ?? v2Errors)
  })
  answerUnknown(app, services, routes)
  add(app)
  await app.ready()
  return {
    handle(request, response) {
      // Node sends no body to who asked by HEAD, whatever is answered: a GET for the rest of the program. Routes of
      // their own took an eighth of the CPU of the first answer.
      if (request.method === 'HEAD') request.method = 'GET'
      app.routing(request, response)
    },
    close: () => app.close(),
  }
}

/** Processes that may not know yet what this request has changed. */
function tellUnreachable(
  { catalog }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const unreachable = catalog.nodes?.unconfirmed ?? []
  if (unreachable.length === 0 || request.method === 'GET') return
  reply.header('x-millrace-unreachable-nodes', unreachable.join(', '))
}

/** Routes that take bodies say how. Elsewhere nobody reads one: what is wrong is the path, not what was sent there. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
}

/** Paths that nobody knows may be the UI's; others have another method. */
function answerUnknown(app: FastifyInstance, services: Services, routes: RouteTable): void {
  app.setNotFoundHandler(async (request, reply) => {
    const allowed = routes.methodsOf(request.url)
    if (request.method === 'OPTIONS' && allowed.length > 0) return preflight(reply)
    if (allowed.length === 0) {
      if (await answerWithUi(services, request, reply)) return reply
      throw new UserError('not found', 'path not found')
    }
    reply.header('allow', allowed.join(', '))
    throw new UserError('method not allowed', `allow: ${allowed.join(', ')}`)
  })
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
  form: ErrorForm,
): void {
  const { method, id } = request
  const answer = errorAnswer(error, id, form)
  if (answer.isUnexpected) {
    const path = pathOf(request)
    services.failures.report('request failed', { method, path, requestId: id, error })
  }
  reply.code(answer.status)
  const headers = errorHeaders(answer, form, form.contentType)
  for (let i = 0; i < headers.length; i += 2) reply.header(headers[i], headers[i + 1])
  reply.send(form.body(answer))
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
