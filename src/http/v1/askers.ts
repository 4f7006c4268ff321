// Who asks, by connection: clients keep theirs and send the same token with every request, so that the token
// is hashed once and not each time. What is compared is only what the connection itself has sent before:
// how long that takes tells nothing about anybody else's token.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Authenticator, Identity } from '../../access/authenticator.js'
import { parseCredential } from '../../access/credentials.js'

export interface Asker {
  readonly authorization: string
  readonly identity: Identity
  /** Of what the authenticator remembered then. */
  readonly generation: number
}

export class Askers {
  readonly #authenticator: Authenticator
  readonly #last = new WeakMap<Socket, Asker>()

  constructor(authenticator: Authenticator) {
    this.#authenticator = authenticator
  }

  /** Undefined: not a token, or none that is remembered. */
  identify({ socket }: IncomingMessage, authorization: string | undefined): Asker | undefined {
    if (authorization === undefined) return undefined
    const last = this.#last.get(socket)
    if (last !== undefined && last.authorization === authorization && this.stillHolds(last)) {
      return last
    }
    const { generation } = this.#authenticator
    const credential = parseCredential({ authorization, acceptsBasic: true })
    const identity = this.#authenticator.remembered(credential)
    if (identity === undefined) return undefined
    const asker = { authorization, identity, generation }
    this.#last.set(socket, asker)
    return asker
  }

  stillHolds({ identity, generation }: Asker): boolean {
    return this.#authenticator.stillHolds(identity, generation)
  }
}
