// Credential -> identity. Remembers whom a token belongs to, so that a check on the way of a write
// costs microseconds; whoever changes tokens calls `forget`. Where tokens are kept is behind a
// lookup function.

import { timingSafeEqual } from 'node:crypto'
import { UserError } from '../errors.js'
import type { Clock } from '../platform/clock.js'
import { type CacheFigures, LruCache } from '../platform/lru-cache.js'
import type { Credential } from './credentials.js'
import { type Guess, GuessThrottle } from './guess-throttle.js'
import type { Passwords } from './passwords.js'
import type { Permission } from './permissions.js'
import { hashMovedToken, hashToken } from './tokens.js'

export interface Identity {
  /** The authorization's id; undefined for the token given at start, which no record backs. */
  readonly tokenId: string | undefined
  /** undefined: bound to no organization. */
  readonly orgId: string | undefined
  readonly userId: string | undefined
  readonly permissions: readonly Permission[]
  /** Nanoseconds since 1970 at which it ends; absent: it does not. */
  readonly expiresAt?: bigint | undefined
}

/** An inactive one is known, and good for nothing; nor is the token of an inactive user. */
export type Standing = Identity | 'inactive' | 'user-inactive'

/** Finds whom a token belongs to by the token's hash. */
export type TokenLookup = (tokenHash: string) => Promise<Standing | undefined>

/** A v1 user name: its password, and whom it stands for, asked only where the password was right. */
export interface Login {
  readonly passwordHash: string
  standing(): Promise<Standing>
}

export type LoginLookup = (username: string) => Promise<Login | undefined>

/** Finds whom a token belongs to that says so itself. */
export type TokenReader = (token: string) => Promise<Standing | undefined>

export interface AuthenticatorOptions {
  readonly lookup: TokenLookup
  /** For tokens that the lookup does not know. Absent: there are no others. */
  readonly readToken?: TokenReader | undefined
  readonly passwords: Passwords
  /** For identities that end, and for how often passwords may be guessed. */
  readonly clock: Clock
  /** Whether what is cached may be used now. Absent: always. */
  readonly isCurrent?: (() => boolean) | undefined
  /** Absent: there are no v1 user names. */
  readonly lookupLogin?: LoginLookup | undefined
  /** Identity of the token given at start, used where the lookup knows nothing of it. */
  readonly admin?: { readonly token: string; readonly identity: Identity } | undefined
  readonly cacheBytesMax: number
  readonly tokenBytesMax: number
}

/** Roughly: its ids, and an object for each permission. */
function identityBytes({ permissions }: Identity): number {
  return 512 + 128 * permissions.length
}

