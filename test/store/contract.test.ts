// The store contract, run against the plain engine and the embedded one: on a disk in memory and on a real one, with
// room enough and with memtables so small that everything is flushed and merged all the time.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Disk } from '../../src/platform/disk.js'
import { NodeDisk } from '../../src/platform/node-disk.js'
import { openEngine } from '../../src/store/embedded/engine.js'
import type { EngineLimits } from '../../src/store/embedded/options/limits.js'
import { type PlainBuckets, PlainStore } from '../../src/store/plain/plain-store.js'
import type { Store } from '../../src/store/store.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import { runStoreContract } from './contract.js'
import type { OpenStore } from './contract-bench.js'
import { readOnThread } from './thread-reads.js'

function embedded(
  makeDisk: () => { disk: Disk; folder: string; cleanUp(): void },
  limits: Partial<EngineLimits> = {},
  wrap: (store: Store, disk: Disk) => Store = (store) => store,
): OpenStore {
  return async (clock) => {
    const { disk, folder, cleanUp } = makeDisk()
    const open = async (): Promise<Store> =>
      wrap(await openEngine({ disk, folder, clock, jobs: 'inline', limits }), disk)
    await disk.makeDir(folder)
    const store = await open()
    return {
      store,
      async reopen() {
        await store.close()
        return open()
      },
      async cleanUp() {
        cleanUp()
      },
    }
  }
}

const inMemory = () => ({ disk: new SimulatedDisk(), folder: 'data', cleanUp: () => undefined })

const onDisk = () => {
  const folder = mkdtempSync(`${tmpdir()}/millrace-store-`)
  return {
    disk: new NodeDisk(),
    folder,
    cleanUp: () => rmSync(folder, { recursive: true, force: true }),
  }
}

runStoreContract('plain', async (clock) => {
  const buckets: PlainBuckets = new Map()
  const store = new PlainStore(clock, buckets)
  return {
    store,
    async reopen() {
      await store.close()
      return new PlainStore(clock, buckets)
    },
    cleanUp: async () => undefined,
  }
})
runStoreContract('embedded, in memory', embedded(inMemory))
runStoreContract('embedded, on disk', embedded(onDisk))
runStoreContract(
  'embedded, tiny memtables',
  embedded(inMemory, { memtableBytesMax: 100, compactionSegments: 2 }),
)
runStoreContract(
  'embedded, read on a thread',
  embedded(inMemory, { memtableBytesMax: 2000 }, readOnThread),
)
runStoreContract(
  'embedded, every aggregate and search shared',
  embedded(inMemory, { memtableBytesMax: 2000, scanThreadsMax: 3, scanValuesMin: 0 }),
)
