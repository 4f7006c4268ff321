// The package `contrib/qxip/hash`: digests and checksums of strings, as the text that each is usually
// written in.

import { createHash, createHmac } from 'node:crypto'
import { type Call, type Definition, type Definitions, native } from '../../../../package/define.js'
import { FluxError } from '../../../../value/error.js'
import { typeText } from '../../../../value/type-name.js'
import type { FluxValue } from '../../../../value/value.js'
import { cityHash64 } from './city-hash.js'
import { xxHash64 } from './xx-hash.js'

export const hashBuiltins: Definitions = {
  sha256: ofText('sha256', (bytes) => digest('sha256', bytes)),
  sha1: ofText('sha1', (bytes) => digest('sha1', bytes)),
  md5: ofText('md5', (bytes) => digest('md5', bytes)),
  b64: ofText('b64', base64),
  // The two name another function where they refuse: that is how their users know them.

  xxhash64: ofText('sha256', (bytes) => xxHash64(bytes).toString()),
  cityhash64: ofText('sha256', (bytes) => cityHash64(bytes).toString()),
  hmac: native('(v: A, k: A) => string', hmac),
}

function ofText(shownName: string, hash: (bytes: Buffer) => string): Definition {
  return native('(v: A) => string', (call) => {
    const text = given(call, 'v', shownName)
    return text === null ? null : hash(Buffer.from(text))
  })
}

/** null: without a value. */
function given(call: Call, name: string, shownName: string): string | null {
  const value = call.required(name)
  if (value === null || typeof value === 'string') return value
  throw new FluxError(`hash cannot convert ${typeText(value)} to ${shownName}`)
}

function digest(algorithm: string, bytes: Buffer): string {
  return createHash(algorithm).update(bytes).digest('hex')
}

/** The alphabet for addresses, but padded. */
function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')
}

function hmac(call: Call): FluxValue {
  const text = given(call, 'v', 'hmac')
  const key = given(call, 'k', 'hmac')
  if (text === null || key === null) return null
  return createHmac('sha1', key).update(text).digest('base64')
}
