// The package `internal/debug`: for scripts that test the language. Streams pass through unchanged, or end;
// what the planner knows of them ends there.

import type { MaybePromise } from '../../../../platform/pull-stream.js'
import {
  type Call,
  type Definition,
  type Definitions,
  native,
  transformation,
} from '../../../package/define.js'
import { eachChunk } from '../../../table/numbers.js'
import type { Table, TableStream } from '../../../table/table.js'
import { FluxError } from '../../../value/error.js'
import { type FluxValue, whenReady } from '../../../value/value.js'

function through(result: string): Definition {
  const type = `(<-tables: stream[A]) => stream[${result}] where A: Record, B: Record`
  return transformation(type, () => (input) => input)
}

/** Everything is read, and nothing comes out. */
async function* swallow(input: TableStream): AsyncGenerator<Table, void, void> {
  for await (const table of input) await eachChunk(table, () => undefined)
}

const nullTypes = new Set([
  ...['string', 'bytes', 'int', 'uint', 'float', 'bool', 'time', 'duration', 'regexp'],
])

export const debugBuiltins: Definitions = {
  pass: through('A'),
  opaque: through('B'),
  slurp: through('A'),
  sink: transformation('(<-tables: stream[A]) => stream[A] where A: Record', () => swallow),
  getOption: native('(pkg: string, name: string) => A', getOption),
  // Nothing here depends on switches.

  feature: native('(key: string) => A', () => null),
  null: native('(?type: string) => A where A: Basic', nothing),
}

function getOption(call: Call): MaybePromise<FluxValue> {
  const found = (value: FluxValue | undefined): FluxValue => {
    if (value === undefined) throw new FluxError('option does not exist')
    return value
  }
  const option = call.context.option(call.string('pkg'), call.string('name'))
  return whenReady(option, found)
}

function nothing(call: Call): FluxValue {
  const type = call.string('type', 'string')
  if (!nullTypes.has(type)) throw new FluxError(`Invalid null type \`${type}\``)
  return null
}
