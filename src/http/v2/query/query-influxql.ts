// InfluxQL sent to `/api/v2/query`: of a bucket, or of a database and a policy. It is answered as v1
// answers it, in the form that `Accept` asks for.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import type { Organization } from '../../../catalog/accounts/organizations.js'
import { UserError } from '../../../errors.js'
import type { RateLimits } from '../../rate-limits.js'
import type { Services } from '../../services.js'
import { databaseDirectory } from '../../v1/databases-directory.js'
import { QueryEndpoint } from '../../v1/query.js'
import { encodingFor } from '../../v1/query-request.js'
import { managedQueries } from '../../v1/query-variants.js'
import type { InfluxqlBody } from './query-body.js'

export interface InfluxqlRun {
  readonly identity: Identity
  readonly org: Organization
  readonly body: InfluxqlBody
}

export class InfluxqlRuns {
  readonly #services: Services
  readonly #endpoint: QueryEndpoint

  constructor(services: Services, rates: RateLimits) {
    this.#services = services
    this.#endpoint = new QueryEndpoint(services, managedQueries(services, rates))
  }

  async answer(
    run: InfluxqlRun,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { identity, org, body } = run
    reply.header('trace-id', request.id)
    const { database, policy } =
      body.bucket === undefined ? body : await this.#databaseOf(org.id, body.bucket)
    const asked = {
      text: body.text,
      database,
      policy,
      params: body.params,
      format: {
        encoding: encodingFor(request.headers.accept),
        isPretty: false,
        chunkRows: undefined,
        time: undefined,
      },
      isAsync: false,
    }
    return this.#endpoint.answerTo({ ...identity, orgId: org.id }, asked, request, reply)
  }

  /** The first of the names by which v1 knows the bucket. Whether the asker may read it is asked later. */
  async #databaseOf(orgId: string, nameOrId: string) {
    const bucket = await this.#services.catalog.buckets.find(orgId, nameOrId)
    if (bucket === undefined) throw new UserError('not found', `bucket "${nameOrId}" not found`)
    const directory = await databaseDirectory(this.#services.catalog, orgId)
    for (const { name: database, policies } of directory.values()) {
      const policy = policies.find((entry) => entry.bucket.id === bucket.id)
      if (policy !== undefined) return { database, policy: policy.name }
    }
    throw new UserError('not found', `bucket "${nameOrId}" has no database`)
  }
}
