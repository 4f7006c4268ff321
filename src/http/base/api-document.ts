// The API document (OpenAPI 3.1), made from the routes as they are registered and from the schemas
// that check their bodies: what is served cannot differ from what is described. Shown as JSON and
// as a page.

import type { FastifyInstance, RouteOptions } from 'fastify'
import { errorCodes } from '../../errors.js'
import { programVersion } from './version.js'

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters: readonly object[]
  readonly requestBody?: object
  readonly responses: object
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

interface Described extends Pick<RouteOptions, 'url' | 'method'> {
  readonly body: unknown
}

export class ApiDocument {
  readonly #routes: Described[] = []
  /** Resolves when all routes are here that are added when they are first needed. */
  whole: () => Promise<void> = async () => undefined

  /** Described when somebody asks: few do, and the first request of the control plane waits for all routes. */
  add({ url, method, schema }: Pick<RouteOptions, 'url' | 'method' | 'schema'>): void {
    this.#routes.push({ url, method, body: schema?.body })
  }

  /** Every path that is served, sorted. */
  paths(): string[] {
    return [...pathsOf(this.#routes).keys()].sort()
  }

  json(): object {
    const paths = [...pathsOf(this.#routes)].sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      openapi: '3.1.0',
      info: {
        title: 'Millrace',
        version: programVersion,
        description: 'Time series over the interfaces of InfluxDB.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      security: [{ token: [] }],
      components: {
        securitySchemes: {
          token: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The word Token, a space, and the token.',
          },
        },
        schemas: { Error: errorSchema },
      },
      paths: Object.fromEntries(
        paths.map(([path, operations]) => [path, Object.fromEntries(operations)]),
      ),
    }
  }

  page(): string {
    const rows = [...pathsOf(this.#routes)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([path, operations]) =>
        [...operations].map(([method, operation]) => rowHtml(method, path, operation)),
      )
    return pageHtml(rows)
  }
}

const errorSchema = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', enum: Object.keys(errorCodes) },
    message: { type: 'string' },
  },
}

function pathsOf(routes: readonly Described[]): Map<string, Map<string, Operation>> {
  const paths = new Map<string, Map<string, Operation>>()
  for (const { url, method, body } of routes) {
    const path = url.replace(/:(\w+)/g, '{$1}')
    const operations = paths.get(path) ?? new Map<string, Operation>()
    for (const name of [method].flat()) {
      if (!methods.has(name)) continue
      operations.set(name.toLowerCase(), operationOf(name, path, body))
    }
    if (operations.size > 0) paths.set(path, operations)
  }
  return paths
}

function operationOf(method: string, path: string, body: unknown): Operation {
  const names = path.match(/\{(\w+)\}/g) ?? []
  const words = path.split('/').filter((part) => part !== '')
  const area = words.find((word) => word !== 'api' && word !== 'v2') ?? 'routes'
  return {
    operationId: [method.toLowerCase(), ...words.map((word) => word.replace(/\W/g, ''))].join('_'),
    tags: [area],
    parameters: names.map((name) => ({
      name: name.slice(1, -1),
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      '2XX': { description: 'Success' },
      default: {
        description: 'What was wrong',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

function rowHtml(method: string, path: string, operation: Operation): string {
  const cells = `<td><b>${method.toUpperCase()}</b></td><td><code>${escapeHtml(path)}</code>`
  if (operation.requestBody === undefined) return `<tr>${cells}</td></tr>`
  const schema = escapeHtml(JSON.stringify(operation.requestBody, null, 2))
  return `<tr>${cells}<details><summary>body</summary><pre>${schema}</pre></details></td></tr>`
}

function pageHtml(rows: readonly string[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Millrace API</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
td{padding:.2rem .8rem .2rem 0;vertical-align:top}pre{background:#f4f4f4;padding:1rem;overflow:auto}</style>
</head><body><h1>Millrace API</h1>
<p>Every path of this server. The same as JSON: <a href="/api/v2/swagger.json">/api/v2/swagger.json</a>.</p>
<table>${rows.join('\n')}</table></body></html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

/** Open to everybody, as InfluxDB has it: the document tells nothing about what is stored. */
export function documentRoutes(app: FastifyInstance, document: ApiDocument): void {
  app.get('/api/v2/swagger.json', async () => {
    await document.whole()
    return document.json()
  })
  app.get('/docs', async (_request, reply) => {
    await document.whole()
    return reply.type('text/html; charset=utf-8').send(document.page())
  })
}
