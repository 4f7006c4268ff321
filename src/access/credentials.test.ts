// Credentials in every spelling that clients use, and in those that must not be taken for one.
// Pure text in, a credential out: nothing here asks whether anybody knows it.

import { expect, it } from 'vitest'
import { type CredentialSource, parseCredential } from './credentials.js'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

it.each<[Partial<CredentialSource>, object]>([
  [{}, { kind: 'none' }],
  [{ authorization: '' }, { kind: 'none' }],
  [{ authorization: 'Token abc' }, { kind: 'token', token: 'abc' }],
  [{ authorization: 'Token   abc ' }, { kind: 'token', token: 'abc' }],
  [{ authorization: 'token abc' }, { kind: 'malformed' }],
  [{ authorization: 'Bearer abc' }, { kind: 'token', token: 'abc' }],
  [{ authorization: 'bearer abc' }, { kind: 'token', token: 'abc' }],
  [{ authorization: 'Token' }, { kind: 'malformed' }],
  [{ authorization: 'Token ' }, { kind: 'malformed' }],
  [{ authorization: 'abc' }, { kind: 'malformed' }],
  [{ authorization: basic('u:p:q') }, { kind: 'password', username: 'u', password: 'p:q' }],
  [{ authorization: basic(':p') }, { kind: 'password', username: '', password: 'p' }],
  [{ authorization: basic('u:') }, { kind: 'malformed' }],
  [{ authorization: basic('u') }, { kind: 'malformed' }],
  [{ authorization: basic('u:p'), acceptsBasic: false }, { kind: 'malformed' }],
  [
    { username: 'u', password: 'p' },
    { kind: 'password', username: 'u', password: 'p' },
  ],
  [
    { password: 'p', authorization: 'Token abc' },
    { kind: 'password', username: '', password: 'p' },
  ],
  [{ username: 'u' }, { kind: 'malformed' }],
  [
    { username: 'u', authorization: 'Token abc' },
    { kind: 'token', token: 'abc' },
  ],
])('%j', (source, expected) => {
  const complete = { authorization: undefined, acceptsBasic: true, ...source }
  expect(parseCredential(complete)).toEqual(expected)
})
