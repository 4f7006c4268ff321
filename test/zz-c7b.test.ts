import { test } from 'vitest'
import { LineProtocolParser } from '/work/main/src/line-protocol/parser.js'
import { ManualClock } from '/work/main/src/platform/clock.js'
import { SimulatedDisk } from '/work/main/src/platform/simulated-disk.js'
import { openEngine } from '/work/main/src/store/embedded/engine.js'
test('x', async () => {
  const disk = new SimulatedDisk(); await disk.makeDir('data')
  const engine = await openEngine({ disk, folder: 'data', clock: new ManualClock(0n), jobs: 'inline' })
  const parser = new LineProtocolParser()
  const w = async (t: string) => { const { batch } = parser.parse(Buffer.from(t), { precision: 'ns', now: 0n }); await engine.write('b', batch); parser.release(batch) }
  await w('m,t=a x=1 1\nm,t=a y=2 2\nm,t=b y=3 3\nm,t=a x=1,y=2 4')
  const show = async () => { for await (const b of engine.read({ bucket: 'b', range: { start: -10n, stop: 100n }, measurement: 'm', fields: ['x'] }, new AbortController().signal)) console.log(b.rowCount, b.runs.map(r => JSON.stringify(r)), b.times.base, b.times.offsets.slice(0, b.rowCount), b.columns[0].values.slice(0, b.rowCount), b.columns[0].validity?.slice(0, b.rowCount)) }
  await show(); await engine.flush(); console.log('--'); await show(); await engine.close()
})
