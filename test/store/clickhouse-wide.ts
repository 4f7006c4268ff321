// One row for each of more series than a statement names: they are asked for at once, and leave in key order all the
// same, alone or in groups, of fields that lie in different tables. And series that come while a read of all series is
// under way.

import { expect, test } from 'vitest'
import type { Predicate } from '../../src/column/predicate.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import { streamOf } from '../../src/platform/pull-stream.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import { makeTables, openClickhouse } from '../../src/store/clickhouse/open.js'
import { readSelected, selectRead } from '../../src/store/clickhouse/read.js'
import { Registry } from '../../src/store/clickhouse/registry.js'
import { Servers } from '../../src/store/clickhouse/servers.js'
import type { ReadRequest, WindowAggregate } from '../../src/store/store.js'
import { type ClickhouseServer, newRegistry } from './clickhouse-servers.js'
import { bucket } from './contract-bench.js'
import { printRow, readRows } from './read-rows.js'

const seriesPerStatementMax = 20
/** Two thirds of them are more than a statement names, too. */
const seriesCount = 32

/** A new database, and a store over it. */
async function newStore(server: ClickhouseServer) {
  const clock = new ManualClock(0n)
  const address = server.newAddress()
  await makeTables(requireAddress(address), () => undefined)
  const { registry, close } = await newRegistry(clock)
  const log = () => undefined
  const store = await openClickhouse({ address, registry, clock, log, seriesPerStatementMax })
  const write = async (lines: readonly string[]) => {
    const options = { precision: 'ns', now: 0n } as const
    const { batch } = new LineProtocolParser().parse(Buffer.from(lines.join('\n')), options)
    expect((await store.write(bucket, batch)).rejected).toEqual([])
  }
  const stop = async () => {
    await store.close()
    await close()
  }
  return { address, registry, log, store, write, stop }
}

export function runWideTests(server: () => ClickhouseServer): void {
  runManySeriesTest(server)
  runStrangerTest(server)
  runAgainTest(server)
}

function runManySeriesTest(server: () => ClickhouseServer): void {
  test('newest points of more series than a statement names', async () => {
    const { store, write, stop } = await newStore(server())
    try {
      const lines = Array.from({ length: seriesCount }, (_, i) => {
        const series = `m,g=${i % 3},h=${String(i).padStart(2, '0')}`
        return `${series} v=1,s="old" 1\n${series} v=${i},s="s${i}" 2`
      })
      await write(lines)
      const last = (field: string) => ({ field, function: 'last' }) as const
      const read = (window: WindowAggregate, more: Partial<ReadRequest> = {}) => {
        const range = { start: 0n, stop: 10n }
        return readRows(store, { bucket, measurement: 'm', range, window, ...more })
      }
      const rows = await read({ aggregates: [last('v'), last('s')] })
      expect(rows).toHaveLength(seriesCount)
      expect([rows[0], rows[1], rows[seriesCount - 1]].map(printRow)).toMatchInlineSnapshot(`
        [
          "m,g=0,h=00 0 last(v)=0,last(s)="s0"",
          "m,g=0,h=03 0 last(v)=3,last(s)="s3"",
          "m,g=2,h=29 0 last(v)=29,last(s)="s29"",
        ]
      `)
      const groups = await read({ aggregates: [{ field: 'v', function: 'max' }], groupBy: ['g'] })
      expect(groups.map(printRow)).toMatchInlineSnapshot(`
        [
          "m,g=0 0 max(v)=30",
          "m,g=1 0 max(v)=31",
          "m,g=2 0 max(v)=29",
        ]
      `)
      const some = await read(
        { aggregates: [last('v')] },
        { predicate: { kind: 'tag', tag: 'g', op: '!=', value: '0' } },
      )
      const values = Array.from({ length: seriesCount }, (_, i) => i).filter((i) => i % 3 !== 0)
      const expected = [...values.filter((i) => i % 3 === 1), ...values.filter((i) => i % 3 === 2)]
      expect(some.map(({ values: [one] }) => one.value)).toEqual(expected)
    } finally {
      await stop()
    }
  }, 60_000)
}

