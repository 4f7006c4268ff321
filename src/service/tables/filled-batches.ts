// Batches with the fields that were defined and never written, which a store leaves out: columns without a value, at
// the places where the request names them.

import type { Batch, BatchField } from '../../column/batch.js'
import type { Column, FieldType } from '../../column/column.js'
import type { MaybePromise, PullStream } from '../../platform/pull-stream.js'
import { resultType } from '../../store/aggregate-types.js'
import type { FieldSchema, PrepareRequest } from '../../store/store.js'

export async function* filled(
  open: () => PullStream<Batch>,
  request: PrepareRequest,
  absent: MaybePromise<readonly FieldSchema[]>,
): AsyncGenerator<Batch, void, undefined> {
  const types = new Map((await absent).map(({ name, type }) => [name, type]))
  for await (const batch of open()) {
    yield types.size === 0 ? batch : withFields(batch, placesOf(batch, request, types))
  }
}

/** A field of the batch by its position, or one that is to be filled in. */
type Place = number | BatchField

function placesOf(
  { fields }: Batch,
  request: PrepareRequest,
  types: ReadonlyMap<string, FieldType>,
): Place[] {
  const { window } = request
  if (window !== undefined) {
    let next = 0
    return window.aggregates.flatMap(({ field: name, function: fn }): Place[] => {
      const type = types.get(name)
      if (type !== undefined) return [{ name, type: resultType(fn, type) }]
      return fields[next]?.name === name ? [next++] : []
    })
  }
  const own = fields.map(({ name }) => name)
  const names = new Set(request.fields ?? [...own, ...types.keys()].sort())
  return [...names].flatMap((name): Place[] => {
    const type = types.get(name)
    if (type !== undefined) return [{ name, type }]
    const at = own.indexOf(name)
    return at < 0 ? [] : [at]
  })
}

function withFields(batch: Batch, places: readonly Place[]): Batch {
  const { fields, columns, pointTimes, rowCount } = batch
  return {
    measurement: batch.measurement,
    rowCount,
    runs: batch.runs,
    times: batch.times,
    fields: places.map((place) => (typeof place === 'number' ? fields[place] : place)),
    columns: places.map((place) =>
      typeof place === 'number' ? columns[place] : emptyColumn(place.type, rowCount),
    ),
    ...(pointTimes === undefined
      ? {}
      : {
          pointTimes: places.map((place) =>
            typeof place === 'number' ? pointTimes[place] : undefined,
          ),
        }),
  }
}

/** As long as the rows, without a value. */
function emptyColumn(type: FieldType, rowCount: number): Column {
  const validity = new Uint8Array(rowCount)
  switch (type) {
    case 'float':
    case 'integer':
    case 'unsigned':
      return { type, values: new Float64Array(rowCount), validity }
    case 'boolean':
      return { type, values: new Uint8Array(rowCount), validity }
    case 'string': {
      const dictionary = { offsets: new Uint32Array(2), bytes: new Uint8Array(0), count: 1 }
      return { type, values: new Uint32Array(rowCount), dictionary, validity }
    }
  }
}
