// What deletes empty on ClickHouse, with two stores over the same tables and registry, as two processes have them:
// nothing that one of them acknowledged may go because the other removes what it found empty.

import { expect, test } from 'vitest'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import { seededRandom } from '../../src/platform/random.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import type { ClickhouseStore } from '../../src/store/clickhouse/clickhouse-store.js'
import { makeTables, openClickhouse } from '../../src/store/clickhouse/open.js'
import { collectPages } from '../../src/store/schema-pages.js'
import { type ClickhouseServer, newRegistry } from './clickhouse-servers.js'
import { bucket } from './contract-bench.js'
import { printRow, readRows } from './read-rows.js'

const ignore = () => undefined
const range = { start: 0n, stop: 10n ** 18n }
const seed = Number(process.env.MILLRACE_SEED ?? Date.now() % 2 ** 31)

async function twoStores(server: ClickhouseServer) {
  const clock = new ManualClock(0n)
  const address = server.newAddress()
  await makeTables(requireAddress(address), ignore)
  const { registry, close } = await newRegistry(clock)
  const open = () => openClickhouse({ address, registry, clock, log: ignore })
  const stores = [await open(), await open()] as const
  const closeAll = async () => {
    for (const store of stores) await store.close()
    await close()
  }
  return { stores, registry, closeAll }
}

async function write(store: ClickhouseStore, lines: string): Promise<void> {
  const { batch } = new LineProtocolParser().parse(Buffer.from(lines), { precision: 'ns', now: 0n })
  expect((await store.write(bucket, batch)).rejected).toEqual([])
}

async function rowsOf(store: ClickhouseStore): Promise<string[]> {
  return (await readRows(store, { bucket, measurement: 'm', range })).map(printRow)
}

async function valuesOf(store: ClickhouseStore): Promise<readonly string[]> {
  return collectPages(store.names({ kind: 'tag-values', tag: 't', bucket, range }))
}

export function runEmptiedTests(server: () => ClickhouseServer): void {
  test('what is written while series leave the index stays, whoever writes it', async () => {
    const { stores, closeAll } = await twoStores(server())
    const [one, two] = stores
    const random = seededRandom(seed)
    try {
      await write(one, 'm,t=kept v=1 1')
      for (let round = 1; round <= 8; round++) {
        const time = round * 100
        await write(two, `m,t=a v=${round} ${time}\nm,t=b v=${round} ${time}`)
        const late = new Promise((resolve) => setTimeout(resolve, random.below(120)))
        const next = `m,t=a v=${round} ${time + 50}`
        await Promise.all([
          one.delete({ bucket, range: { start: 2n, stop: BigInt(time + 10) } }),
          late.then(() => write(two, next)),
        ])
        const wanted = ['m,t=a', 'm,t=kept']
        for (const store of stores) {
          const rows = await rowsOf(store)
          const told = `seed ${seed}, round ${round}`
          expect(
            rows.map((row) => row.split(' ')[0]),
            told,
          ).toEqual(wanted)
          expect(await valuesOf(store), told).toEqual(['a', 'kept'])
        }
      }
    } finally {
      await closeAll()
    }
  }, 60_000)

  test('a delete that was broken off is noted, and finished by whoever cleans up', async () => {
    const { stores, registry, closeAll } = await twoStores(server())
    const [one, two] = stores
    try {
      await write(one, 'm,t=a v=1 100\nm,t=b v=1 200\nn,t=c s="x" 100')
      const { length } = await registry.notedDeletes()
      expect(length).toBe(0)
      // As whoever ended in the middle of it leaves it: points are gone, nobody has looked what is empty.
      const forget = registry.nextGeneration
      registry.nextGeneration = () => Promise.reject(new Error('ended'))
      const part = { bucket, range: { start: 0n, stop: 150n } }
      await expect(one.delete(part)).rejects.toThrow('ended')
      registry.nextGeneration = forget
      expect(await valuesOf(two)).toEqual(['a', 'b', 'c'])
      expect((await registry.notedDeletes()).length).toBe(2)
      await two.maintenance.run()
      expect(await registry.notedDeletes()).toEqual([])
      expect(await valuesOf(one)).toEqual(['b'])
      // Nothing was left of it: its types begin anew, for both.
      await write(one, 'n,t=c s=1 300')
      await write(two, 'n,t=d s=2 300')
      expect(await valuesOf(two)).toEqual(['b', 'c', 'd'])
    } finally {
      await closeAll()
    }
  }, 60_000)
}
