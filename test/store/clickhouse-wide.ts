// One row for each of more series than a statement names: they are asked for at once, and leave in key order all the
// same, alone or in groups, of fields that lie in different tables.

import { expect, test } from 'vitest'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import { makeTables, openClickhouse } from '../../src/store/clickhouse/open.js'
import type { ReadRequest, WindowAggregate } from '../../src/store/store.js'
import { type ClickhouseServer, newRegistry } from './clickhouse-servers.js'
import { bucket } from './contract-bench.js'
import { printRow, readRows } from './read-rows.js'

const seriesPerStatementMax = 20
/** Two thirds of them are more than a statement names, too. */
const seriesCount = 32

export function runWideTests(server: () => ClickhouseServer): void {
  test('newest points of more series than a statement names', async () => {
    const clock = new ManualClock(0n)
    const address = server().newAddress()
    await makeTables(requireAddress(address), () => undefined)
    const { registry, close } = await newRegistry(clock)
    const log = () => undefined
    const parts = { address, registry, clock, log, seriesPerStatementMax }
    const store = await openClickhouse(parts)
    try {
      const lines = Array.from({ length: seriesCount }, (_, i) => {
        const series = `m,g=${i % 3},h=${String(i).padStart(2, '0')}`
        return `${series} v=1,s="old" 1\n${series} v=${i},s="s${i}" 2`
      })
      const parsed = new LineProtocolParser().parse(Buffer.from(lines.join('\n')), {
        precision: 'ns',
        now: 0n,
      })
      expect((await store.write(bucket, parsed.batch)).rejected).toEqual([])
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
      await store.close()
      await close()
    }
  }, 60_000)
}