export class Authenticator {
  readonly #options: AuthenticatorOptions
  readonly #adminHash: Buffer | undefined
  /** By the hash of the token, or of name and password. */
  readonly #identities: LruCache<string, Identity>
  readonly #logins: GuessThrottle
  /** For whoever checks passwords of users, which are other names than those of v1. */
  readonly signIns: GuessThrottle
  /** Ids of tokens that somebody came with since they were last taken. */
  #used = new Set<string>()
  /** Grows with everything forgotten, so that a lookup that overlapped a change is not remembered. */
  #generation = 0

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#logins = new GuessThrottle(options.clock)
    this.signIns = new GuessThrottle(options.clock)
    this.#identities = new LruCache({ bytesMax: options.cacheBytesMax, sizeOf: identityBytes })
    const admin = options.admin
    this.#adminHash = admin === undefined ? undefined : Buffer.from(hashToken(admin.token), 'hex')
  }

  /**
   * Whom a credential's token belongs to, where that is cached, as it is for nearly every request; undefined says
   * nothing: `authenticate` has to be asked.
   */
  cached(credential: Credential): Identity | undefined {
    const hash = credential.kind === 'token' ? this.#hash(credential.token) : undefined
    return hash === undefined ? undefined : this.#noted(this.#known(hash))
  }

  /**
   * undefined: nobody that is known, or nobody whose token is active. Throws where the token's user
   * is inactive.
   */
  async authenticate(credential: Credential): Promise<Identity | undefined> {
    return this.#noted(await this.#identityOf(credential))
  }

  async #identityOf(credential: Credential): Promise<Identity | undefined> {
    switch (credential.kind) {
      case 'none':
      case 'malformed':
        return undefined
      case 'password':
        return this.#identifyPair(credential)
      case 'token':
        return (await this.#identify(credential.token)) ?? this.#identifyParts(credential)
    }
  }

  /** Which tokens were used since it was last asked. */
  takeUsed(): ReadonlySet<string> {
    const taken = this.#used
    if (taken.size > 0) this.#used = new Set()
    return taken
  }

  #noted(identity: Identity | undefined): Identity | undefined {
    if (identity?.tokenId !== undefined) this.#used.add(identity.tokenId)
    return identity
  }

  figures(): CacheFigures {
    return this.#identities.figures()
  }

  /** After any change to tokens, users or organizations. */
  forget(): void {
    this.#generation++
    this.#identities.clear()
    this.#logins.forget()
    this.signIns.forget()
  }

  /** Clients made for InfluxDB 1.8 send `Token username:token` or `Token username:password`. */
  async #identifyParts({
    token,
    address,
  }: Extract<Credential, { kind: 'token' }>): Promise<Identity | undefined> {
    const colon = token.indexOf(':')
    if (colon < 0) return undefined
    const [username, password] = [token.slice(0, colon), token.slice(colon + 1)]
    return this.#identifyPair({ username, password, address })
  }

  /** The password may be a token; then the name does not matter. */
  async #identifyPair(guess: Guess): Promise<Identity | undefined> {
    // A login that was right lately needs no look at the tokens.
    const hash = this.#loginHash(guess)
    const known = hash === undefined ? undefined : this.#known(hash)
    return known ?? (await this.#identify(guess.password)) ?? this.#identifyLogin(guess, hash)
  }

  /** Checking a password takes long on purpose: one that was right is remembered like a token. */
  async #identifyLogin(guess: Guess, hash: string | undefined): Promise<Identity | undefined> {
    const { lookupLogin, passwords } = this.#options
    const { username, password } = guess
    if (lookupLogin === undefined || hash === undefined) return undefined
    const generation = this.#generation
    const standing = await this.#logins.check(guess, async () => {
      const login = await lookupLogin(username)
      return (await passwords.verifyLogin(password, login?.passwordHash))
        ? login?.standing()
        : undefined
    })
    return standing === undefined ? undefined : this.#accept(hash, standing, generation)
  }

  /** Undefined: no name and password look like this. */
  #loginHash({ username, password }: Guess): string | undefined {
    if (username === '' || password === '') return undefined
    if (username.length + password.length > this.#options.tokenBytesMax) return undefined
    return hashToken(`${username}:${password}`)
  }

  async #identify(token: string): Promise<Identity | undefined> {
    const hash = this.#hash(token)
    if (hash === undefined) return undefined
    const known = this.#known(hash)
    if (known !== undefined) return known
    const generation = this.#generation
    const found =
      (await this.#options.lookup(hash)) ??
      this.#adminIdentity(hash) ??
      (await this.#options.readToken?.(token)) ??
      (await this.#options.lookup(hashMovedToken(token)))
    return found === undefined ? undefined : this.#accept(hash, found, generation)
  }

  /** Undefined: no token looks like this. */
  #hash(token: string): string | undefined {
    return token === '' || token.length > this.#options.tokenBytesMax ? undefined : hashToken(token)
  }

  /** The map is keyed by the hash: how long a lookup takes tells nothing about the token itself. */
  #known(hash: string): Identity | undefined {
    const known = this.#identities.get(hash)
    if (known === undefined || this.#hasEnded(known)) return undefined
    const { isCurrent } = this.#options
    return isCurrent === undefined || isCurrent() ? known : undefined
  }

  #hasEnded({ expiresAt }: Identity): boolean {
    if (expiresAt === undefined) return false
    return this.#options.clock.now() >= expiresAt
  }

  #accept(hash: string, standing: Standing, generation: number): Identity | undefined {
    if (standing === 'inactive') return undefined
    if (standing === 'user-inactive') throw new UserError('forbidden', 'User is inactive')
    if (this.#hasEnded(standing)) return undefined
    if (generation === this.#generation) this.#identities.set(hash, standing)
    return standing
  }

  #adminIdentity(hash: string): Identity | undefined {
    if (this.#adminHash === undefined) return undefined
    const isAdmin = timingSafeEqual(this.#adminHash, Buffer.from(hash, 'hex'))
    return isAdmin ? this.#options.admin?.identity : undefined
  }
}