function runStrangerTest(server: () => ClickhouseServer): void {
  test('a series that comes after the list of all series was made is none of them', async () => {
    const { address, registry, log, write, stop } = await newStore(server())
    const servers = await Servers.open({ address: requireAddress(address), log })
    try {
      const measured = async (known: string, window?: WindowAggregate) => {
        await write([`${known},h=a v=1 1`, `${known},h=c v=2 2`])
        const measurement = (await new Registry(registry).find(bucket, known))!
        const range = { start: 0n, stop: 10n }
        const request = { bucket, measurement: known, range, ...(window && { window }) }
        const signal = new AbortController().signal
        const read = (await selectRead(servers, measurement, request, range.start, signal))!
        await write([`${known},h=b v=40 3`])
        const rows = await readRows({ read: () => streamOf(readSelected(read)) }, request)
        return rows.map(({ key, values: [{ value }] }) => `${key} ${value}`)
      }
      const sum = [{ field: 'v', function: 'sum' }] as const
      expect(await measured('rows')).toEqual(['rows,h=a 1', 'rows,h=c 2'])
      const byHost = { aggregates: sum, groupBy: ['h'] }
      expect(await measured('grouped', byHost)).toEqual(['grouped,h=a 1', 'grouped,h=c 2'])
      // All have the same value of a tag that they do not have.
      const byNone = { aggregates: sum, groupBy: ['x'] }
      expect(await measured('one', byNone)).toEqual(['one 3'])
      expect(await measured('everything', { aggregates: sum, groupBy: [] })).toEqual([
        'everything 43',
      ])
    } finally {
      await servers.close()
      await stop()
    }
  }, 60_000)
}

function runAgainTest(server: () => ClickhouseServer): void {
  test('what was read before is read again with the series that have come and gone since', async () => {
    const { store, write, stop } = await newStore(server())
    const tag = (name: string, value: string, op: '=' | '!=' = '=') =>
      ({ kind: 'tag', tag: name, op, value }) as const
    const predicates: readonly (Predicate | undefined)[] = [
      undefined,
      tag('g', 'x'),
      tag('g', ''),
      tag('g', 'x', '!='),
      { kind: 'and', parts: [tag('g', 'x'), tag('h', 'a', '!=')] },
      { kind: 'tag-regex', tag: 'h', pattern: '^[a-c]$', negated: false },
      // What the index cannot decide.
      { kind: 'tag-regex', tag: 'h', pattern: '^[ac].?$', negated: false },
    ]
    const range = { start: 0n, stop: 10n }
    const hosts = async (predicate: Predicate | undefined) => {
      const request = { bucket, measurement: 'm', range, ...(predicate && { predicate }) }
      const rows = await readRows(store, request)
      return rows.map(({ key }) => /h=(.)/.exec(key)![1]).join('')
    }
    const all = () => Promise.all(predicates.map(hosts))
    try {
      await write(['m,g=x,h=a v=1 1', 'm,g=y,h=b v=1 1'])
      const before = ['ab', 'a', '', 'b', '', 'ab', 'a']
      for (let i = 0; i < 2; i++) expect(await all()).toEqual(before)
      await write(['m,g=x,h=c v=1 1', 'm,h=d v=1 1'])
      const after = ['acbd', 'ac', 'd', 'bd', 'c', 'acb', 'ac']
      for (let i = 0; i < 2; i++) expect(await all()).toEqual(after)
      await store.delete({ bucket, range, predicate: tag('h', 'a') })
      for (let i = 0; i < 2; i++) {
        expect(await all()).toEqual(after.map((found) => found.replace('a', '')))
      }
    } finally {
      await stop()
    }
  }, 60_000)
}
