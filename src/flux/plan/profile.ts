// The tables of the package `profiler`: how long the query and each of its operations took, in the
// columns that the real service has; what does not happen here (queueing) took no time. Behind these the
// first table has what the reads of the store were expected to take.

import type { Cell, TableColumn } from '../../query/table.js'
import { estimateReads } from '../../store/read-estimates.js'
import type { FluxContext } from '../context/context.js'
import type { StreamNode } from '../node/node.js'
import type { NodeProfile } from '../node/runner.js'
import { CellsBuilder } from '../table/cells-builder.js'
import { type Table, type TableStream, tableOf } from '../table/table.js'
import { FluxError } from '../value/error.js'
import { GroupKey } from '../value/key.js'

type Profiler = 'query' | 'operator'

/** The profilers that the script turned on. */
export async function profilersOf(context: FluxContext): Promise<ReadonlySet<Profiler>> {
  const names = await context.option('profiler', 'enabledProfilers')
  const enabled = new Set<Profiler>()
  if (!Array.isArray(names)) return enabled
  for (const name of names) {
    if (name === 'query' || name === 'operator') enabled.add(name)
    else if (name !== '') throw new FluxError(`profiler does not exist: ${String(name)}`)
  }
  return enabled
}

export interface QueryTimes {
  readonly startNs: bigint
  readonly planNs: bigint
}

/** Tells what has happened until it is read. */
export async function* profileTables(
  enabled: ReadonlySet<Profiler>,
  nodes: readonly NodeProfile[],
  times: QueryTimes,
  context: FluxContext,
): TableStream & AsyncGenerator {
  if (enabled.has('query')) yield await queryTable(times, context)
  if (enabled.has('operator')) yield operatorTable(nodes)
}

const queryColumns: readonly TableColumn[] = [
  { name: '_measurement', type: 'string' },
  { name: 'TotalDuration', type: 'int' },
  { name: 'CompileDuration', type: 'int' },
  { name: 'QueueDuration', type: 'int' },
  { name: 'PlanDuration', type: 'int' },
  { name: 'RequeueDuration', type: 'int' },
  { name: 'ExecuteDuration', type: 'int' },
  { name: 'Concurrency', type: 'int' },
  { name: 'MaxAllocated', type: 'int' },
  { name: 'TotalAllocated', type: 'int' },
  { name: 'RuntimeErrors', type: 'string' },
  { name: 'EstimatedValues', type: 'int' },
  { name: 'EstimatedBytes', type: 'int' },
  { name: 'SharedByThreads', type: 'bool' },
]

async function queryTable(times: QueryTimes, context: FluxContext): Promise<Table> {
  const { startNs, planNs } = times
  const { scope, memory, reads, signal } = context
  const totalNs = scope.clock.now() - startNs
  const bytes = BigInt(memory.peakBytes)
  const found = await estimateReads(scope.store, reads?.requests ?? [], signal)
  const { valueCount, storedBytes, isShared } = found
  const row: (Cell | null)[] = [
    'profiler/query',
    totalNs,
    0n,
    0n,
    planNs,
    0n,
    totalNs - planNs,
    1n,
    bytes,
    bytes,
    '',
    BigInt(valueCount),
    storedBytes === undefined ? null : BigInt(storedBytes),
    isShared,
  ]
  return profileTable('profiler/query', queryColumns, [row])
}

const operatorColumns: readonly TableColumn[] = [
  { name: '_measurement', type: 'string' },
  { name: 'Type', type: 'string' },
  { name: 'Label', type: 'string' },
  { name: 'Count', type: 'int' },
  { name: 'MinDuration', type: 'int' },
  { name: 'MaxDuration', type: 'int' },
  { name: 'DurationSum', type: 'int' },
  { name: 'MeanDuration', type: 'float' },
]

function operatorTable(nodes: readonly NodeProfile[]): Table {
  const rows = nodes
    .filter(({ count }) => count > 0)
    .map(({ node, taken, count, minNs, maxNs, sumNs }, i): Cell[] => [
      'profiler/operator',
      node.operation,
      label(node, taken, i),
      BigInt(count),
      minNs,
      maxNs,
      sumNs,
      Number(sumNs) / count,
    ])
  return profileTable('profiler/operator', operatorColumns, rows)
}

/** Nodes that one read of the store took the place of are named with it, as the real service names them. */
function label(node: StreamNode, taken: readonly StreamNode[], number: number): string {
  const names = [...taken, node].map(({ operation }) =>
    operation.slice(operation.lastIndexOf('.') + 1),
  )
  return `${taken.length > 0 ? 'merged_' : ''}${names.join('_')}${number}`
}

function profileTable(
  measurement: string,
  columns: readonly TableColumn[],
  rows: readonly (readonly (Cell | null)[])[],
): Table {
  const cells = columns.map(({ type }, column) => {
    const builder = new CellsBuilder(type, rows.length)
    for (const row of rows) builder.push(row[column])
    return builder.finish()
  })
  const key = GroupKey.of([{ name: '_measurement', type: 'string', value: measurement }])
  return tableOf(key, columns, [{ rowCount: rows.length, columns: cells }])
}
