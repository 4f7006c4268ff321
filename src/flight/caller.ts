// Who calls, and what calls are answered with where they
// fail: Flight's side of the service.

import type { Identity } from '../access/authenticator.js'
import { parseCredential } from '../access/credentials.js'
import { type ErrorCode, UserError } from '../errors.js'
import { failureOf, internalFailure } from '../service/base/failures.js'
import type { QueryRun } from '../service/query/query-run.js'
import type { Service } from '../service/service.js'

export type Parameter = null | boolean | number | bigint | string

export interface FlightQuery {
  readonly language: 'sql' | 'influxql'
  readonly database: string
  readonly text: string
  readonly params: ReadonlyMap<string, Parameter>
}

/** Somebody whose credential is good. Throws UserError where they may not read the database or it is missing. */
export class Caller {
  readonly #service: Service
  readonly #identity: Identity

  constructor(service: Service, identity: Identity) {
    this.#service = service
    this.#identity = identity
  }

  open({ params, ...question }: FlightQuery): Promise<QueryRun> {
    const { queries } = this.#service
    const parameters = params.size === 0 ? undefined : { values: params }
    const asked = { ...question, parameters }
    return inFlightsWords(question.database, queries.database(this.#identity, asked))
  }

  async requireDatabase(database: string): Promise<void> {
    const { queries } = this.#service
    await inFlightsWords(database, queries.requireDatabase(this.#identity, database))
  }

  /** Sorted by name. `hasColumns` false: the columns are left out. */
  tables(database: string, hasColumns: boolean) {
    const { queries } = this.#service
    return inFlightsWords(database, queries.tables(this.#identity, database, hasColumns))
  }
}

/** What the v3 products say over Flight of a database that is missing; over HTTP it is otherwise. */
async function inFlightsWords<T>(database: string, asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (error) {
    const isMissing = error instanceof UserError && error.code === 'not found'
    if (!isMissing || error.message !== `database not found: ${database}`) throw error
    throw new UserError('not found', `Database '${database}' not found`)
  }
}

/** A credential that is missing or not good: whoever is known and may not is told something else. */
class CredentialError extends UserError {
  constructor(message: string) {
    super('unauthorized', message)
  }
}

export async function identifyCaller(
  service: Service,
  authorization: string | undefined,
  address: string,
): Promise<Caller> {
  const credential = parseCredential({ authorization, acceptsBasic: true, address })
  if (credential.kind === 'none') throw new CredentialError('No authorization header')
  if (credential.kind === 'malformed') {
    throw new CredentialError('unable to parse authentication credentials')
  }
  const identity = await service.authenticator.authenticate(credential)
  if (identity === undefined) throw new CredentialError('authorization failed')
  return new Caller(service, identity)
}

export interface CallFailure {
  readonly code: ErrorCode
  readonly message: string
}

/** How an error is told to the client. */
export function callFailure({ failures, random }: Service, error: unknown): CallFailure {
  const requestId = Buffer.from(random.bytes(8)).toString('hex')
  const { code, message, isUnexpected } = failureOf(error) ?? internalFailure(requestId)
  if (isUnexpected) failures.report('a Flight call failed', { requestId, error })
  const isRefused = code === 'unauthorized' && !(error instanceof CredentialError)
  return { code: isRefused ? 'forbidden' : code, message }
}
