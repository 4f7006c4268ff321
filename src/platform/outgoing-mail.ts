// Mail to servers that somebody named: what may be said, and the one that really sends. The server's name is resolved
// and judged as for outgoing requests, and the connection goes to an address that was judged.

import type { OutgoingAddresses } from './outgoing-address.js'
import { OutgoingFailure } from './outgoing-http.js'
import { unlessLate } from './unless-late.js'

export interface MailServer {
  readonly host: string
  readonly port: number
  /** `starttls`: the connection is encrypted before anything is said, or not used. */
  readonly security: 'starttls' | 'tls' | 'none'
  readonly login: { readonly username: string; readonly password: string } | undefined
}

export interface Mail {
  readonly from: string
  /** Addresses, separated by commas. */
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface OutgoingMail {
  /**
   * Resolves when the server has taken the mail. Throws OutgoingFailure where it did not, MailRefusal where it will not
   * the next time either.
   */
  send(server: MailServer, mail: Mail, signal: AbortSignal): Promise<void>
}

/** The server said no for good: a wrong password, an address that it does not know. */
export class MailRefusal extends OutgoingFailure {}

export class OutgoingMails implements OutgoingMail {
  readonly #addresses: Pick<OutgoingAddresses, 'resolve'>
  readonly #timeoutMs: number

  constructor(addresses: Pick<OutgoingAddresses, 'resolve'>, timeoutSeconds: number) {
    this.#addresses = addresses
    this.#timeoutMs = timeoutSeconds * 1000
  }

  async send(server: MailServer, mail: Mail, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { host, port, security, login } = server
    const [{ address }] = await this.#addresses.resolve(host)
    // Loaded with the first mail: few installations send any.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      host: address,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      tls: { servername: host },
      auth: login === undefined ? undefined : { user: login.username, pass: login.password },
      connectionTimeout: this.#timeoutMs,
      greetingTimeout: this.#timeoutMs,
      socketTimeout: this.#timeoutMs,
      // Texts come from points: nothing in them may name a file or an address to be read.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const abort = () => transport.close()
    signal.addEventListener('abort', abort, { once: true })
    try {
      // A server may keep each answer just short of too long.
      await unlessLate(transport.sendMail(mail), this.#timeoutMs, 'the mail server is too slow')
    } catch (error) {
      throw signal.aborted ? signal.reason : failureOf(error)
    } finally {
      signal.removeEventListener('abort', abort)
      transport.close()
    }
  }
}

/** In the words of the mail server, without the address that was dialed. */
function failureOf(error: unknown): OutgoingFailure {
  const { code, responseCode, response, message } = error as {
    code?: string
    responseCode?: number
    response?: string
    message?: string
  }
  const text = `mail server: ${response ?? message ?? 'no answer'}`
  const isRefusal = (responseCode ?? 0) >= 500 || code === 'EAUTH' || code === 'EENVELOPE'
  return isRefusal ? new MailRefusal(text) : new OutgoingFailure(text)
}
