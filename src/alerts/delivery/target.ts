// Where a message goes, and what every kind of endpoint sends it through: requests with a bound on time, answers judged
// alike, and failures that say whether another try makes sense. Secrets appear in no failure.

import type { EndpointFields, SecretField } from '../../catalog/monitoring/endpoint-kinds.js'
import { UserError } from '../../errors.js'
import { OutgoingFailure, type OutgoingHttp } from '../../platform/outgoing-http.js'
import {
  type Mail,
  MailRefusal,
  type MailServer,
  type OutgoingMail,
} from '../../platform/outgoing-mail.js'

export type Secrets = Readonly<Partial<Record<SecretField, string>>>

/** An endpoint with its secrets: lives only as long as one try. */
export interface Target {
  readonly fields: EndpointFields
  readonly secrets: Secrets
}

export class DeliveryFailure extends Error {
  /** Another try would end the same way. */
  readonly isFinal: boolean
  /** How long the receiver asks us to wait; undefined: it does not say. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, isFinal: boolean, retryAfterMs?: number) {
    super(message)
    this.name = 'DeliveryFailure'
    this.isFinal = isFinal
    this.retryAfterMs = retryAfterMs
  }
}

export interface DeliveryRequest {
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

export interface SenderParts {
  readonly outgoing: OutgoingHttp
  readonly mail: OutgoingMail
  readonly timeoutNs: bigint
  readonly nowMs: () => number
}

/** Statuses of the 400s after which another try may succeed. */
const passing = new Set([408, 425, 429])
const shownBytesMax = 200

/** Sends on behalf of one target. */
export class Sender {
  readonly #parts: SenderParts
  readonly #secrets: readonly string[]
  readonly #signal: AbortSignal

  constructor(parts: SenderParts, secrets: Secrets, signal: AbortSignal) {
    this.#parts = parts
    this.#secrets = Object.values(secrets).filter((secret) => secret !== '')
    this.#signal = signal
  }

  /** The answer's body, where its status is one of success. Throws DeliveryFailure. */
  async request({ method = 'POST', url, headers = {}, body }: DeliveryRequest): Promise<string> {
    const { outgoing, timeoutNs } = this.#parts
    try {
      const answer = await outgoing.fetch({
        method,
        url,
        headers: Object.entries(headers),
        body: new TextEncoder().encode(body),
        timeoutNs,
        skipsVerification: false,
        keepsMethod: true,
        signal: this.#signal,
      })
      const text = new TextDecoder().decode(answer.body)
      const { statusCode } = answer
      if (statusCode >= 200 && statusCode < 300) return text
      const isFinal = statusCode >= 300 && statusCode < 500 && !passing.has(statusCode)
      const wait = retryAfterMs(answer.headers.get('Retry-After'), this.#parts.nowMs())
      throw this.failure(`the receiver answered ${statusCode}: ${text}`, isFinal, wait)
    } catch (error) {
      if (!(error instanceof OutgoingFailure)) throw error
      throw this.failure(error.message, false)
    }
  }

  async mail(server: MailServer, mail: Mail): Promise<void> {
    try {
      await this.#parts.mail.send(server, mail, this.#signal)
    } catch (error) {
      // A name that cannot be resolved is no OutgoingFailure.
      if (!(error instanceof UserError)) throw error
      throw this.failure(error.message, error instanceof MailRefusal)
    }
  }

  /** Receivers may send back what they were sent. */
  failure(text: string, isFinal: boolean, wait?: number): DeliveryFailure {
    let clean = text
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, '***')
    return new DeliveryFailure(clean.trim().slice(0, shownBytesMax), isFinal, wait)
  }
}

/** Seconds, or a date. */
function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}

export const json = { 'Content-Type': 'application/json' }

/** What `authMethod` says. */
export function authorization({ fields, secrets }: Target): Readonly<Record<string, string>> {
  const { token = '', username = '', password = '' } = secrets
  if (fields.authMethod === 'bearer') return { Authorization: `Bearer ${token}` }
  if (fields.authMethod !== 'basic') return {}
  const pair = Buffer.from(`${username}:${password}`).toString('base64')
  return { Authorization: `Basic ${pair}` }
}
