// Requests to other services, as scripts ask for them: what may be said and what comes back. Types only; the real ones
// are in `outgoing-requests.ts`. Where it may go, how long it may take and how large it may be is up to whoever
// makes the one that is passed in.

import { UserError } from '../errors.js'

export interface OutgoingRequest {
  readonly method: string
  /** http or https. */
  readonly url: string
  /** Names in any case; those that belong to the connection and not to the message are left out. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  /** For everything up to the last byte of the answer, redirects included. 0n: what is usual. */
  readonly timeoutNs: bigint
  /** Any certificate is good enough. */
  readonly skipsVerification: boolean
  /** A redirect that would make a GET of it, without its body, is the answer and not followed. Default false. */
  readonly keepsMethod?: boolean | undefined
  readonly signal: AbortSignal
}

export interface OutgoingResponse {
  readonly statusCode: number
  /** Names as `Content-Type`, each once. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
  readonly durationNs: bigint
}

export interface OutgoingHttp {
  /**
   * The answer, whatever its status, after redirects. Throws OutgoingFailure where there is none, and the signal's
   * reason where that stopped it.
   */
  fetch(request: OutgoingRequest): Promise<OutgoingResponse>
}

/** No answer came. The message is the cause alone. */
export class OutgoingFailure extends UserError {
  /** What it was connecting to, `127.0.0.1:80`; undefined: the connection is not to blame. */
  readonly dialed: string | undefined

  constructor(message: string, dialed?: string) {
    super('invalid', message)
    this.name = 'OutgoingFailure'
    this.dialed = dialed
  }
}
