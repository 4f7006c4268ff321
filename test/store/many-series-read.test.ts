// Many series that are not in a segment yet are read in the order of their keys, all of them and those between two
// moments, although they are put in order only as the read comes by.

import { afterEach, expect, test } from 'vitest'
import { allTime } from '../../src/column/time.js'
import { EngineWorld } from './engine-states.js'

const bucket = '00000000000000b1'
const seriesCount = 40_000
const never = new AbortController().signal
let world: EngineWorld

afterEach(() => world.close())

test('a memtable of many series is read in key order', async () => {
  world = await EngineWorld.open({})
  const pods = Array.from({ length: seriesCount }, (_, i) => `p${(i * 7919) % seriesCount}`)
  const lines = pods.map((pod, i) => `req,pod=${pod} v=${i} ${i}`).join('\n')
  const parser = world.parser(bucket)
  const { batch } = parser.parse(Buffer.from(lines), { precision: 'ns', now: 0n })
  expect(await world.write(bucket, batch)).toMatchObject({ rejectedCount: 0 })
  parser.release(batch)
  const read = async (range = allTime) => {
    const found: string[] = []
    for await (const { runs } of world.engine.read({ bucket, measurement: 'req', range }, never)) {
      for (const { key } of runs) found.push(key.tags[0].value)
    }
    return found
  }
  expect(await read()).toEqual(pods.toSorted())
  const half = { start: 0n, stop: BigInt(seriesCount / 2) }
  expect(await read(half)).toEqual(pods.slice(0, seriesCount / 2).toSorted())
})
