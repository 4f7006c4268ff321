// Credential -> identity. Remembers whom a token belongs to, so that a check on the way of a write
// costs microseconds; whoever changes tokens calls `forget`. Where tokens are kept is behind a
// lookup function.

import { timingSafeEqual } from 'node:crypto'
import type { Credential } from './credentials.js'
import type { Permission } from './permissions.js'
import { hashToken } from './tokens.js'

export interface Identity {
  /** The authorization's id; undefined for the token given at start, which no record backs. */
  readonly tokenId: string | undefined
  /** undefined: bound to no organization. */
  readonly orgId: string | undefined
  readonly userId: string | undefined
  readonly permissions: readonly Permission[]
}

/**
 * Finds whom a token belongs to by the token's hash. An inactive one is known, and good for
 * nothing.
 */
export type TokenLookup = (tokenHash: string) => Promise<Identity | 'inactive' | undefined>

export interface AuthenticatorOptions {
  readonly lookup: TokenLookup
  /** Identity of the token given at start, used where the lookup knows nothing of it. */
  readonly admin?: { readonly token: string; readonly identity: Identity } | undefined
  readonly cacheEntriesMax: number
  readonly tokenBytesMax: number
}

export class Authenticator {
  readonly #options: AuthenticatorOptions
  readonly #adminHash: Buffer | undefined
  /** By token hash, in order of arrival. */
  readonly #identities = new Map<string, Identity>()
  /** Grows with every `forget`, so that a lookup that overlapped a change is not remembered. */
  #generation = 0

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    const admin = options.admin
    this.#adminHash = admin === undefined ? undefined : Buffer.from(hashToken(admin.token), 'hex')
  }

  /** undefined: nobody that is known, or nobody whose token is active. */
  async authenticate(credential: Credential): Promise<Identity | undefined> {
    switch (credential.kind) {
      case 'none':
      case 'malformed':
        return undefined
      case 'password':
        return this.#identify(credential.password)
      case 'token':
        return (
          (await this.#identify(credential.token)) ?? this.#identifySecondPart(credential.token)
        )
    }
  }

  /** After any change to tokens, users or organizations. */
  forget(): void {
    this.#generation++
    this.#identities.clear()
  }

  /** Clients made for InfluxDB 1.8 send `Token username:token`. */
  async #identifySecondPart(token: string): Promise<Identity | undefined> {
    const colon = token.indexOf(':')
    return colon < 0 ? undefined : this.#identify(token.slice(colon + 1))
  }

  async #identify(token: string): Promise<Identity | undefined> {
    if (token === '' || token.length > this.#options.tokenBytesMax) return undefined
    // The map is keyed by the hash: how long a lookup takes tells nothing about the token itself.
    const hash = hashToken(token)
    const known = this.#identities.get(hash)
    if (known !== undefined) return known
    const generation = this.#generation
    const found = (await this.#options.lookup(hash)) ?? this.#adminIdentity(hash)
    if (found === undefined || found === 'inactive') return undefined
    if (generation === this.#generation) this.#remember(hash, found)
    return found
  }

  #adminIdentity(hash: string): Identity | undefined {
    if (this.#adminHash === undefined) return undefined
    const isAdmin = timingSafeEqual(this.#adminHash, Buffer.from(hash, 'hex'))
    return isAdmin ? this.#options.admin?.identity : undefined
  }

  #remember(hash: string, identity: Identity): void {
    if (this.#identities.size >= this.#options.cacheEntriesMax) {
      const oldest = this.#identities.keys().next().value
      if (oldest !== undefined) this.#identities.delete(oldest)
    }
    this.#identities.set(hash, identity)
  }
}
