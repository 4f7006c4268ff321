// Tokens: how new ones are made and under which name they are kept. Only a hash of a token is ever stored, of those
// that are made here the SHA-256: a token is 64 random bytes, so that a plain hash cannot be turned back, and a check
// costs microseconds.

import { hash } from 'node:crypto'
import type { Random } from '../platform/random.js'

/** Lower-case hex of the token's SHA-256. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

/** The same by SHA-512, as some InfluxDBs keep them: tokens that came from there are known by it. */
export function hashMovedToken(token: string): string {
  return hash('sha512', token, 'hex')
}

/** 64 random bytes as URL-safe base64 with padding, the form that InfluxDB's clients know. */
export function newToken(random: Random): string {
  const bytes = random.bytes(64)
  return Buffer.from(bytes).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}
