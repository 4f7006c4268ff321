// The package `csv`: tables from text. Files are not read: a script may not look at the machine it
// runs on.

import type { Chunk } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import { chunkBytes } from '../../table/cells.js'
import type { Table, TableStream } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import type { FluxValue } from '../../value/value.js'
import { readAnnotatedCsv, readRawCsv, type TablesRead } from './annotated.js'

export const csvBuiltins: Definitions = {
  from: native('(?csv: string, ?file: string, ?mode: string) => stream[A] where A: Record', from),
}

function from(call: Call): FluxValue {
  const text = call.string('csv', '')
  const file = call.string('file', '')
  if (text === '' && file === '') throw new FluxError('must provide csv raw text or filename')
  if (text !== '' && file !== '') {
    throw new FluxError('must provide exactly one of the parameters csv or file')
  }
  if (file !== '') throw new FluxError('csv.from() failed to read file: files are not available')
  const read = call.string('mode', 'annotations') === 'raw' ? readRawCsv : readAnnotatedCsv
  return call.node([], (_, context) => metered(read(text), context))
}

async function* metered(tables: TablesRead, { memory, yielder }: FluxContext): TableStream {
  for (;;) {
    const next = nextTable(tables)
    if (next.done === true) return
    if (next.value === undefined) {
      await yielder.yield()
      continue
    }
    let bytes = 0
    for (const chunk of next.value.chunks() as Iterable<Chunk>) bytes += chunkBytes(chunk)
    memory.take(bytes)
    yield next.value
    memory.release(bytes)
  }
}

function nextTable(tables: TablesRead): IteratorResult<Table | undefined, void> {
  try {
    return tables.next()
  } catch (error) {
    if (!(error instanceof FluxError)) throw error
    throw new FluxError(`error in csv.from(): ${error.message}`)
  }
}
