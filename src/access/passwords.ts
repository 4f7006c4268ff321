// Passwords of users, kept as scrypt hashes with their parameters, so that the cost can be raised
// later and old hashes stay readable: `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, the last two in
// base64.

import { scrypt, timingSafeEqual } from 'node:crypto'
import { BusyError, UserError } from '../errors.js'
import type { Random } from '../platform/random.js'

const passwordBytesMin = 8
const passwordBytesMax = 72
const hashBytes = 32
const saltBytes = 16
const blockSize = 8

/**
 * Hashes run on the threads that also write files, of which a process has four: guesses of strangers
 * must leave some of them to the store.
 */
const runningMax = 2
/** Some seconds' worth. Whoever comes after these is told to come back. */
const waitingMax = 50

interface Cost {
  readonly logN: number
  readonly r: number
  readonly p: number
}

export function checkPassword(password: string): void {
  const length = Buffer.byteLength(password)
  if (length >= passwordBytesMin && length <= passwordBytesMax) return
  throw new UserError(
    'invalid',
    `passwords must be between ${passwordBytesMin} and ${passwordBytesMax} characters long`,
  )
}

export class Passwords {
  readonly #random: Random
  readonly #cost: Cost
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** A guess takes 2^costLog2 x 1 KB of memory. */
  constructor(random: Random, costLog2: number) {
    this.#random = random
    this.#cost = { logN: costLog2, r: blockSize, p: 1 }
  }

  async hash(password: string): Promise<string> {
    checkPassword(password)
    return this.hashAny(password)
  }

  /** Of any length up to the longest that is taken: InfluxDB 1 asks nothing of the passwords of its users. */
  async hashAny(password: string): Promise<string> {
    if (Buffer.byteLength(password) > passwordBytesMax) checkPassword(password)
    const salt = Buffer.from(this.#random.bytes(saltBytes))
    const hash = await this.#derive(password, salt, this.#cost)
    const { logN, r, p } = this.#cost
    return `scrypt$${logN}$${r}$${p}$${salt.toString('base64')}$${hash.toString('base64')}`
  }

  async verify(password: string, stored: string): Promise<boolean> {
    const [scheme, logN, r, p, salt, hash] = stored.split('$')
    if (scheme !== 'scrypt' || hash === undefined) return false
    const expected = Buffer.from(hash, 'base64')
    const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
    const actual = await this.#derive(password, Buffer.from(salt, 'base64'), cost)
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  }

  /** The same work for names that have no password, or that nobody bears: the time taken tells nothing. */
  async verifyLogin(password: string, stored: string | undefined): Promise<boolean> {
    if (stored !== undefined) return this.verify(password, stored)
    await this.#derive(password, Buffer.alloc(saltBytes), this.#cost)
    return false
  }

  async #derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
    if (this.#running < runningMax) this.#running++
    else if (this.#waiting.length < waitingMax) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else throw new BusyError('too many passwords are being checked')
    try {
      return await derive(password, salt, cost)
    } finally {
      // The place goes to the next in line, or back.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}

function derive(password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** logN
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}
