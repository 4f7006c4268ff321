// A bucket with far more measurements than are looked at together: each keeps its own rows, fields and series, whether
// they lie in shared memory, in arrays of their own, in segments whose directories are read when asked for, or merged.

import { afterEach, expect, test } from 'vitest'
import { allTime } from '../../src/column/time.js'
import { EngineWorld } from './engine-states.js'
import { readRows } from './read-rows.js'

const bucket = '00000000000000b1'
const measurementCount = 150
let world: EngineWorld

afterEach(() => world.close())

async function write(lines: readonly string[]): Promise<void> {
  const text = Buffer.from(lines.join('\n'))
  const { batch } = world.parser(bucket).parse(text, { precision: 'ns', now: 0n })
  expect(await world.engine.write(bucket, batch)).toMatchObject({ rejectedCount: 0 })
  world.parser(bucket).release(batch)
}

/** A round of every measurement: some have a field of their own, some several series, every seventh many rows. */
function round(number: number): string[] {
  const lines: string[] = []
  for (let m = 0; m < measurementCount; m++) {
    for (let i = 0; i < (m % 7 === 0 ? 40 : 2); i++) {
      const own = m % 3 === 0 ? `,own${m}="text ${m} ${i}"` : ''
      lines.push(`m${m},s=${i % (1 + (m % 4))} v=${m},n=${number}i${own} ${number * 1000 + i}`)
    }
  }
  return lines
}

async function checkAll(rounds: number): Promise<void> {
  for (let m = 0; m < measurementCount; m++) {
    const rows = await readRows(world.engine, { bucket, measurement: `m${m}`, range: allTime })
    expect(rows).toHaveLength((m % 7 === 0 ? 40 : 2) * rounds)
    const fields = new Set(rows.flatMap(({ values }) => values.map(({ name }) => name)))
    expect([...fields].sort()).toEqual(m % 3 === 0 ? ['n', `own${m}`, 'v'] : ['n', 'v'])
    for (const { key, values } of rows) {
      expect(key.startsWith(`m${m},s=`)).toBe(true)
      expect(values.find(({ name }) => name === 'v')?.value).toBe(m)
    }
  }
}

test('each keeps its own rows, wherever they lie', async () => {
  world = await EngineWorld.open({ smallRowsMax: 60, compactionSegments: 1000 })
  await write(round(1))
  await write(round(2))
  await checkAll(2)
  await world.engine.flush()
  await checkAll(2)
  await write(round(3))
  await world.engine.flush()
  await write(round(4))
  await checkAll(4)
  await world.crash()
  await checkAll(4)
  await world.engine.flush()
  await world.engine.compact()
  await checkAll(4)
  await world.reopen()
  await checkAll(4)
})

test('rows that come again, and before others, win or fall into place', async () => {
  world = await EngineWorld.open({ smallRowsMax: 60 })
  await write(round(2))
  await write(round(1))
  await write(round(2).map((line) => line.replace(',n=2i', ',n=22i')))
  await world.engine.flush()
  await checkAll(2)
  const rows = await readRows(world.engine, { bucket, measurement: 'm5', range: allTime })
  const numbers = rows.map(({ values }) => Number(values.find(({ name }) => name === 'n')?.value))
  expect(numbers).toEqual([1, 22, 1, 22])
})
