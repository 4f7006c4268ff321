// What reading costs per value and per series: means (counts, where there is nothing to add up) of a day in windows
// of an hour, on one thread, over each kind of value with regular and jittered times, in long and in short series,
// whole and with 5 % missing. An hour of one series tells what a small part of a block costs, and many series of a
// few rows what a series costs beside its values.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { LineProtocolParser } from '../src/line-protocol/parser.js'
import { systemClock } from '../src/platform/clock.js'
import { NodeDisk } from '../src/platform/node-disk.js'
import { type Engine, openEngine } from '../src/store/embedded/engine.js'
import type { ReadRequest } from '../src/store/store.js'
import { type Figures, startTime } from './cpu-data.js'

const bucket = '00000000000000ac'
const second = 1_000_000_000n
const hour = 3600n * second
const day = { start: startTime, stop: startTime + 24n * hour }

type Random = () => number

interface Kind {
  readonly isNumber: boolean
  next(before: number, random: Random): number
  print(value: number): string
}

const kinds: Record<string, Kind> = {
  decimal: {
    isNumber: true,
    next: (v, random) => v + random() - 0.5,
    print: (v) => v.toFixed(2),
  },
  precise: { isNumber: true, next: (v, random) => v + random() - 0.5, print: String },
  gauge: {
    isNumber: true,
    next: (v, random) => Math.max(0, v + Math.floor(random() * 5) - 2),
    print: (v) => `${v}i`,
  },
  counter: {
    isNumber: true,
    next: (v, random) => v + Math.floor(random() * 100_000),
    print: (v) => `${v}i`,
  },
  wide: {
    isNumber: true,
    next: (_, random) => Math.floor(random() * 2 ** 53),
    print: (v) => `${(BigInt(v) << 9n) + 77n}i`,
  },
  boolean: {
    isNumber: false,
    next: (v, random) => (random() < 0.02 ? 1 - v : v),
    print: (v) => (v === 1 ? 'true' : 'false'),
  },
  string: {
    isNumber: false,
    next: (v, random) => (random() < 0.05 ? Math.floor(random() * 6) : v),
    print: (v) => `"${['ok', 'idle', 'busy', 'asleep', 'charging', 'off'][v]}"`,
  },
}

interface Shape {
  readonly name: string
  readonly kind: string
  readonly seriesCount: number
  readonly jitterMs: number
  readonly missing: number
}

