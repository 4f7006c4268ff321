// What the tests of the store contract work with: a store that was just opened, a clock, and short ways to write line
// protocol and to read rows as texts.

import { expect } from 'vitest'
import { allTime } from '../../src/column/time.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import type {
  AggregateFunction,
  ReadRequest,
  Store,
  WindowAggregate,
  WriteResult,
} from '../../src/store/store.js'
import { printRow, readRows } from './read-rows.js'

export interface OpenedStore {
  readonly store: Store
  /** Closes the store and opens what it kept. */
  reopen(): Promise<Store>
  /** The store is closed: takes away what is left of it. */
  cleanUp(): Promise<void>
}

export type OpenStore = (clock: ManualClock) => Promise<OpenedStore>

export const bucket = '00000000000000c1'
export const other = '00000000000000c2'
export const never = new AbortController().signal

export interface Bench {
  readonly clock: ManualClock
  opened: OpenedStore
  store: Store
  write(lines: string, to?: string): Promise<WriteResult>
  read(request: Partial<ReadRequest>): Promise<string[]>
}

export async function openBench(open: OpenStore): Promise<Bench> {
  const clock = new ManualClock(0n)
  const opened = await open(clock)
  const parser = new LineProtocolParser()
  const bench: Bench = {
    clock,
    opened,
    store: opened.store,
    async write(lines, to = bucket) {
      const text = Buffer.from(lines)
      const { batch, errors } = parser.parse(text, { precision: 'ns', now: clock.now() })
      expect(errors).toEqual([])
      const result = await bench.store.write(to, batch)
      parser.release(batch)
      return result
    },
    async read(request) {
      const all = { bucket, measurement: 'm', range: allTime }
      return (await readRows(bench.store, { ...all, ...request })).map(printRow)
    },
  }
  return bench
}

/** Windows of 10 ns: `every('sum(v), max(w)')`. */
export function every(aggregates: string, more: Partial<WindowAggregate> = {}) {
  return {
    window: {
      everyNs: 10n,
      aggregates: Array.from(aggregates.matchAll(/(\w+)\((\w+)\)/g), ([, fn, field]) => ({
        function: fn as AggregateFunction,
        field,
      })),
      ...more,
    },
  }
}
