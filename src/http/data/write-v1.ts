// `POST /write`: line protocol by database and retention policy. In the managed variant DBRP mappings lead to the
// bucket; in the cluster variant the database is the bucket, and is made when it is missing and the token may.

import type { Identity } from '../../access/authenticator.js'
import { allows } from '../../access/permissions.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { UserError } from '../../errors.js'
import { notAuthorizedToWrite } from '../../service/targets/targets.js'
import { writeFailure } from '../../service/write/write-failure.js'
import { identifyV1 } from '../base/credentials.js'
import { v1WriteErrors } from '../base/errors.js'
import { parameter, v1Precision } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import type { Exchange } from './exchange.js'
import type { DataRoute } from './router.js'
import { writeBody } from './write-body.js'

export function v1WriteRoute({ config, targets }: Services): DataRoute {
  const isCluster = config.variant === 'cluster'
  return {
    methods: ['POST'],
    path: '/write',
    errors: v1WriteErrors(config.variant),
    role: 'write',
    async handle(exchange) {
      const identity = await identifyV1(exchange.services, exchange)
      const precision = v1Precision(exchange)
      const database = requireDatabase(exchange, isCluster)
      const target = await targets.databaseToWrite(identity, database, parameter(exchange, 'rp'))
      if (!('make' in target)) requireWrite(identity, database, target)
      const outcome = await writeBody(exchange, target, { precision })
      const failure = writeFailure(outcome, isCluster ? 'cluster' : 'v1')
      if (failure !== undefined) throw failure
      exchange.sendNothing()
    },
  }
}

function requireWrite({ permissions }: Identity, database: string, bucket: Bucket): void {
  const { id, orgId: orgID } = bucket
  if (allows(permissions, { action: 'write', type: 'buckets', id, orgID })) return
  throw notAuthorizedToWrite(database)
}

function requireDatabase(exchange: Exchange, isCluster: boolean): string {
  const database = parameter(exchange, 'db')
  if (database !== undefined) return database
  throw new UserError('invalid', isCluster ? 'no db destination provided' : 'database is required')
}
