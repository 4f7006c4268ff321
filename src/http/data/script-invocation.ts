// `POST /api/v2/scripts/{id}/invoke`: runs a script of the catalog, with the parameters of the request and the
// permissions of the caller, in the organization of the script. Its JSON is read so that 1.0 is told from 1.

import { parseId } from '../../catalog/base/ids.js'
import { UserError } from '../../errors.js'
import { JsonSyntaxError, parseJson } from '../../query/json-text.js'
import { requirePermission } from '../../service/base/identities.js'
import { identify } from '../base/credentials.js'
import { v2Errors } from '../base/errors.js'
import type { Services } from '../base/services.js'
import type { Exchange } from './exchange.js'
import { readQueryBody } from './query-parameters.js'
import { answerFlux, answerInfluxqlBody } from './query-v2.js'
import { defaultDialect, type Params, readParams } from './query-v2-body.js'
import type { DataRoute } from './router.js'

export function scriptInvocationRoute({ catalog, clock }: Services): DataRoute {
  return {
    methods: ['POST'],
    path: '/api/v2/scripts/:id/invoke',
    errors: v2Errors,
    async handle(exchange) {
      const identity = await identify(exchange.services, exchange)
      const script = await catalog.scripts.require(parseId(exchange.params.id))
      const { id, orgId: orgID, body } = script
      requirePermission(identity, { action: 'read', type: 'functions', id, orgID })
      const params = await readInvocation(exchange)
      const org = await catalog.organizations.require(orgID)
      const { script: text, language } = body
      switch (language) {
        case 'flux': {
          const names = await catalog.scripts.parameters(script)
          const isGiven = names.every((name) => params.has(name))
          if (!isGiven) throw invalidParameters()
          const question = { text, org, now: clock.now(), parameters: { values: params } }
          return answerFlux(exchange, identity, question, defaultDialect)
        }
        case 'influxql': {
          const nowhere = { bucket: undefined, database: undefined, policy: undefined }
          return answerInfluxqlBody(exchange, identity, org, { text, params, ...nowhere })
        }
        case 'sql':
          throw new UserError('not implemented', 'scripts in SQL can be kept but not invoked')
      }
    },
  }
}

async function readInvocation(exchange: Exchange): Promise<Params> {
  const text = (await readQueryBody(exchange)).toString()
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
