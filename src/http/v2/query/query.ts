// `POST /api/v2/query`: Flux, and InfluxQL for whoever sends it here. Who may read what is asked of
// each bucket that a query names.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import type { Organization } from '../../../catalog/accounts/organizations.js'
import { identify } from '../../credentials.js'
import { parameter } from '../../parameters.js'
import type { RateLimits } from '../../rate-limits.js'
import type { Services } from '../../services.js'
import { type FluxBody, readBody } from './query-body.js'
import { InfluxqlRuns } from './query-influxql.js'
import { FluxRuns } from './query-run.js'

export function queryV2Route(app: FastifyInstance, services: Services, rates: RateLimits): void {
  const fluxRuns = new FluxRuns(services, rates)
  const influxqlRuns = new InfluxqlRuns(services, rates)
  app.post('/api/v2/query', async (request, reply) => {
    const identity = await identify(services, request)
    const body = await readBody(services, request)
    const org = await organizationOf(services, identity, request)
    if (body.type === 'influxql') {
      return influxqlRuns.answer({ identity, org, body }, request, reply)
    }
    return answerFlux({ identity, org }, body, request, reply)
  })

  function answerFlux(
    { identity, org }: { readonly identity: Identity; readonly org: Organization },
    body: FluxBody,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { text, dialect, parameters } = body
    const now = body.now ?? services.clock.now()
    return fluxRuns.answer(
      { asker: { identity, org, now }, text, parameters, dialect },
      request,
      reply,
    )
  }
}

function organizationOf(
  services: Services,
  identity: Identity,
  request: FastifyRequest,
): Promise<Organization> {
  return services.targets.organization(identity, {
    org: parameter(request, 'org'),
    orgID: parameter(request, 'orgID'),
  })
}
