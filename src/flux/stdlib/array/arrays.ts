// Arrays: a table from an array of records, and arrays from arrays. Functions of a script are called
// element by element.

import type { MaybePromise } from '../../../platform/pull-stream.js'
import type { TableColumn } from '../../../query/table.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import { chunkBytes } from '../../table/cells.js'
import type { Table } from '../../table/table.js'
import { tableOf } from '../../table/table.js'
import { ValuesBuilder } from '../../table/values-builder.js'
import { FluxError } from '../../value/error.js'
import { emptyKey } from '../../value/key.js'
import { checkArrayLength } from '../../value/size.js'
import { typeName, typeText } from '../../value/type-name.js'
import type { PositionalCall } from '../../value/value.js'
import { type FluxArray, FluxRecord, type FluxValue } from '../../value/value.js'

export const arrays: Definitions = {
  from: native('(<-rows: [A]) => stream[A] where A: Record', tableFromRows),
  concat: native('(<-arr: [A], v: [A]) => [A]', concatenate),
  map: native('(<-arr: [A], fn: (x: A) => B) => [B]', mapElements),
  filter: native('(<-arr: [A], fn: (x: A) => bool) => [A]', filterElements),
}

function tableFromRows(call: Call): FluxValue {
  const rows = call.required('rows')
  if (!Array.isArray(rows)) {
    throw new FluxError(`row data must be an array of records, got ${typeName(rows)}`)
  }
  if (rows.length === 0) throw new FluxError('rows must be non-empty')
  return call.node([], async function* (_, context) {
    const table = tableOfRecords(rows)
    const [chunk] = table.chunks() as Iterable<Parameters<typeof chunkBytes>[0]>
    const bytes = chunkBytes(chunk)
    context.memory.take(bytes)
    yield table
    context.memory.release(bytes)
  })
}

/** Columns in the order in which the records name them. */
function tableOfRecords(rows: FluxArray): Table {
  const builders = new Map<string, ValuesBuilder>()
  for (const [i, row] of rows.entries()) {
    if (!(row instanceof FluxRecord)) {
      throw new FluxError(`row data must be an array of records, got ${typeName(row)}`)
    }
    for (const name of row.names()) {
      if (!builders.has(name)) builders.set(name, newBuilder(name, i))
    }
    for (const [name, builder] of builders) builder.push(row.get(name) ?? null)
  }
  const columns: TableColumn[] = []
  const cells = []
  for (const [name, builder] of builders) {
    const type = builder.type ?? 'string'
    columns.push({ name, type })
    cells.push(builder.finish(type))
  }
  return tableOf(emptyKey, columns, [{ rowCount: rows.length, columns: cells }])
}

function newBuilder(name: string, rowsBefore: number): ValuesBuilder {
  const builder = new ValuesBuilder(name, undefined, unsupported)
  for (let i = 0; i < rowsBefore; i++) builder.push(null)
  return builder
}

function unsupported(_: string, value: FluxValue): FluxError {
  return new FluxError(`cannot represent the type ${typeText(value)} as column data`)
}

function concatenate(call: Call): FluxValue {
  const [arr, v] = [call.array('arr'), call.array('v')]
  checkArrayLength(arr.length + v.length)
  return [...arr, ...v]
}

function mapElements(call: Call): MaybePromise<FluxValue> {
  return collect(call.array('arr'), call.function('fn').prepare(['x']), (result, _, chosen) => {
    chosen.push(result)
  })
}

function filterElements(call: Call): MaybePromise<FluxValue> {
  const keep: Choose = (result, element, chosen) => {
    if (result === true) chosen.push(element)
  }
  return collect(call.array('arr'), call.function('fn').prepare(['x']), keep)
}

/** Adds what is to be kept of an element and what the function says to it. */
type Choose = (result: FluxValue, element: FluxValue, chosen: FluxValue[]) => void

/** Element by element; waits only where the function must. */
function collect(elements: FluxArray, fn: PositionalCall, choose: Choose): MaybePromise<FluxValue> {
  const chosen: FluxValue[] = []
  for (let i = 0; i < elements.length; i++) {
    const result = fn([elements[i]])
    if (result instanceof Promise) return collectRest(elements, fn, choose, chosen, i, result)
    choose(result, elements[i], chosen)
  }
  return chosen
}

async function collectRest(
  elements: FluxArray,
  fn: PositionalCall,
  choose: Choose,
  chosen: FluxValue[],
  at: number,
  pending: Promise<FluxValue>,
): Promise<FluxValue> {
  choose(await pending, elements[at], chosen)
  for (let i = at + 1; i < elements.length; i++) {
    const result = fn([elements[i]])
    choose(result instanceof Promise ? await result : result, elements[i], chosen)
  }
  return chosen
}
