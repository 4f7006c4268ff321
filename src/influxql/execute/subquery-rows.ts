// What a subquery gives, as rows for the query around it: its columns and the tags it groups by are
// found by name, the condition outside is checked row by row, and its groups are brought into those
// of the query around it.

import type { Column } from '../../column/column.js'
import type { PullStream } from '../../platform/pull-stream.js'
import { constantString } from '../../query/column-builder.js'
import type { PlannedReference, SelectPlan } from '../plan/select-plan.js'
import { columnType } from '../plan/types.js'
import { walkExpression } from '../syntax/walk.js'
import { castColumn } from './cast.js'
import type { ExecuteContext } from './context.js'
import { evaluateMarks, type MaybeColumn } from './evaluate.js'
import { sortBlocks } from './group-merge.js'
import type { RowsRequest } from './measurement-rows.js'
import { pickRows } from './row-picks.js'
import {
  compareGroups,
  type GroupKey,
  type GroupRows,
  groupTags,
  type RowBlock,
  type SelectPiece,
  tagsText,
} from './rows.js'
import { withinLimits } from './series-groups.js'

/** Whether the groups inside are those outside: then limits of their number hold inside. */
export function hasOuterGroups(plan: SelectPlan, dimensions: readonly string[]): boolean {
  return new Set([...plan.dimensions, ...dimensions]).size === dimensions.length
}

/** `pieces`: what the subquery gives when it runs. */
export async function* subqueryRows(
  pieces: PullStream<SelectPiece>,
  plan: SelectPlan,
  request: RowsRequest,
  context: ExecuteContext,
): AsyncGenerator<GroupRows, void, void> {
  if (hasOuterGroups(plan, request.dimensions)) yield* asTheyCome(pieces, plan, request)
  else yield* regrouped(pieces, plan, request, context)
}

async function* asTheyCome(
  pieces: AsyncIterableIterator<SelectPiece>,
  plan: SelectPlan,
  request: RowsRequest,
): AsyncGenerator<GroupRows, void, void> {
  let ahead = await pieces.next()
  while (ahead.done !== true) {
    const { key } = ahead.value
    yield {
      key,
      blocks: (async function* () {
        while (ahead.done !== true && compareGroups(ahead.value.key, key) === 0) {
          yield mapped(ahead.value, plan, request)
          ahead = await pieces.next()
        }
      })(),
    }
    // Whoever gave the group up early must not see the rest of it as a group of its own.
    while (ahead.done !== true && compareGroups(ahead.value.key, key) === 0) {
      ahead = await pieces.next()
    }
  }
}

/** Several groups inside make one outside: their rows are kept until all are known, and put in time order. */
async function* regrouped(
  pieces: AsyncIterableIterator<SelectPiece>,
  plan: SelectPlan,
  request: RowsRequest,
  context: ExecuteContext,
): AsyncGenerator<GroupRows, void, void> {
  const groups = new Map<string, { key: GroupKey; blocks: RowBlock[] }>()
  let bytes = 0
  for await (const piece of pieces) {
    const key = { name: piece.key.name, tags: groupTags(request.dimensions, piece.key.tags) }
    const text = `${key.name}\0${tagsText(key.tags)}`
    const block = mapped(piece, plan, request)
    bytes += block.count * (block.columns.length + 1) * 8
    context.meter.checkMemory(bytes)
    const group = groups.get(text)
    if (group === undefined) groups.set(text, { key, blocks: [block] })
    else group.blocks.push(block)
  }
  const left = withinLimits([...groups.values()], ({ key }) => key, request)
  const sorted = left.sort((a, b) => compareGroups(a.key, b.key))
  for (const { key, blocks } of request.ascending ? sorted : sorted.reverse()) {
    yield { key, blocks: sorting(blocks, request.ascending) }
  }
}

async function* sorting(
  blocks: readonly RowBlock[],
  ascending: boolean,
): AsyncGenerator<RowBlock, void, void> {
  yield* sortBlocks(blocks, ascending)
}

function mapped(piece: SelectPiece, plan: SelectPlan, request: RowsRequest): RowBlock {
  const { block } = piece
  const columns = request.references.map((reference) => columnFor(reference, piece, plan))
  const rows = { ...block, columns }
  if (request.condition === undefined) return rows
  const known = new Map<string, MaybeColumn>()
  walkExpression(request.condition, (node) => {
    if (node.kind === 'reference') {
      const reference = { name: node.name, type: node.type }
      known.set(node.name, conditionColumn(reference, piece, plan))
    }
    return true
  })
  const marks = evaluateMarks(request.condition, {
    column: (name) => known.get(name),
    rowCount: block.count,
  })
  return pickRows(rows, marks)
}

function columnFor(reference: PlannedReference, piece: SelectPiece, plan: SelectPlan): MaybeColumn {
  const at = plan.fieldNames.indexOf(reference.name)
  const { count } = piece.block
  if (at >= 0) return cast(piece.block.columns[at], reference, count)
  if (!plan.dimensions.includes(reference.name)) return undefined
  return tagColumn(reference.name, piece)
}

function cast(column: MaybeColumn, { type }: PlannedReference, count: number): MaybeColumn {
  const wanted = columnType(type)
  if (column === undefined || wanted === undefined) return column
  return castColumn(column, wanted, count) ?? column
}

/** In a condition whatever is no column is taken for a tag, which may be empty. */
function conditionColumn(
  reference: PlannedReference,
  piece: SelectPiece,
  plan: SelectPlan,
): MaybeColumn {
  if (plan.fieldNames.includes(reference.name)) return columnFor(reference, piece, plan)
  return tagColumn(reference.name, piece)
}

function tagColumn(name: string, piece: SelectPiece): Column {
  const value = piece.key.tags.find(({ key }) => key === name)?.value ?? ''
  return constantString(value, piece.block.count)
}
