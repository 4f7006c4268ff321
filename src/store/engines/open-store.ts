// The engines there are, by the name that `--store` has for them. Whoever opens a store knows no engine; a new one
// gets its line here.

import type { Config, StoreEngine } from '../../config.js'
import { UserError } from '../../errors.js'
import type { Clock } from '../../platform/clock.js'
import type { Disk } from '../../platform/disk.js'
import type { RegistryStorage } from '../clickhouse/registry.js'
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
  /** What one write may add. */
  readonly writeLimits?: WriteLimits | undefined
  readonly log: StoreLog
  /** Where logs are kept that the embedded store needs no more. */
  readonly walArchive?: string | undefined
  /** Where a store elsewhere keeps what all its processes must agree on. */
  readonly registry: RegistryStorage
  /** Of a store elsewhere. */
  readonly password: string | undefined
  readonly writeQuorum?: number | undefined
}

type Growing = Readonly<Record<'series' | 'measurements' | 'fields', number>>

export interface WriteLimits {
  readonly seriesPerWriteMax: number
  readonly tagsPerWriteMax: number
  readonly shardsPerWriteMax: number
  /** What there may be in all, and of one owner. */
  readonly allMax: Growing
  readonly ownerMax: Growing
  /** Kept back on the disk. */
  readonly reservedBytes: number
  /** That are read a second to look for damage. */
  readonly scrubBytesPerSecond: number
}

export function writeLimitsOf(config: Config): WriteLimits {
  return {
    seriesPerWriteMax: config.writeSeriesMax,
    tagsPerWriteMax: config.writeTagsMax,
    shardsPerWriteMax: config.writeShardsMax,
    allMax: {
      series: config.seriesMax,
      measurements: config.measurementsMax,
      fields: config.fieldsMax,
    },
    ownerMax: {
      series: config.orgSeriesMax,
      measurements: config.orgMeasurementsMax,
      fields: config.orgFieldsMax,
    },
    reservedBytes: config.reservedBytes,
    scrubBytesPerSecond: config.scrubBytesPerSecond,
  }
}

const engines: Readonly<Record<string, (options: StoreOptions) => Promise<Store>>> = {
  embedded: ({ disk, folder, clock, threads, scanThreadsMax, writeLimits, log, walArchive }) => {
    const scans = threads && scanThreadsMax !== undefined ? { scanThreadsMax } : {}
    // A disk in memory is never full, and has no damage.
    const reserve = threads ? {} : { reservedBytes: 0, scrubBytesPerSecond: 0 }
    const limits = { ...scans, ...writeLimits, ...reserve }
    const jobs = threads ? 'workers' : 'inline'
    return openEngine({ disk, folder, clock, jobs, log, limits, walArchive })
  },
  plain: async ({ clock }) => new PlainStore(clock),
}

/** Loaded by those who need it. */
async function openElsewhere(address: string, options: StoreOptions): Promise<Store> {
  const { openClickhouse } = await import('../clickhouse/open.js')
  return openClickhouse({ address, ...options })
}

export async function openStoreEngine(name: StoreEngine, options: StoreOptions): Promise<Store> {
  if (options.walArchive !== undefined && name !== 'embedded') {
    throw new UserError('invalid', 'flag --wal-archive: only the embedded store has logs')
  }
  if (/^clickhouses?:/.test(name)) return openElsewhere(name, options)
  if (!Object.hasOwn(engines, name)) {
    const known = Object.keys(engines).join(', ')
    throw new UserError('invalid', `unknown store "${name}": there is ${known}`)
  }
  return engines[name](options)
}
