// What a task asks is given back to the limits of its organization once, also where there is no place for it: given
// back twice, the organization could have more under way than it may.

import { expect, it } from 'vitest'
import { BusyError } from '../../errors.js'
import { influxql } from '../../influxql/influxql.js'
import { ManualClock } from '../../platform/clock.js'
import { Queries, type QueryParts } from './queries.js'

const identity = { tokenId: undefined, orgId: 'o', userId: undefined, permissions: [] }

it('ends an admitted read of a task once where too many queries are under way', async () => {
  let admittedCount = 0
  let endedCount = 0
  const forRead = () => {
    admittedCount++
    return { timeoutSeconds: 0, sent: () => {}, end: () => void endedCount++ }
  }
  const parts = {
    clock: new ManualClock(0n),
    config: { queryConcurrentMax: 1, queryTimeoutSeconds: 0 },
    limits: { forRead },
    languages: { influxql },
    // One process has it for itself.
    catalog: {},
  }
  const queries = new Queries(parts as unknown as QueryParts)
  const question = { language: 'influxql', text: 'SHOW DATABASES', database: 'd', now: 0n } as const
  const first = await queries.task(identity, question)
  await expect(queries.task(identity, question)).rejects.toThrow(BusyError)
  expect([admittedCount, endedCount]).toEqual([2, 1])
  await expect(queries.task(identity, { ...question, text: 'SELEC' })).rejects.toThrow('SELEC')
  expect(admittedCount - endedCount).toBe(1)
  first.end()
  expect(admittedCount - endedCount).toBe(0)
})
