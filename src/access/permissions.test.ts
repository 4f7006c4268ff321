// The permission rule: every way in which a permission may or may not answer a demand, the
// operator's permissions, and how a demand is named.

import { describe, expect, it } from 'vitest'
import { allows, demandText, operatorPermissions, type Permission } from './permissions.js'

const demand = { action: 'write', type: 'buckets', id: 'b1', orgID: 'o1' } as const

describe('allows', () => {
  it.each<[string, boolean, Permission]>([
    ['the type as a whole', true, { action: 'write', resource: { type: 'buckets' } }],
    ['its organization', true, { action: 'write', resource: { type: 'buckets', orgID: 'o1' } }],
    ['its id', true, { action: 'write', resource: { type: 'buckets', id: 'b1' } }],
    ['every type', true, { action: 'write', resource: { type: 'instance' } }],
    ['another action', false, { action: 'read', resource: { type: 'buckets' } }],
    ['another type', false, { action: 'write', resource: { type: 'tasks' } }],
    ['another organization', false, { action: 'write', resource: { type: 'buckets', orgID: 'x' } }],
    ['another id', false, { action: 'write', resource: { type: 'buckets', id: 'x' } }],
    [
      'another id in its organization',
      false,
      { action: 'write', resource: { type: 'buckets', id: 'x', orgID: 'o1' } },
    ],
  ])('%s: %s', (_name, expected, permission) => {
    expect(allows([permission], demand)).toBe(expected)
  })

  it('does not let one resource stand for the type', () => {
    const permission: Permission = { action: 'write', resource: { type: 'buckets', id: 'b1' } }
    expect(allows([permission], { action: 'write', type: 'buckets', orgID: 'o1' })).toBe(false)
    expect(allows([], demand)).toBe(false)
  })
})

it('gives the operator everything', () => {
  expect(allows(operatorPermissions(), demand)).toBe(true)
  expect(allows(operatorPermissions(), { action: 'read', type: 'orgs' })).toBe(true)
})

it('names what was asked for', () => {
  expect(demandText(demand)).toBe('write:orgs/o1/buckets/b1')
  expect(demandText({ action: 'read', type: 'users' })).toBe('read:users')
})
