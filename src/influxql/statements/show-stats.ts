// SHOW STATS and SHOW DIAGNOSTICS: figures of the store, of the queries and of the process, one
// table per module. The modules are this service's own; what InfluxDB shares with it has its name.

import { arch, availableParallelism, hostname, platform } from 'node:os'
import type { ResultBatch } from '../../query/language.js'
import type { InfluxqlScope } from '../scope/scope.js'
import { printGoDuration } from '../syntax/printer.js'
import { type Cell, type CellType, tableOf } from './table.js'

interface Module {
  readonly name: string
  readonly figures: Readonly<Record<string, string | number>>
}

type Tables = Promise<readonly ResultBatch[]>

export async function showStats(
  module: string | undefined,
  scope: InfluxqlScope,
  result: number,
): Tables {
  await scope.databases.requireOperator()
  return tables([runtimeStats(), queryStats(scope), await storeStats(scope)], module, result)
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
    { name: 'network', figures: { hostname: hostname() } },
    {
      name: 'runtime',
      figures: {
        arch: arch(),
        cpus: availableParallelism(),
        os: platform(),
        version: process.version,
      },
    },
    {
      name: 'system',
      figures: {
        PID: process.pid,
        currentTime: moment(now),
        started: moment(now - uptimeNs),
        uptime: printGoDuration(uptimeNs),
      },
    },
  ]
  return tables(modules, module, result)
}

function runtimeStats(): Module {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  return {
    name: 'runtime',
    figures: { Sys: rss, HeapSys: heapTotal, HeapInUse: heapUsed, external },
  }
}

function queryStats({ queries }: InfluxqlScope): Module {
  return { name: 'queryExecutor', figures: { queriesActive: queries.list().length } }
}

async function storeStats({ store }: InfluxqlScope): Promise<Module> {
  const figures = (await store.metrics()).map(({ name, value }) => [name, value])
  return { name: 'store', figures: Object.fromEntries(figures) }
}

/** Columns by name, as InfluxDB has them; one row each. */
function tables(modules: readonly Module[], wanted: string | undefined, result: number) {
  const shown = modules.filter(({ name }) => wanted === undefined || name === wanted)
  return shown.map(({ name, figures }) => {
    const sorted = Object.entries(figures).sort(([a], [b]) => (a < b ? -1 : 1))
    const columns = sorted.map(([column, value]) => [column, typeOf(value)] as const)
    return tableOf(result, { name, columns }, [sorted.map(([, value]): Cell => value)])
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
