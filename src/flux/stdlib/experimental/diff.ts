// `experimental.diff`, on which `testing.diff` rests: tables of two streams with the same key compared
// row by row. Equal tables give nothing; others a table of all rows with `-` (only wanted), `+` (only
// got) or nothing before them, in the order of a longest common subsequence.

import { type Chunk, cellAt } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import type { StreamNode } from '../../node/node.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import { constantCells } from '../../table/cells.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { type Table, type TableStream, tableOf } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import type { GroupKey } from '../../value/key.js'
import {
  type Compared,
  collectSide,
  comparedColumns,
  diffColumn,
  emptySide,
  isRowEqual,
  type Side,
} from './comparison.js'

const epsilon = 1e-6
/** Beyond so many pairs of rows they are not matched one by one: all of one side, then all of the other. */
const pairsMax = 25_000_000

export const diffs: Definitions = {
  diff: native('(<-got: stream[A], want: stream[A]) => stream[{A with _diff: string}]', diff),
}

function diff(call: Call): StreamNode {
  return call.node([call.stream('want'), call.stream('got')], ([want, got], context) =>
    compareStreams(want, got, context),
  )
}

async function* compareStreams(
  want: TableStream,
  got: TableStream,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const wanted = new Map<string, Side>()
  for await (const table of want)
    wanted.set(table.key.text, await collectSide(table, context.memory))
  for await (const table of got) {
    const side = await collectSide(table, context.memory)
    const other = wanted.get(table.key.text)
    wanted.delete(table.key.text)
    const result = compareTables(other ?? emptySide(side), side, context)
    if (result !== undefined) yield result
    context.memory.release(side.bytes + (other?.bytes ?? 0))
  }
  for (const side of wanted.values()) {
    const result = compareTables(side, emptySide(side), context)
    if (result !== undefined) yield result
    context.memory.release(side.bytes)
  }
}

function compareTables(want: Side, got: Side, context: FluxContext): Table | undefined {
  const { key } = want
  if (key.has(diffColumn.name)) throw new FluxError('group key cannot contain _diff column')
  const columns = comparedColumns(want, got)
  const wantCount = want.rows.rowCount
  const gotCount = got.rows.rowCount
  const isEqual = (i: number, j: number): boolean => isRowEqual(columns, i, j, epsilon)
  let head = 0
  while (head < wantCount && head < gotCount && isEqual(head, head)) head++
  if (head === wantCount && head === gotCount) return undefined
  let tail = 0
  while (
    head + tail < Math.min(wantCount, gotCount) &&
    isEqual(wantCount - 1 - tail, gotCount - 1 - tail)
  ) {
    tail++
  }
  const rows = new DiffRows(key, columns)
  for (let i = 0; i < head; i++) rows.add('', i)
  matchRows(rows, head, wantCount - tail, gotCount - tail, isEqual, context)
  for (let i = wantCount - tail; i < wantCount; i++) rows.add('', i)
  return rows.finish()
}

const fromLeft = 1
const fromTop = 2
const matched = 3

/** Rows `start` up to the two ends, by a longest common subsequence. */
function matchRows(
  rows: DiffRows,
  start: number,
  wantEnd: number,
  gotEnd: number,
  isEqual: (i: number, j: number) => boolean,
  { memory }: FluxContext,
): void {
  const width = wantEnd - start + 1
  const height = gotEnd - start + 1
  const isTooMuch = width * height > pairsMax
  const bytes = isTooMuch ? 0 : width * height
  memory.take(bytes)
  const parents = new Uint8Array(bytes)
  if (!isTooMuch) fillParents(parents, width, height, (x, y) => isEqual(start + x, start + y))
  const steps: number[] = []
  let x = width - 1
  let y = height - 1
  while (x > 0 || y > 0) {
    const parent = isTooMuch ? 0 : parents[y * width + x]
    const step =
      parent === matched ? matched : x > 0 && (y === 0 || parent === fromLeft) ? fromLeft : fromTop
    steps.push(step)
    if (step !== fromTop) x--
    if (step !== fromLeft) y--
  }
  memory.release(bytes)
  let i = start
  let j = start
  for (const step of steps.reverse()) {
    if (step === fromTop) rows.add('+', j++)
    else rows.add(step === matched ? '' : '-', i++)
    if (step === matched) j++
  }
}

function fillParents(
  parents: Uint8Array,
  width: number,
  height: number,
  isEqual: (x: number, y: number) => boolean,
): void {
  let above = new Uint32Array(width)
  let lengths = new Uint32Array(width)
  for (let y = 1; y < height; y++) {
    for (let x = 1; x < width; x++) {
      const at = y * width + x
      if (isEqual(x - 1, y - 1)) {
        parents[at] = matched
        lengths[x] = above[x - 1] + 1
      } else {
        parents[at] =
          above[x] === lengths[x - 1] ? 0 : above[x] > lengths[x - 1] ? fromTop : fromLeft
        lengths[x] = Math.max(above[x], lengths[x - 1])
      }
    }
    ;[above, lengths] = [lengths, above]
    lengths[0] = 0
  }
}

class DiffRows {
  readonly #key: GroupKey
  readonly #compared: readonly Compared[]
  readonly #signs = new CellsBuilder('string')
  readonly #builders: readonly CellsBuilder[]

  constructor(key: GroupKey, compared: readonly Compared[]) {
    this.#key = key
    this.#compared = compared
    this.#builders = compared.map(({ type }) => new CellsBuilder(type))
  }

  add(sign: '' | '-' | '+', row: number): void {
    this.#signs.push(sign)
    for (const [i, { want, got }] of this.#compared.entries()) {
      const cells = sign === '+' ? got : want
      this.#builders[i].push(cells === undefined ? null : cellAt(cells, row))
    }
  }

  finish(): Table {
    const { entries } = this.#key
    const columns = [
      diffColumn,
      ...entries.map(({ name, type }) => ({ name, type })),
      ...this.#compared.map(({ name, type }) => ({ name, type })),
    ]
    const rowCount = this.#signs.count
    const cells = [
      this.#signs.finish(),
      ...entries.map(({ type, value }) => constantCells(type, value)),
      ...this.#builders.map((builder) => builder.finish()),
    ]
    const rows: Chunk = { rowCount, columns: cells }
    return tableOf(this.#key, columns, [rows])
  }
}
