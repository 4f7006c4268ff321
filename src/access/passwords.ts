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
/** 2^15 x 8 x 128 bytes = 32 MB and about 0.1 s for each guess. */
const cost = { logN: 15, r: 8, p: 1 }

/**
 * Hashes run on the threads that also write files, of which a process has four: guesses of strangers
 * must leave some of them to the store.
 */
const runningMax = 2
/** Some seconds' worth. Whoever comes after these is told to come back. */
const waitingMax = 50
let running = 0
const waiting: (() => void)[] = []

export function checkPassword(password: string): void {
  const length = Buffer.byteLength(password)
  if (length >= passwordBytesMin && length <= passwordBytesMax) return
  throw new UserError(
    'invalid',
    `passwords must be between ${passwordBytesMin} and ${passwordBytesMax} characters long`,
  )
}

export async function hashPassword(password: string, random: Random): Promise<string> {
  checkPassword(password)
  return hashAnyPassword(password, random)
}

/** Of any length up to the longest that is taken: InfluxDB 1 asks nothing of the passwords of its users. */
export async function hashAnyPassword(password: string, random: Random): Promise<string> {
  if (Buffer.byteLength(password) > passwordBytesMax) checkPassword(password)
  const salt = Buffer.from(random.bytes(saltBytes))
  const hash = await derive(password, salt, cost)
  const { logN, r, p } = cost
  return `scrypt$${logN}$${r}$${p}$${salt.toString('base64')}$${hash.toString('base64')}`
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, logN, r, p, salt, hash] = stored.split('$')
  if (scheme !== 'scrypt' || hash === undefined) return false
  const expected = Buffer.from(hash, 'base64')
  const parameters = { logN: Number(logN), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64'), parameters)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** The same work for names that have no password, or that nobody bears: the time taken tells nothing. */
export async function verifyLogin(password: string, stored: string | undefined): Promise<boolean> {
  if (stored !== undefined) return verifyPassword(password, stored)
  await derive(password, Buffer.alloc(saltBytes), cost)
  return false
}

async function derive(password: string, salt: Buffer, parameters: typeof cost): Promise<Buffer> {
  if (running < runningMax) running++
  else if (waiting.length < waitingMax) await new Promise<void>((resolve) => waiting.push(resolve))
  else throw new BusyError('too many passwords are being checked')
  try {
    return await deriveNow(password, salt, parameters)
  } finally {
    // The place goes to the next in line, or back.
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

function deriveNow(password: string, salt: Buffer, parameters: typeof cost): Promise<Buffer> {
  const N = 2 ** parameters.logN
  const { r, p } = parameters
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}
