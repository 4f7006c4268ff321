// A script that is stopped, wherever it looks whether it is, leaves no read of the store open: a read holds on to files
// that were merged away meanwhile.

import { expect, test } from 'vitest'
import type { Batch } from '../../src/column/batch.js'
import { type MaybePromise, PullStream } from '../../src/platform/pull-stream.js'
import { ReadSequence } from '../../src/store/read-sequence.js'
import type { ReadRequest, Store } from '../../src/store/store.js'
import { turnedOff } from './planned-scripts.js'
import { runFlux, storeWith } from './run-flux.js'

/** A store that knows which of its reads are open. They do not look at signals: whoever reads has to close them. */
class WatchedStore {
  readonly open = new Set<PullStream<Batch>>()
  readonly store: Store

  constructor(store: Store) {
    const read = (request: ReadRequest) =>
      new WatchedRead(store.read(request, new AbortController().signal), this.open)
    const overlay: Partial<Store> = {
      read,
      readSeveral: (requests) => new ReadSequence(requests.map((request) => () => read(request))),
      prepare: (request) => ({ read: (range) => read({ ...request, range }) }),
    }
    this.store = new Proxy(store, {
      get: (target, name: keyof Store) => {
        const own = overlay[name] ?? target[name]
        return typeof own === 'function' ? own.bind(target) : own
      },
    })
  }
}

class WatchedRead extends PullStream<Batch> {
  readonly #read: PullStream<Batch>
  readonly #open: Set<PullStream<Batch>>

  constructor(read: PullStream<Batch>, open: Set<PullStream<Batch>>) {
    super()
    this.#read = read
    this.#open = open
  }

  async take(): Promise<Batch | undefined> {
    this.#open.add(this)
    const batch = await this.#read.take()
    if (batch === undefined) this.#open.delete(this)
    return batch
  }

  close(): MaybePromise<void> {
    this.#open.delete(this)
    return this.#read.close()
  }
}

/** Has been aborted when it is looked at for the last of so many times. */
function stopAtLook(looks: number): AbortSignal {
  const stop = new AbortController()
  const { signal } = stop
  let left = looks
  signal.throwIfAborted = () => {
    if (--left === 0) stop.abort(new Error('stopped'))
    if (signal.aborted) throw signal.reason
  }
  return signal
}

const range = 'range(start: 0, stop: 1970-01-01T01:00:00Z)'
const cpu = `from(bucket: "b") |> ${range} |> filter(fn: (r) => r._measurement == "cpu")`
const usage = `${cpu} |> filter(fn: (r) => r._field == "usage")`
const twice = 'map(fn: (r) => ({r with _value: r._value * 2.0}))'

const scripts: readonly string[] = [
  cpu,
  `${cpu} |> count()`,
  `${cpu} |> last()`,
  `${usage} |> ${twice}`,
  `${usage} |> ${twice} |> group(columns: ["region"]) |> mean()`,
  `${usage} |> group(columns: ["region"]) |> mean()`,
  `${usage} |> aggregateWindow(every: 10m, fn: mean)`,
  `${usage} |> window(every: 1h) |> median() |> duplicate(column: "_stop", as: "_time")`,
  `${usage} |> derivative(unit: 1m) |> limit(n: 3)`,
  `${usage} |> sort(columns: ["_value"]) |> tail(n: 2)`,
  `${usage} |> reduce(fn: (r, accumulator) => ({n: accumulator.n + r._value}), identity: {n: 0.0})`,
  `${cpu} |> pivot(rowKey: ["_time"], columnKey: ["_field"], valueColumn: "_value")`,
  `a = ${usage}
   join(tables: {a: a, b: a |> ${twice}}, on: ["_time", "host"])`,
  `union(tables: [${usage} |> mean(), ${usage} |> ${twice} |> max()])`,
  `${cpu} |> yield(name: "one")
   ${usage} |> quantile(q: 0.9) |> yield(name: "two")`,
]

/** More series than are handed on at once, and one that is longer than what is held. */
function lines(): string {
  const short = Array.from({ length: 1200 }, (_, i) => {
    const time = BigInt(i % 4) * 900_000_000_000n
    return `cpu,host=h${i >> 2},region=r${i % 3} usage=${i / 8},procs=${i}i ${time}`
  })
  const long = Array.from({ length: 6000 }, (_, i) => `cpu,host=long usage=${i} ${i}`)
  return [...short, ...long].join('\n')
}

test('no read is left open', async () => {
  const world = await storeWith(lines())
  for (const script of scripts.flatMap((planned) => [planned, turnedOff + planned])) {
    let looks = 1
    for (; ; looks *= 3) {
      const { store, open } = new WatchedStore(world.engine)
      const signal = stopAtLook(looks)
      await runFlux(script, { store, signal }).catch((error) => expect(error).toBe(signal.reason))
      expect(open.size, `stopped at look ${looks} of ${script}`).toBe(0)
      if (!signal.aborted) break
    }
    expect(looks, script).toBeGreaterThan(1)
  }
  await world.close()
})
