// `POST /api/v2/scripts/{id}/invoke`: runs a script that is kept, with the parameters of the request
// and the permissions of whoever asks, in the organization of the script. Its body is read here and
// not by the framework, which would not tell 1.0 from 1.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Script } from '../../../catalog/tasks/scripts.js'
import { UserError } from '../../../errors.js'
import { JsonSyntaxError, parseJson } from '../../../query/json-text.js'
import type { RateLimits } from '../../rate-limits.js'
import type { Services } from '../../services.js'
import { readQueryBody } from '../../v1/query-parameters.js'
import { defaultDialect, type Params, readParams } from '../query/query-body.js'
import { InfluxqlRuns } from '../query/query-influxql.js'
import { FluxRuns } from '../query/query-run.js'
import type { Asker } from '../query/query-scope.js'
import { guardedRoutes, type IdParams } from '../resources/resource-access.js'
import { scriptResource } from './scripts.js'

export function scriptInvocationRoute(
  app: FastifyInstance,
  services: Services,
  rates: RateLimits,
): void {
  const resource = scriptResource(services)
  const runs = new ScriptRuns(services, rates)
  guardedRoutes(app, services, (scope) => {
    scope.post<IdParams>(`${resource.path}/:id/invoke`, async (request, reply) => {
      const { identity, record } = await resource.require(request, 'read')
      const params = await readInvocation(services, request)
      const org = await services.catalog.organizations.require(record.orgId)
      const now = services.clock.now()
      return runs.answer(record, { identity, org, now, params }, request, reply)
    })
  })
}

async function readInvocation(services: Services, request: FastifyRequest): Promise<Params> {
  const text = (await readQueryBody(services, request)).toString()
  const body = text.trim() === '' ? new Map() : parseBody(text)
  if (body === null) return new Map()
  if (!(body instanceof Map)) throw invalidParameters()
  return readParams(body.get('params') ?? new Map())
}

function parseBody(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new UserError('invalid', `invalid json structure: ${error.message}`)
  }
}

function invalidParameters(): UserError {
  return new UserError('invalid', 'invalid parameters provided')
}

type Invoker = Asker & { readonly params: Params }

class ScriptRuns {
  readonly #services: Services
  readonly #flux: FluxRuns
  readonly #influxql: InfluxqlRuns

  constructor(services: Services, rates: RateLimits) {
    this.#services = services
    this.#flux = new FluxRuns(services, rates)
    this.#influxql = new InfluxqlRuns(services, rates)
  }

  async answer(
    script: Script,
    asker: Invoker,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { script: text, language } = script.body
    const { identity, org, params } = asker
    switch (language) {
      case 'flux': {
        const wanted = await this.#services.catalog.scripts.parameters(script)
        if (!wanted.every((name) => params.has(name))) throw invalidParameters()
        const parameters = { values: params }
        return this.#flux.answer(
          { asker, text, parameters, dialect: defaultDialect },
          request,
          reply,
        )
      }
      case 'influxql': {
        const nowhere = { bucket: undefined, database: undefined, policy: undefined }
        const asked = { type: language, text, params, ...nowhere } as const
        return this.#influxql.answer({ identity, org, body: asked }, request, reply)
      }
      case 'sql':
        throw new UserError('not implemented', 'scripts in SQL can be kept but not invoked')
    }
  }
}
