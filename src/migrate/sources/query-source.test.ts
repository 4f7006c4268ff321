// A server of v1 whose user may not ask for shards: weeks from the first point to the last take their place, and the
// plan says so.

import { expect, test } from 'vitest'
import { UserError } from '../../errors.js'
import type { V1Client } from '../connection/v1-client.js'
import { QuerySource } from './query-source.js'

const weekNs = 604_800_000_000_000n
const first = 2600n * weekNs + 5n

/** Answers by the beginning of a statement; everything else is refused. */
function serverOf(answers: Readonly<Record<string, readonly (readonly unknown[])[]>>): V1Client {
  const query = async (text: string) => {
    const start = Object.keys(answers).find((one) => text.startsWith(one) || text.endsWith(one))
    if (start === undefined) throw new UserError('forbidden', 'not authorized')
    const columns = ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default']
    return [{ series: [{ name: 'm', columns, values: answers[start] }] }]
  }
  return { url: 'http://there/', query } as unknown as V1Client
}

test('weeks stand for shards that nobody tells', async () => {
  const client = serverOf({
    'SHOW DATABASES': [['d']],
    'SHOW RETENTION': [['rp', '0s', '168h0m0s', 1, true]],
    'ORDER BY time ASC LIMIT 1': [[first, 1]],
    'ORDER BY time DESC LIMIT 1': [[first + 2n * weekNs, 1]],
  })
  const source = new QuerySource(client, () => first + 20n * weekNs)
  const { databases, notes } = await source.describe()
  expect(notes).toContain('SHOW SHARDS: not authorized: weeks take their place')
  const [{ units }] = databases[0].policies
  expect(units.map(({ id, fingerprint }) => [id, fingerprint])).toEqual([
    ['d/rp/2600', 'settled'],
    ['d/rp/2601', 'settled'],
    ['d/rp/2602', 'settled'],
  ])
})
