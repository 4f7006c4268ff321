// What Flight is given by this side of the house, in both variants: credentials, whoever asks with one, and
// errors in the words of the service. Structurally the gateway that `flight/` asks for: the two never import
// each other.

import { parseCredential } from '../access/credentials.js'
import { type ErrorCode, UserError } from '../errors.js'
import { errorAnswer } from './errors.js'
import { QueryAsker } from './query-asker.js'
import type { Services } from './services.js'
import type { QueryVariant } from './v1/query.js'

/** A credential that is missing or not good: whoever is known and may not is told something else. */
class CredentialError extends UserError {
  constructor(message: string) {
    super('unauthorized', message)
  }
}

export class FlightQueries {
  readonly #services: Services
  readonly #variant: QueryVariant

  constructor(services: Services, variant: QueryVariant) {
    this.#services = services
    this.#variant = variant
  }

  async identify(authorization: string | undefined): Promise<QueryAsker> {
    const credential = parseCredential({ authorization, acceptsBasic: true })
    if (credential.kind === 'none') throw new CredentialError('No authorization header')
    if (credential.kind === 'malformed') {
      throw new CredentialError('unable to parse authentication credentials')
    }
    const identity = await this.#services.authenticator.authenticate(credential)
    if (identity === undefined) throw new CredentialError('authorization failed')
    return new QueryAsker(this.#services, this.#variant, identity)
  }

  failure(error: unknown): { readonly code: ErrorCode; readonly message: string } {
    const { log, metrics, random } = this.#services
    const requestId = Buffer.from(random.bytes(8)).toString('hex')
    const { code, message, isUnexpected } = errorAnswer(error, '', requestId)
    if (isUnexpected) {
      metrics.internalError()
      log('error', 'a Flight call failed', { requestId, error })
    }
    const isRefused = code === 'unauthorized' && !(error instanceof CredentialError)
    return { code: isRefused ? 'forbidden' : code, message }
  }
}
