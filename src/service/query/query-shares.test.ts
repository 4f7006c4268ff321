// Nobody can have all places: an organization gets three quarters of them, a token three quarters of these. What
// leaves makes room for those of the same organization and token.

import { expect, it } from 'vitest'
import { QueryShares } from './query-shares.js'

const caller = { org: 'a', token: '1' }

it('refuses what is beyond the share of a token, and of its organization', () => {
  const shares = new QueryShares(16)
  for (let i = 0; i < 9; i++) shares.enter(caller)
  expect(() => shares.enter(caller)).toThrow('the token has 9 under way')
  for (let i = 0; i < 3; i++) shares.enter({ org: 'a', token: '2' })
  expect(() => shares.enter({ org: 'a', token: '3' })).toThrow('the organization has 12 under way')
  shares.enter({ org: 'b', token: '1' })
})

it('gives room again, and counts neither refusals nor what has left', () => {
  const shares = new QueryShares(16)
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 9; i++) shares.enter(caller)
    shares.enter({ org: 'a', token: '2' })
    expect(() => shares.enter(caller)).toThrow('under way')
    for (let i = 0; i < 9; i++) shares.leave(caller)
    // The organization is still there, this token of it is not.
    shares.enter(caller)
    shares.leave(caller)
    shares.leave({ org: 'a', token: '2' })
  }
})
