// The engines there are, by the name that `--store` has for them. Whoever opens a store knows no engine; a new one
// gets its line here.

import type { StoreEngine } from '../../config.js'
import { UserError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { Disk } from '../../platform/disk.js'
import { openEngine } from '../embedded/engine.js'
import { PlainStore } from '../plain/plain-store.js'
import type { Store } from '../store.js'
import type { StoreLog } from '../store-log.js'

export interface StoreOptions {
  /** Where it may keep files. */
  readonly disk: Disk
  readonly folder: string
  readonly clock: Clock
  /** Whether it may start threads. */
  readonly threads: boolean
  /** That big scans are shared by. */
  readonly scanThreadsMax: number | undefined
  readonly log: StoreLog
}

const engines: Readonly<Record<StoreEngine, (options: StoreOptions) => Promise<Store>>> = {
  embedded: ({ disk, folder, clock, threads, scanThreadsMax, log }) => {
    const limits = threads && scanThreadsMax !== undefined ? { scanThreadsMax } : {}
    return openEngine({ disk, folder, clock, jobs: threads ? 'workers' : 'inline', log, limits })
  },
  plain: async ({ clock }) => new PlainStore(clock),
}

export async function openStoreEngine(name: StoreEngine, options: StoreOptions): Promise<Store> {
  if (!Object.hasOwn(engines, name)) {
    const known = Object.keys(engines).join(', ')
    throw new UserError('invalid', `unknown store "${name}": there is ${known}`)
  }
  return engines[name](options)
}
