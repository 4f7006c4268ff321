// Rows that came late lie in another segment than those around them, often in a group with other series, and are read
// in stretches between which others are merged. Each counts once, on whichever thread it is read.

import { expect, test } from 'vitest'
import type { ReadRequest } from '../../src/store/store.js'
import { EngineWorld } from './engine-states.js'
import { bucket } from './random-requests.js'
import { printRow, readRows } from './read-rows.js'

const request: ReadRequest = {
  bucket,
  measurement: 'm',
  range: { start: 0n, stop: 100_000n },
  predicate: { kind: 'tag', tag: 'host', op: '=', value: 'a' },
  window: { everyNs: 1000n, offsetNs: 0n, aggregates: [{ field: '', function: 'rows' }] },
}

async function write(world: EngineWorld, lines: readonly string[]): Promise<void> {
  const parser = world.parser(bucket)
  const { batch } = parser.parse(Buffer.from(lines.join('\n')), { precision: 'ns', now: 0n })
  await world.write(bucket, batch)
  parser.release(batch)
  await world.engine.flush()
}

test.each([0, 2])('a late row counts once, with %i threads', async (scanThreadsMax) => {
  const world = await EngineWorld.open({ scanThreadsMax, scanValuesMin: 0 })
  try {
    // Enough rows that they are not just merged with the late one.
    await write(
      world,
      Array.from({ length: 2000 }, (_, i) => `m,host=a f=1 ${30 + i}`),
    )
    await write(world, ['m,host=a f=1 7', 'm,host=b f=1 35'])
    const rows = (await readRows(world.engine, request)).map(printRow)
    expect(rows).toEqual([
      'm,host=a 0 rows()=971i',
      'm,host=a 1000 rows()=1000i',
      'm,host=a 2000 rows()=30i',
    ])
  } finally {
    await world.close()
  }
})
