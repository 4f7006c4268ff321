// SHOW STATS and SHOW DIAGNOSTICS: figures of the program by module, one table each. What InfluxDB counts too has its
// names for modules, tags and columns; `store` is the engine's own, in the place of the modules of InfluxDB's engine.

import { arch, availableParallelism, hostname, platform } from 'node:os'
import type { ResultBatch } from '../../query/language.js'
import { collectPages } from '../../store/schema-pages.js'
import type { InfluxqlScope } from '../scope/scope.js'
import { printGoDuration } from '../syntax/printer.js'
import { type Cell, type CellType, tableOf } from './table.js'

interface Module {
  readonly name: string
  readonly tags?: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, string | number>>
}

/** What Node calls otherwise. */
const goNames: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', win32: 'windows' }

type Tables = Promise<readonly ResultBatch[]>

export async function showStats(
  module: string | undefined,
  scope: InfluxqlScope,
  result: number,
): Tables {
  await scope.databases.requireOperator()
  // InfluxDB tells it only when it is asked for by name.
  if (module === 'indexes') return tables([await indexStats(scope)], module, result)
  const counted = await scope.statistics.modules()
  const modules = [...counted, ...(await databaseStats(scope)), await storeStats(scope)]
  return tables(modules, module, result)
}

export async function showDiagnostics(
  module: string | undefined,
  scope: InfluxqlScope,
  result: number,
): Tables {
  await scope.databases.requireOperator()
  const now = scope.clock.now()
  const uptimeNs = BigInt(Math.round(process.uptime() * 1e9))
  const modules: Module[] = [
    { name: 'network', values: { hostname: hostname() } },
    {
      name: 'runtime',
      values: {
        GOARCH: goNames[arch()] ?? arch(),
        GOMAXPROCS: availableParallelism(),
        GOOS: goNames[platform()] ?? platform(),
        version: process.version,
      },
    },
    {
      name: 'system',
      values: {
        PID: process.pid,
        currentTime: moment(now),
        started: moment(now - uptimeNs),
        uptime: printGoDuration(uptimeNs),
      },
    },
  ]
  return tables(modules, module, result)
}

/** The same series in two policies counts twice: they share no index here. */
async function databaseStats({ databases, store }: InfluxqlScope): Promise<Module[]> {
  const modules: Module[] = []
  for (const database of await databases.list()) {
    let numSeries = 0
    const measurements = new Set<string>()
    for (const { name: policy } of await databases.policies(database)) {
      const bucket = await databases.bucket(database, policy, 'read')
      numSeries += await store.cardinality({ bucket })
      const pages = store.names({ bucket, kind: 'measurements' })
      for (const name of await collectPages(pages)) measurements.add(name)
    }
    const values = { numMeasurements: measurements.size, numSeries }
    modules.push({ name: 'database', tags: { database }, values })
  }
  return modules
}

async function indexStats({ store }: InfluxqlScope): Promise<Module> {
  const metric = (await store.metrics()).find(({ name }) => name === 'store_index_bytes')
  return { name: 'indexes', values: { memoryBytes: metric?.value ?? 0 } }
}

async function storeStats({ store }: InfluxqlScope): Promise<Module> {
  const values = (await store.metrics()).map(({ name, value }) => [name, value])
  return { name: 'store', values: Object.fromEntries(values) }
}

/** Columns by name, as InfluxDB has them; one row each. */
function tables(modules: readonly Module[], wanted: string | undefined, result: number) {
  const shown = modules.filter(({ name }) => wanted === undefined || name === wanted)
  return shown.map(({ name, tags = {}, values }) => {
    const sorted = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
    const columns = sorted.map(([column, value]) => [column, typeOf(value)] as const)
    const shape = {
      name,
      tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
      columns,
    }
    return tableOf(result, shape, [sorted.map(([, value]): Cell => value)])
  })
}

function typeOf(value: string | number): CellType {
  if (typeof value === 'string') return 'string'
  return Number.isSafeInteger(value) ? 'integer' : 'float'
}

function moment(ns: bigint): string {
  const whole = new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19)
  const rest = String(ns % 1_000_000_000n).padStart(9, '0')
  const fraction = rest.replace(/0+$/, '')
  return fraction === '' ? `${whole}Z` : `${whole}.${fraction}Z`
}
