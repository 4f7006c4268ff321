// Many series: a million keys in (the index and the log), one found again among them, and the folder opened anew.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { LineProtocolParser } from '../src/line-protocol/parser.js'
import { systemClock } from '../src/platform/clock.js'
import { NodeDisk } from '../src/platform/node-disk.js'
import { type Engine, openEngine } from '../src/store/embedded/engine.js'
import { type Figures, startTime } from './cpu-data.js'

const bucket = '00000000000000cd'
const linesPerRequest = 5000

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const seriesCount = size === 'small' ? 10_000 : 1_000_000
  const folder = mkdtempSync(`${tmpdir()}/millrace-bench-`)
  const open = () =>
    openEngine({ disk: new NodeDisk(), folder, clock: systemClock, jobs: 'inline' })
  let engine = await open()
  try {
    const writeMs = await timed(() => write(engine, seriesCount))
    await engine.flush()
    const metrics = await engine.metrics()
    const indexBytes = metrics.find(({ name }) => name === 'store_index_bytes')!.value
    await engine.close()
    const openMs = await timed(async () => {
      engine = await open()
    })
    const firstMs = await timed(() => findOne(engine, seriesCount))
    const findMs = await timed(() => findOne(engine, seriesCount))
    const count = await engine.cardinality({ bucket })
    return {
      name: 'series',
      figures: {
        newSeriesPerSecond: Math.round((seriesCount / writeMs) * 1000),
        indexBytesPerSeries: Math.round(indexBytes / seriesCount),
        openMs: Math.round(openMs),
        firstFindMs: firstMs,
        findMs,
      },
      check: `${count} series`,
    }
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timed(action: () => Promise<void>): Promise<number> {
  const startMs = performance.now()
  await action()
  return performance.now() - startMs
}

async function write(engine: Engine, seriesCount: number): Promise<void> {
  const parser = new LineProtocolParser()
  for (let start = 0; start < seriesCount; start += linesPerRequest) {
    let lines = ''
    for (let i = start; i < Math.min(start + linesPerRequest, seriesCount); i++) {
      const pod = Math.imul(i, 2654435761) >>> 0
      lines += `req,pod=pod-${pod},route=/r/${i % 977},zone=z${i % 11} latency=${i / 8} ${startTime}\n`
    }
    const { batch } = parser.parse(Buffer.from(lines), { precision: 'ns', now: 0n })
    await engine.write(bucket, batch)
    parser.release(batch)
  }
}

async function findOne(engine: Engine, seriesCount: number): Promise<void> {
  const pod = Math.imul(seriesCount - 1, 2654435761) >>> 0
  const predicate = { kind: 'tag', tag: 'pod', op: '=', value: `pod-${pod}` } as const
  const range = { start: startTime, stop: startTime + 1n }
  let rows = 0
  const request = { bucket, measurement: 'req', range, predicate }
  for await (const batch of engine.read(request, new AbortController().signal)) {
    rows += batch.rowCount
  }
  if (rows !== 1) throw new Error(`found ${rows} rows instead of one`)
}
