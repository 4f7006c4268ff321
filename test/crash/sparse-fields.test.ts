// Many fields with a value now and then: merges of such segments share the arrays that they decode into and write large
// pieces as they come. What is read afterwards must be what was there before.

import { expect, it } from 'vitest'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import { contentsOf, LineWriter, metric, open } from './contents.js'
import { buckets } from './workload.js'

const [bucket] = buckets

/** One field to a row, which is another one with every row. */
function rows(from: number, count: number, stepNs: number, series = ''): string {
  const line = (i: number) => {
    const name = `f${(from + i) % 1500}`
    const value = i % 5 === 0 ? `${i}` : `${i}.25`
    return i % 7 === 0
      ? `m${series} s${name}="${i}" ${i * stepNs}`
      : `m${series} ${name}=${value} ${i * stepNs}`
  }
  return Array.from({ length: count }, (_, i) => line(i)).join('\n')
}

it('merges segments of many sparse fields without changing a value', async () => {
  const { engine } = await open(new SimulatedDisk(), { compactionSegments: 1000, quietMs: 1e9 })
  const writer = new LineWriter()
  // Enough rows and fields to be written as they come; times between and on those of the first; a few more series.
  const writes = [
    rows(0, 900, 10),
    rows(700, 300, 15),
    rows(100, 900, 10),
    rows(1400, 300, 7, ',s=2'),
  ]
  writes.push(Array.from({ length: 20 }, (_, s) => rows(s * 40, 30, 3, `,s=${s}`)).join('\n'))
  for (const lines of writes) {
    await writer.write(engine, bucket, lines)
    await engine.flush()
  }
  const before = await contentsOf(engine, bucket)
  expect(before.size).toBeGreaterThan(2000)
  await engine.compact()
  expect(await metric(engine, 'store_compactions_total')).toBeGreaterThan(0)
  expect(await contentsOf(engine, bucket)).toEqual(before)
  await engine.close()
})
