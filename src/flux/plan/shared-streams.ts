// Streams that several functions read. As a rule each of them runs what it reads: to read twice costs
// less than to keep. But what is written must be written once: a stream behind a function that writes
// is worked out for the first that reads it, and its tables are kept for the others.

import type { MemoryMeter } from '../context/memory-meter.js'
import type { StreamNode } from '../node/node.js'
import { collectRows } from '../table/collect.js'
import { type Table, type TableStream, tableOf } from '../table/table.js'

/** All library functions of these names write, into buckets or into databases. */
const writes = /\.(to|wideTo)$/

/** `all`: everything that the results are made of, inputs before what is made of them. */
export function sharedNodes(
  results: readonly StreamNode[],
  all: ReadonlySet<StreamNode>,
): ReadonlySet<StreamNode> {
  const readers = new Map<StreamNode, number>()
  const count = (node: StreamNode) => readers.set(node, (readers.get(node) ?? 0) + 1)
  for (const node of results) count(node)
  const writing = new Set<StreamNode>()
  for (const node of all) {
    for (const input of node.inputs) count(input)
    const isWriting = writes.test(node.operation) || node.inputs.some((each) => writing.has(each))
    if (isWriting) writing.add(node)
  }
  return new Set([...writing].filter((node) => readers.get(node)! > 1))
}

export class SharedStream {
  readonly #source: TableStream
  readonly #memory: MemoryMeter
  #tables: Promise<readonly Table[]> | undefined

  constructor(source: TableStream, memory: MemoryMeter) {
    this.#source = source
    this.#memory = memory
  }

  /** For one reader. What fails fails for all of them. */
  async *tables(): AsyncGenerator<Table, void, void> {
    this.#tables ??= this.#collect()
    yield* await this.#tables
  }

  async #collect(): Promise<readonly Table[]> {
    const tables: Table[] = []
    for await (const table of this.#source) {
      const { rows } = await collectRows(table, this.#memory)
      tables.push(tableOf(table.key, table.columns, [rows]))
    }
    return tables
  }
}
