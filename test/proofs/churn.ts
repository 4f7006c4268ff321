// Series that come and go, as those of pods and builds do: `npm run churn -- --days 30 --series 1000000`. Each
// simulated day brings so many new ones to a bucket that keeps its points for a day; the clock is set, so that a day
// takes as long as its writes. What the index takes must be that of a day or two, however many days have passed.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nsPerHour } from '../../src/column/time.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import { NodeDisk } from '../../src/platform/node-disk.js'
import { type Engine, openEngine } from '../../src/store/embedded/engine.js'
import { pause } from './service-process.js'

export interface ChurnOptions {
  readonly days: number
  /** New ones a day. */
  readonly series: number
  readonly tell?: (text: string) => void
}

export interface ChurnFigure {
  readonly series: number
  readonly indexMb: number
  readonly residentMb: number
}

export interface ChurnReport {
  readonly days: readonly ChurnFigure[]
  readonly wrong: readonly string[]
}

const bucket = '00000000000000b1'
const nsPerDay = 24n * nsPerHour
const linesPerWrite = 10_000
/** From this day on nothing may grow: yesterday's series are there, those before have left. */
const steadyFrom = 2
const growthMax = 1.3
const expiryMs = 60_000

export async function churn({ days, series, tell }: ChurnOptions): Promise<ChurnReport> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-churn-'))
  const clock = new ManualClock(0n)
  const limits = { retentionCheckMs: 20 }
  const disk = new NodeDisk()
  const engine = await openEngine({ disk, folder, clock, jobs: 'inline', limits })
  const figures: ChurnFigure[] = []
  try {
    await engine.setBucket(bucket, { retentionNs: nsPerDay })
    for (let day = 0; day < days; day++) {
      clock.set(BigInt(day) * nsPerDay)
      await live(engine, day, series)
      figures.push(await figureOf(engine))
      tell?.(`day ${day + 1}: ${JSON.stringify(figures[day])}`)
    }
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { days: figures, wrong: grown(figures, series) }
}

async function live(engine: Engine, day: number, series: number): Promise<void> {
  const parser = new LineProtocolParser()
  const options = { precision: 'ns', now: BigInt(day) * nsPerDay } as const
  for (let at = 0; at < series; at += linesPerWrite) {
    const count = Math.min(linesPerWrite, series - at)
    const lines = Array.from({ length: count }, (_, i) => `m,pod=p${day}-${at + i} v=${i}`)
    const { batch } = parser.parse(Buffer.from(lines.join('\n')), options)
    const { rejectedCount, rejected } = await engine.write(bucket, batch)
    if (rejectedCount > 0) throw new Error(rejected[0].reason)
    parser.release(batch)
  }
  await engine.flush()
  // The day before yesterday's have expired.
  const deadline = Date.now() + expiryMs
  while ((await metric(engine, 'store_expired_shards_total')) < day - 1) {
    if (Date.now() > deadline) throw new Error(`nothing expires on day ${day + 1}`)
    await pause(20)
  }
  await engine.forgetSeries()
}

async function figureOf(engine: Engine): Promise<ChurnFigure> {
  return {
    series: await metric(engine, 'store_series'),
    indexMb: Math.round((await metric(engine, 'store_index_bytes')) / 1e6),
    residentMb: Math.round(process.memoryUsage.rss() / 1e6),
  }
}

async function metric(engine: Engine, name: string): Promise<number> {
  return (await engine.metrics()).find((one) => one.name === name)?.value ?? 0
}

function grown(figures: readonly ChurnFigure[], series: number): string[] {
  const wrong: string[] = []
  const steady = figures[steadyFrom]
  for (const [day, figure] of figures.entries()) {
    if (figure.series > 2 * series) wrong.push(`day ${day + 1}: ${figure.series} series`)
    if (steady === undefined || day < steadyFrom) continue
    if (figure.indexMb > steady.indexMb * growthMax + 1) {
      wrong.push(`day ${day + 1}: the index takes ${figure.indexMb} MB after ${steady.indexMb}`)
    }
  }
  return wrong
}
