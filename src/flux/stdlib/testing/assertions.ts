// Assertions over streams: they let tables through, and
// end the query where they do not hold.

import type { FluxContext } from '../../context/context.js'
import type { StreamNode } from '../../node/node.js'
import { type Call, type Definitions, native, transformation } from '../../package/define.js'
import type { Table, TableStream } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { collectSide, comparedColumns, isRowEqual, type Side } from '../experimental/comparison.js'

export const assertions: Definitions = {
  assertEquals: native(
    '(name: string, <-got: stream[A], want: stream[A]) => stream[A]',
    assertEquals,
  ),
  assertEmpty: transformation(
    '(<-tables: stream[A]) => stream[A]',
    () => (input) => assertEmpty(input),
  ),
}

function assertEquals(call: Call): StreamNode {
  const name = call.string('name')
  const inputs = [call.stream('got'), call.stream('want')]
  return call.node(inputs, ([got, want], context) => compare(name, got, want, context))
}

async function* compare(
  name: string,
  got: TableStream,
  want: TableStream,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const wanted = new Map<string, Side>()
  for await (const table of want) {
    wanted.set(table.key.text, await collectSide(table, context.memory))
  }
  const wantedCount = wanted.size
  let gotCount = 0
  for await (const table of got) {
    gotCount++
    const side = await collectSide(table, context.memory)
    const other = wanted.get(table.key.text)
    wanted.delete(table.key.text)
    if (other === undefined) continue
    if (!isEqual(other, side)) throw new FluxError(`test ${name}: tables not equal`)
    context.memory.release(other.bytes)
    yield { key: side.key, columns: side.columns, chunks: () => [side.rows] }
    context.memory.release(side.bytes)
  }
  if (gotCount !== wantedCount) {
    throw new FluxError('assertEquals streams had unequal table counts')
  }
  if (wanted.size > 0) throw new FluxError(`test ${name}: unequal group key sets`)
}

function isEqual(want: Side, got: Side): boolean {
  const { rowCount } = want.rows
  if (rowCount !== got.rows.rowCount || want.columns.length !== got.columns.length) return false
  const columns = comparedColumns(want, got)
  for (let row = 0; row < rowCount; row++) if (!isRowEqual(columns, row, row, 0)) return false
  return true
}

async function* assertEmpty(input: TableStream): AsyncGenerator<Table, void, void> {
  let fullCount = 0
  for await (const table of input) {
    let rowCount = 0
    for await (const chunk of table.chunks()) rowCount += chunk.rowCount
    if (rowCount > 0) fullCount++
    else yield { key: table.key, columns: table.columns, chunks: () => [] }
  }
  if (fullCount > 0) throw new FluxError(`found ${fullCount} tables that were not empty`)
}
