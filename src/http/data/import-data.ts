// `POST /api/v2/imports/{id}/data`: a piece of the file of an import, read as it comes. `offset` says where in the file
// it begins, `last=true` that nothing follows: then the answer comes when everything is written. A sender that broke
// off asks how far the import is (`receivedBytes`) and goes on there.

import type { IncomingMessage } from 'node:http'
import { parseId } from '../../catalog/base/ids.js'
import { UserError } from '../../errors.js'
import { requirePermission } from '../../service/base/identities.js'
import { identify } from '../base/credentials.js'
import { v2Errors } from '../base/errors.js'
import { flag, parameter } from '../base/parameters.js'
import { importJson } from '../v2/imports/import-json.js'
import type { DataRoute } from './router.js'

export function importDataRoute(): DataRoute {
  return {
    methods: ['POST'],
    path: '/api/v2/imports/:id/data',
    errors: v2Errors,
    role: 'write',
    async handle(exchange) {
      const { services, request } = exchange
      const identity = await identify(services, exchange)
      const run = services.imports.require(parseId(exchange.params.id))
      const { id, orgId: orgID } = run.description.bucket
      requirePermission(identity, { action: 'write', type: 'buckets', id, orgID })
      const offset = parameter(exchange, 'offset') ?? String(run.receivedBytes)
      if (!/^\d{1,15}$/.test(offset)) {
        throw new UserError('invalid', `offset "${offset}" is no number of bytes`)
      }
      const encoding = request.headers['content-encoding'] ?? 'identity'
      if (encoding !== 'identity') {
        const text = 'a packed file is sent as it is, without a content encoding'
        throw new UserError('unsupported media type', text)
      }
      await run.send(Number(offset), pieces(request), flag(exchange, 'last') ?? false)
      exchange.sendJson(importJson(run))
    },
  }
}

/** An import that fails must still be answered: the request stays open for what nobody reads any more. */
async function* pieces(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } catch {
    throw new UserError('invalid', 'the connection closed within the body')
  }
}
