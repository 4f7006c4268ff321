// ClickHouse as one more engine for the corpora of the languages. Making tables takes longer than most files of a
// corpus: all worlds share one database and one registry, and whoever leaves drops its buckets, by which their names
// begin anew.

import type { Clock } from '../../src/platform/clock.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import { makeTables, openClickhouse } from '../../src/store/clickhouse/open.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import type { BucketId } from '../../src/store/store.js'
import { newRegistry } from './clickhouse-servers.js'
import type { EngineState } from './engine-states.js'

const ignore = () => undefined
const nothing = async () => undefined

/** At the address of a database that does not exist yet. */
export async function clickhouseState(address: string, clock: Clock) {
  await makeTables(requireAddress(address), ignore)
  const { registry, close } = await newRegistry(clock)
  const state: EngineState = {
    name: 'clickhouse',
    async openEngine(clock) {
      const store = await openClickhouse({ address, registry, clock, log: ignore })
      const used = new Set<BucketId>()
      const [write, closeStore] = [store.write.bind(store), store.close.bind(store)]
      const engine = {
        flush: nothing,
        compact: nothing,
        forgetSeries: nothing,
        write(...args: Parameters<Engine['write']>) {
          used.add(args[0])
          return write(...args)
        },
        async close() {
          for (const bucket of used) await store.dropBucket(bucket)
          await closeStore()
        },
      }
      return Object.assign(store, engine)
    },
  }
  return { state, close }
}