/** Every kind in its plain form, and the forms that data have with one kind. */
function shapesOf(longCount: number, shortCount: number): Shape[] {
  const plain = { seriesCount: longCount, jitterMs: 0, missing: 0 }
  return [
    ...Object.keys(kinds).map((kind) => ({ name: kind, kind, ...plain })),
    { ...plain, name: 'jittered', kind: 'decimal', jitterMs: 200 },
    { ...plain, name: 'missing', kind: 'decimal', missing: 0.05 },
    { ...plain, name: 'shortSeries', kind: 'decimal', seriesCount: shortCount },
    { ...plain, name: 'shortJittered', kind: 'decimal', seriesCount: shortCount, jitterMs: 200 },
  ]
}

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const [rowCount, rounds] = size === 'small' ? [6000, 1] : [600_000, 25]
  const [longCount, shortCount, tinyCount] = size === 'small' ? [3, 30, 300] : [100, 1500, 60_000]
  const folder = mkdtempSync(`${tmpdir()}/millrace-bench-`)
  const engine = await openEngine({
    disk: new NodeDisk(),
    folder,
    clock: systemClock,
    jobs: 'inline',
  })
  try {
    const shapes = shapesOf(longCount, shortCount)
    const tiny = { ...shapes[0], name: 'tiny', seriesCount: tinyCount }
    for (const shape of [...shapes, tiny]) await ingest(engine, shape, rowCount)
    await engine.flush()
    await engine.compact()
    const figures: Record<string, number> = {}
    const answers: string[] = []
    for (const shape of shapes) {
      const whole = await best(rounds, () => aggregate(engine, shape))
      figures[`${shape.name}NsPerValue`] = (whole.seconds * 1e9) / rowCount
      answers.push(whole.answer)
      if (shape.name !== 'shortJittered' && shape.name !== 'jittered') continue
      const asks = size === 'small' ? 1 : 100
      const part = await best(rounds, () => repeat(asks, () => oneHour(engine, shape)))
      figures[`${shape.name}HourMicroseconds`] = (part.seconds * 1e6) / asks
    }
    const many = await best(rounds, () => aggregate(engine, tiny))
    const values = figures.decimalNsPerValue * rowCount
    figures.microsecondsPerSeries = (many.seconds * 1e9 - values) / tinyCount / 1e3
    return { name: 'decode', figures, check: answers.join('\n') }
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Rows of all series over a day, each series of one kind in the field v. */
async function ingest(engine: Engine, shape: Shape, rowCount: number): Promise<void> {
  const { name, seriesCount, jitterMs, missing } = shape
  const kind = kinds[shape.kind]
  const random = generator(4711)
  const ticks = Math.round(rowCount / seriesCount)
  const stepMs = Math.floor(86_400_000 / ticks)
  const startMs = Number(startTime / 1_000_000n)
  const levels = Array.from({ length: seriesCount }, () =>
    kind.isNumber ? Math.floor(random() * 100) : 0,
  )
  const parser = new LineProtocolParser()
  let lines = ''
  let waiting = 0
  const send = async () => {
    const { batch } = parser.parse(new TextEncoder().encode(lines), { precision: 'ms', now: 0n })
    await engine.write(bucket, batch)
    parser.release(batch)
    lines = ''
    waiting = 0
  }
  for (let tick = 0; tick < ticks; tick++) {
    for (let series = 0; series < seriesCount; series++) {
      levels[series] = kind.next(levels[series], random)
      const time = startMs + tick * stepMs + Math.floor(random() * jitterMs)
      const value = random() < missing ? '' : `,v=${kind.print(levels[series])}`
      lines += `${name},device=d${series} other=true${value} ${time}\n`
      if (++waiting >= 5000) await send()
    }
  }
  if (waiting > 0) await send()
}

function generator(seed: number): Random {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function requestOf({ name, kind }: Shape): ReadRequest {
  const fn = kinds[kind].isNumber ? 'mean' : 'count'
  const aggregates = [{ field: 'v', function: fn } as const]
  return {
    bucket,
    measurement: name,
    range: day,
    window: { aggregates, everyNs: hour, groupBy: [] },
  }
}

function aggregate(engine: Engine, shape: Shape): Promise<string> {
  return addUp(engine, requestOf(shape), shape.name)
}

async function repeat(times: number, ask: () => Promise<string>): Promise<string> {
  let answer = ''
  for (let i = 0; i < times; i++) answer = await ask()
  return answer
}

/** An hour of one series, away from where blocks begin. */
function oneHour(engine: Engine, shape: Shape): Promise<string> {
  const range = { start: startTime + 13n * hour, stop: startTime + 14n * hour }
  const predicate = { kind: 'tag', tag: 'device', op: '=', value: 'd2' } as const
  return addUp(engine, { ...requestOf(shape), range, predicate }, shape.name)
}

async function addUp(engine: Engine, request: ReadRequest, name: string): Promise<string> {
  let windows = 0
  let sum = 0
  for await (const batch of engine.read(request, new AbortController().signal)) {
    windows += batch.rowCount
    const [{ values }] = batch.columns
    for (let row = 0; row < batch.rowCount; row++) sum += Number(values[row])
  }
  return `${name} ${windows} windows ${sum.toPrecision(8)}`
}

interface Timed {
  readonly seconds: number
  readonly answer: string
}

/** CPU time, the best of several rounds: on a shared machine the others measure the neighbours. */
async function best(rounds: number, measure: () => Promise<string>): Promise<Timed> {
  let seconds = Number.POSITIVE_INFINITY
  let answer = ''
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage()
    answer = await measure()
    const { user, system } = process.cpuUsage(start)
    seconds = Math.min(seconds, (user + system) / 1e6)
  }
  return { seconds, answer }
}
