// `iox.sql` and `iox.from`: what SQL answers about a bucket, as one table with an empty group key, read as
// it is asked for. A measurement as a whole is a question in SQL too, bounded by the `range` that follows.

import type { ResultBatch, ResultPiece } from '../../../../query/language.js'
import type { Chunk } from '../../../../query/table.js'
import type { FluxContext } from '../../../context/context.js'
import type { BucketReference } from '../../../context/scope.js'
import { BucketNode } from '../../../node/bucket-node.js'
import type { StreamNode } from '../../../node/node.js'
import { RangedNode } from '../../../node/ranged-node.js'
import type { Call } from '../../../package/define.js'
import type { TimeBounds } from '../../../table/bounds.js'
import { lentChunk } from '../../../table/collect.js'
import type { Table } from '../../../table/table.js'
import { emptyKey } from '../../../value/key.js'
import { parseTime, rfc3339Text } from '../../../value/time.js'
import type { FluxValue } from '../../../value/value.js'
import { chunkOf, tableColumns } from './result-cells.js'

interface Question {
  readonly reference: BucketReference
  readonly query: string
  readonly nameOf: (name: string) => string
}

export function sql(call: Call): FluxValue {
  const reference = { bucket: call.string('bucket') }
  return asking(call, { reference, query: call.string('query'), nameOf: (name) => name })
}

export function from(call: Call): FluxValue {
  const reference = { bucket: call.string('bucket') }
  const measurement = call.string('measurement')
  const question = (bounds?: TimeBounds): Question => ({
    reference,
    query: measurementQuery(measurement, bounds),
    nameOf: (name) => (name === 'time' ? '_time' : name),
  })
  return new RangedNode(asking(call, question()), (bounds) => asking(call, question(bounds)))
}

function asking(call: Call, question: Question): BucketNode {
  const node: StreamNode = call.node([], (_, context) => answerTables(question, context))
  return new BucketNode(node, question.reference, 'read')
}

/** In order of time, as functions over tables expect rows. */
function measurementQuery(measurement: string, bounds: TimeBounds | undefined): string {
  const table = `"${measurement.replaceAll('"', '""')}"`
  const conditions = bounds === undefined ? [] : boundConditions(bounds)
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  return `SELECT * FROM ${table}${where} ORDER BY time`
}

/** SQL cannot read moments written down that lie near the ends of what nanoseconds can tell. */
const writtenMin = parseTime('1678-01-01T00:00:00Z')
const writtenMax = parseTime('2262-01-01T00:00:00Z')

/** A bound that cannot be written is left to `range`, which looks at all rows again. */
function boundConditions({ startNs, stopNs }: TimeBounds): string[] {
  const conditions: string[] = []
  if (startNs > writtenMin && startNs < writtenMax) {
    conditions.push(`time >= '${rfc3339Text(startNs)}'`)
  }
  if (stopNs > writtenMin && stopNs < writtenMax) {
    conditions.push(`time < '${rfc3339Text(stopNs)}'`)
  }
  return conditions
}

async function* answerTables(
  { reference, query, nameOf }: Question,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const batches = batchesOf(context.scope.sql(reference, query, context.signal))
  try {
    const first = await batches.next()
    if (first.done === true) return
    const columns = tableColumns(first.value, nameOf)
    // An answer without rows is no table.
    if (first.value.rowCount === 0) return
    yield { key: emptyKey, columns, chunks: () => chunksOf(first.value, batches, context) }
  } finally {
    await batches.return()
  }
}

async function* batchesOf(
  pieces: AsyncIterable<ResultPiece>,
): AsyncGenerator<ResultBatch, void, void> {
  for await (const piece of pieces) {
    if (piece.kind === 'failure') throw piece.error
    if (piece.kind === 'batch') yield piece
  }
}

async function* chunksOf(
  first: ResultBatch,
  rest: AsyncGenerator<ResultBatch, void, void>,
  { memory, signal }: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  for (let batch: ResultBatch | undefined = first; batch !== undefined; ) {
    signal.throwIfAborted()
    yield* lentChunk(chunkOf(batch), memory)
    const next = await rest.next()
    batch = next.done === true ? undefined : next.value
  }
}
