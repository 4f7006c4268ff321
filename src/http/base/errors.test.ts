// What is thrown, as routes of each form
// tell it.

import { expect, it } from 'vitest'
import { BusyError, OverloadError, UserError, WriteError } from '../../errors.js'
import { errorAnswer, v1Errors, v1WriteErrors, v2Errors, v3Errors } from './errors.js'

it('answers 429 on every route but the one whose clients drop what gets it', () => {
  const busy = new BusyError('too much', 7)
  for (const form of [v1Errors, v2Errors, v3Errors, v1WriteErrors('cluster')]) {
    const { status, code, retryAfterSeconds } = errorAnswer(busy, 'id', form)
    expect([status, code, retryAfterSeconds]).toEqual([429, 'too many requests', 7])
  }
  const dropped = errorAnswer(busy, 'id', v1WriteErrors('managed'))
  expect(dropped).toMatchObject({ status: 503, code: 'unavailable' })
})

it('has a shape for each kind of route', () => {
  const answer = errorAnswer(new WriteError('bad', { line: 3 }), 'id')
  expect(answer.status).toBe(400)
  const both = '{"error":"bad","code":"invalid","message":"bad","line":3}'
  expect(v1Errors.body(answer)).toBe(`${both}\n`)
  const summed = errorAnswer(new WriteError('sum', { line: 3, perLine: 'each' }), 'id')
  expect(JSON.parse(v1Errors.body(summed))).toMatchObject({ error: 'sum', message: 'each' })
  expect(v2Errors.body(answer)).toBe('{"code":"invalid","message":"bad","line":3}')
  expect(v3Errors.body(answer)).toBe('{"error":"bad","data":null}')
})

it('tells the overload, the status of a user error, and nothing of what is inside', () => {
  expect(errorAnswer(new OverloadError('full'), 'id')).toMatchObject({ status: 503 })
  expect(errorAnswer(new UserError('conflict', 'twice', 409), 'id')).toMatchObject({ status: 409 })
  const inner = errorAnswer(new TypeError('secret'), 'abc')
  expect(inner).toMatchObject({ status: 500, code: 'internal error', isUnexpected: true })
  expect(inner.message).toContain('abc')
  expect(inner.message).not.toContain('secret')
})
