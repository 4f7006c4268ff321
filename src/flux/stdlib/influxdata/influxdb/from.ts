// `from`, `buckets` and `cardinality`: what there is in this service's buckets. Reading itself is the
// planner's: `from` alone says no more than which bucket is meant.

import type { MaybePromise } from '../../../../platform/pull-stream.js'
import type { Cell, TableColumn } from '../../../../query/table.js'
import type { FluxContext } from '../../../context/context.js'
import type { BucketReference } from '../../../context/scope.js'
import { BucketNode, cannotRun } from '../../../node/bucket-node.js'
import { type Call, type Definitions, native } from '../../../package/define.js'
import { readPredicate } from '../../../plan/storage/row-predicate.js'
import { seriesCount } from '../../../plan/storage/schema-tables.js'
import type { StorageRead } from '../../../plan/storage/storage-read.js'
import { constantCells } from '../../../table/cells.js'
import { CellsBuilder } from '../../../table/cells-builder.js'
import { type Table, type TableStream, tableOf } from '../../../table/table.js'
import { FluxError } from '../../../value/error.js'
import { GroupKey } from '../../../value/key.js'
import { type FluxValue, Time } from '../../../value/value.js'
import { momentOf } from '../../universe/range.js'
import { bucketOf, organizationOf, refuseOtherHost } from './reference.js'

const fromType = `(?bucket: string, ?bucketID: string, ?org: string, ?orgID: string, ?host: string,
  ?token: string) => stream[{B with _measurement: string, _field: string, _time: time, _value: A}]`

function from(call: Call): FluxValue {
  refuseOtherHost(call)
  return new BucketNode(call.node([], cannotRun), bucketOf(call), 'read')
}

const bucketsType = `(?org: string, ?orgID: string, ?host: string, ?token: string) => stream[{
  name: string, id: string, organizationID: string, retentionPolicy: string, retentionPeriod: int}]`

const bucketColumns: readonly TableColumn[] = [
  { name: 'name', type: 'string' },
  { name: 'id', type: 'string' },
  { name: 'organizationID', type: 'string' },
  { name: 'retentionPolicy', type: 'string' },
  { name: 'retentionPeriod', type: 'int' },
]

function buckets(call: Call): FluxValue {
  refuseOtherHost(call)
  const organization = organizationOf(call)
  return call.node([], async function* (_, { scope }) {
    const found = await scope.buckets(organization)
    const rows = found.map(({ id, name, organizationId, retentionPolicy, retentionNs }) => [
      name,
      id,
      organizationId,
      retentionPolicy,
      retentionNs,
    ])
    yield* organizationTables(bucketColumns, rows)
  })
}

/** One table for each organization. */
export function* organizationTables(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
): Generator<Table, void, void> {
  const place = columns.findIndex(({ name }) => name === 'organizationID')
  const byOrganization = new Map<Cell, (readonly Cell[])[]>()
  for (const row of rows) {
    const own = byOrganization.get(row[place])
    if (own === undefined) byOrganization.set(row[place], [row])
    else own.push(row)
  }
  for (const [value, own] of byOrganization) {
    const key = GroupKey.of([{ name: 'organizationID', type: 'string', value }])
    const cells = columns.map(({ type }, column) => {
      const builder = new CellsBuilder(type, own.length)
      for (const row of own) builder.push(row[column])
      return builder.finish()
    })
    yield tableOf(key, columns, [{ rowCount: own.length, columns: cells }])
  }
}

const cardinalityType = `(?bucket: string, ?bucketID: string, ?org: string, ?orgID: string,
  ?host: string, ?token: string, start: A, ?stop: B,
  ?predicate: (r: {T with _measurement: string, _field: string, _value: S}) => bool)
  => stream[{_start: time, _stop: time, _value: int}] where A: Timeable, B: Timeable`

function cardinality(call: Call): MaybePromise<FluxValue> {
  const now = call.context.now()
  return now instanceof Promise
    ? now.then((at) => cardinalityAt(call, at))
    : cardinalityAt(call, now)
}

function cardinalityAt(call: Call, nowNs: bigint): FluxValue {
  refuseOtherHost(call)
  const reference = bucketOf(call, 'must specify only one of bucket or bucketID')
  const range = {
    start: momentOf(call.required('start'), nowNs),
    stop: momentOf(call.value('stop') ?? new Time(nowNs), nowNs),
  }
  const predicate = call.value('predicate')
  const { parts, isWhole } =
    predicate == null ? { parts: [], isWhole: true } : readPredicate(predicate)
  if (!isWhole) {
    const hint = 'it must compare tags, _measurement or _field with values known beforehand'
    throw new FluxError(`cannot count series by this predicate: ${hint}`)
  }
  const node = call.node([], (_, context) =>
    cardinalityTables(reference, { range, predicates: parts }, context),
  )
  return new BucketNode(node, reference, 'read')
}

async function* cardinalityTables(
  reference: BucketReference,
  read: Omit<StorageRead, 'bucket'>,
  context: FluxContext,
): TableStream & AsyncGenerator {
  const bucket = await context.scope.bucket(reference, 'read')
  const count = await seriesCount({ ...read, bucket }, context)
  if (count === undefined) throw new FluxError('cannot count series by the values of their points')
  const { start, stop } = read.range
  const key = GroupKey.of([
    { name: '_start', type: 'time', value: start },
    { name: '_stop', type: 'time', value: stop },
  ])
  const columns: TableColumn[] = [
    { name: '_start', type: 'time' },
    { name: '_stop', type: 'time' },
    { name: '_value', type: 'int' },
  ]
  const cells = [start, stop, BigInt(count)].map((value, i) =>
    constantCells(columns[i].type, value),
  )
  yield tableOf(key, columns, [{ rowCount: 1, columns: cells }])
}

export const sources: Definitions = {
  from: native(fromType, from),
  buckets: native(bucketsType, buckets),
  cardinality: native(cardinalityType, cardinality),
}
