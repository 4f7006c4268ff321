// The permission rule: every way in which a permission may or may not answer a demand, the
// operator's permissions, and how a demand is named.

import { describe, expect, it } from 'vitest'
import {
  allowedIds,
  allows,
  covers,
  type Demand,
  demandText,
  isOperator,
  operatorPermissions,
  type Permission,
  permissionsWithin,
} from './permissions.js'
import { userPermissions } from './roles.js'

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

const inOrg = (type: Permission['resource']['type'], orgID: string): Permission => ({
  action: 'write',
  resource: { type, orgID },
})

it('lets nobody pass on more than they have', () => {
  const own = [inOrg('buckets', 'o1')]
  expect(covers(own, inOrg('buckets', 'o1'))).toBe(true)
  expect(
    covers(own, { action: 'write', resource: { type: 'buckets', id: 'b', orgID: 'o1' } }),
  ).toBe(true)
  expect(covers(own, { action: 'write', resource: { type: 'buckets' } })).toBe(false)
  expect(covers(own, { action: 'write', resource: { type: 'buckets', id: 'b' } })).toBe(false)
  expect(covers(own, inOrg('buckets', 'o2'))).toBe(false)
  expect(covers(own, inOrg('instance', 'o1'))).toBe(false)
  // An id that was granted within an organization does not lose that bound on the way.
  const single: Permission = {
    action: 'write',
    resource: { type: 'buckets', id: 'b', orgID: 'o1' },
  }
  expect(covers([single], { action: 'write', resource: { type: 'buckets', id: 'b' } })).toBe(false)
})

it('knows an organization by its own id', () => {
  const organization = { action: 'write', type: 'orgs', id: 'o1' } as const
  expect(allows([inOrg('orgs', 'o1')], organization)).toBe(true)
  expect(allows([inOrg('instance', 'o1')], organization)).toBe(true)
  expect(allows([inOrg('orgs', 'o2')], organization)).toBe(false)
  expect(demandText({ ...organization, orgID: 'o1' })).toBe('write:orgs/o1')
})

it('keeps the permissions of a token in its organization, but for an operator', () => {
  const wide = (type: Permission['resource']['type']): Permission => ({
    action: 'write',
    resource: { type },
  })
  const usual = [wide('buckets'), wide('users'), { ...wide('orgs'), action: 'read' as const }]
  expect(permissionsWithin(usual, 'o1')).toEqual([
    inOrg('buckets', 'o1'),
    wide('users'),
    { action: 'read', resource: { type: 'orgs', id: 'o1' } },
  ])
  const operator = [wide('buckets'), wide('orgs')]
  expect(permissionsWithin(operator, 'o1')).toEqual(operator)
  expect(permissionsWithin(usual, undefined)).toEqual(usual)
})

it('lists the ids that permissions name', () => {
  const permissions: Permission[] = [
    { action: 'read', resource: { type: 'orgs', id: 'a' } },
    { action: 'read', resource: { type: 'instance', orgID: 'b' } },
    { action: 'write', resource: { type: 'orgs', id: 'c' } },
    { action: 'read', resource: { type: 'users', orgID: 'd' } },
  ]
  expect(allowedIds(permissions, 'read', 'orgs')).toEqual(['a', 'b'])
  expect(allowedIds(permissions, 'read', 'users')).toEqual([])
  expect(allowedIds(operatorPermissions(), 'read', 'orgs')).toBe('all')
})

it('gives roles what they stand for', () => {
  const permissions = userPermissions(
    'u1',
    [
      { resourceType: 'orgs', resourceId: 'o1', role: 'owner' },
      { resourceType: 'orgs', resourceId: 'o2', role: 'member' },
      { resourceType: 'buckets', resourceId: 'b3', role: 'member' },
    ],
    [[inOrg('tasks', 'o4')]],
  )
  const may = (demand: Demand) => allows(permissions, demand)
  expect(may({ action: 'write', type: 'users', id: 'u1' })).toBe(true)
  expect(may({ action: 'read', type: 'users', id: 'u2' })).toBe(false)
  expect(may({ action: 'write', type: 'buckets', id: 'b1', orgID: 'o1' })).toBe(true)
  expect(may({ action: 'write', type: 'orgs', id: 'o1' })).toBe(true)
  expect(may({ action: 'read', type: 'buckets', id: 'b2', orgID: 'o2' })).toBe(true)
  expect(may({ action: 'write', type: 'buckets', id: 'b2', orgID: 'o2' })).toBe(false)
  expect(may({ action: 'read', type: 'buckets', id: 'b3', orgID: 'o3' })).toBe(true)
  expect(may({ action: 'write', type: 'tasks', orgID: 'o4' })).toBe(true)
  expect(isOperator(permissions)).toBe(false)
})
