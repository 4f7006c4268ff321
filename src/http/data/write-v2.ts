// `POST /api/v2/write`: line protocol into a bucket (managed) or a database (cluster). With `refused=list` a failure
// also has every line that was refused, with the reason, for who wants to mend them.

import { requirePermission } from '../../service/base/identities.js'
import { writeFailure } from '../../service/write/write-failure.js'
import { findBucket } from '../base/bucket-parameters.js'
import { identify } from '../base/credentials.js'
import { v2Errors } from '../base/errors.js'
import { parameter, v2Precision } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import type { DataRoute } from './router.js'
import { writeBody } from './write-body.js'

export function v2WriteRoute({ config }: Services): DataRoute {
  const form = config.variant === 'cluster' ? 'cluster' : 'v2'
  return {
    methods: ['POST'],
    path: '/api/v2/write',
    errors: v2Errors,
    role: 'write',
    async handle(exchange) {
      const { services } = exchange
      const identity = await identify(services, exchange)
      const precision = v2Precision(exchange)
      const bucket = await findBucket(services, identity, exchange)
      const { id, orgId: orgID } = bucket
      requirePermission(identity, { action: 'write', type: 'buckets', id, orgID })
      const hasList = parameter(exchange, 'refused') === 'list'
      const outcome = await writeBody(exchange, bucket, { precision })
      const failure = writeFailure(outcome, form, hasList)
      if (failure !== undefined) throw failure
      exchange.sendNothing()
    },
  }
}
