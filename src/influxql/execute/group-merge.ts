// Brings the groups of several sources into one order. Groups with the same name and tags become one:
// their rows are put in time order, which needs all of them at once.

import type { Column } from '../../column/column.js'
import { isNear, timeAt } from '../../column/time.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import { compareGroups, type GroupRows, type RowBlock } from './rows.js'

type Groups = AsyncGenerator<GroupRows, void, void>

export async function* mergeGroups(generators: readonly Groups[], ascending: boolean): Groups {
  const heads = await Promise.all(generators.map(async (each) => (await each.next()).value))
  const order = ascending ? 1 : -1
  for (;;) {
    const known = heads.filter((head) => head !== undefined) as GroupRows[]
    if (known.length === 0) return
    const { key } = known.reduce((a, b) => (compareGroups(a.key, b.key) * order <= 0 ? a : b))
    const equal: number[] = []
    for (const [i, head] of heads.entries()) {
      if (head && compareGroups(head.key, key) === 0) equal.push(i)
    }
    if (equal.length === 1) yield heads[equal[0]] as GroupRows
    else
      yield {
        key,
        blocks: inTimeOrder(
          equal.map((i) => heads[i] as GroupRows),
          ascending,
        ),
      }
    for (const i of equal) heads[i] = (await generators[i].next()).value
  }
}

async function* inTimeOrder(
  groups: readonly GroupRows[],
  ascending: boolean,
): AsyncGenerator<RowBlock, void, void> {
  const all: RowBlock[] = []
  for (const { blocks } of groups) for await (const block of blocks) all.push(block)
  yield* sortBlocks(all, ascending)
}

/**
 * All rows of the blocks in time order; rows of equal times stay in the order they came in. Sources may have a column
 * in different types, which InfluxDB shows side by side: then a block ends where the type changes.
 */
export function* sortBlocks(
  blocks: readonly RowBlock[],
  ascending: boolean,
): Generator<RowBlock, void, void> {
  const places: { time: bigint; block: number; row: number }[] = []
  for (const [b, block] of blocks.entries()) {
    for (let row = 0; row < block.count; row++) {
      places.push({ time: timeAt(block.times, row), block: b, row })
    }
  }
  const order = ascending ? 1 : -1
  places.sort((a, b) => (a.time < b.time ? -order : a.time > b.time ? order : 0))
  const kinds = kindsOf(blocks)
  for (let start = 0; start < places.length; ) {
    const { time, block } = places[start]
    const goesOn = (place: (typeof places)[0]) =>
      isNear(place.time, time) && kinds?.[place.block] === kinds?.[block]
    let stop = start + 1
    while (stop < places.length && goesOn(places[stop])) stop++
    yield gather(blocks, places.slice(start, stop))
    start = stop
  }
}

/** The types of each block's columns; undefined: no column has more than one. */
function kindsOf(blocks: readonly RowBlock[]): string[] | undefined {
  const count = blocks[0]?.columns.length ?? 0
  const isMixed = Array.from({ length: count }, (_, c) => {
    const types = new Set(blocks.map(({ columns }) => columns[c]?.type))
    types.delete(undefined)
    return types.size > 1
  })
  if (!isMixed.includes(true)) return undefined
  return blocks.map(({ columns }) => columns.map((column) => column?.type ?? '').join())
}

function gather(
  blocks: readonly RowBlock[],
  places: readonly { time: bigint; block: number; row: number }[],
): RowBlock {
  const [{ time: base }] = places
  const columnCount = blocks[0].columns.length
  const columns: (Column | undefined)[] = []
  for (let c = 0; c < columnCount; c++) {
    const typed = places.find(({ block }) => blocks[block].columns[c] !== undefined)
    const type = typed && blocks[typed.block].columns[c]?.type
    if (type === undefined) {
      columns.push(undefined)
      continue
    }
    const builder = new ColumnBuilder(type, places.length)
    for (const { block, row } of places) {
      const column = blocks[block].columns[c]
      if (column === undefined) builder.pushNull()
      else builder.pushFrom(column, row)
    }
    columns.push(builder.finish())
  }
  const offsets = Float64Array.from(places, ({ time }) => Number(time - base))
  return { count: places.length, times: { base, offsets }, columns }
}
