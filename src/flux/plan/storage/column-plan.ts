// Steps that change columns, worked out for tables with certain columns: which columns they come to
// have, what leaves the key, and which columns must be built at all. One plan serves all tables that
// have the same columns.

import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import { constantCells } from '../../table/cells.js'
import { type MappedColumn, mappedColumns, ownColumns } from '../../table/mapped-columns.js'
import type { GroupKey } from '../../value/key.js'
import type { MapStep } from './column-step.js'
import type { StoredRows } from './stored-table.js'

/** A step of which everything is known that can be before a table comes. */
export type SettledStep =
  | MapStep
  /** undefined: it was not known that there is such a column. */
  | { readonly kind: 'choose'; readonly isKept: (name: string) => boolean | undefined }

/** Columns made from those of the stage before; some of them nobody wants. */
interface Stage {
  readonly columns: readonly MappedColumn[]
  readonly isWanted: readonly boolean[]
}

export class ColumnPlan {
  readonly columns: readonly TableColumn[]
  readonly #gone: ReadonlySet<string>
  readonly #stages: readonly Stage[]

  constructor(stages: readonly (readonly MappedColumn[])[], gone: ReadonlySet<string>) {
    this.columns = stages[stages.length - 1].map(({ name, type }) => ({ name, type }))
    this.#gone = gone
    this.#stages = wanted(stages)
  }

  key(key: GroupKey): GroupKey {
    return key.without(this.#gone)
  }

  chunk(rows: StoredRows): Chunk {
    const { rowCount } = rows
    const [first, ...rest] = this.#stages
    let columns = first.columns.map(({ reads }, i) =>
      first.isWanted[i] ? rows.cells(reads[0]) : unwanted,
    )
    for (const stage of rest) {
      const before = { rowCount, columns }
      columns = stage.columns.map((column, i) =>
        stage.isWanted[i] ? column.cells(before) : unwanted,
      )
    }
    return { rowCount, columns }
  }
}

/** In the place of what is never looked at. */
const unwanted: Cells = constantCells('float', null)

/** Of the last stage everything is wanted, of those before what the next looks at. */
function wanted(stages: readonly (readonly MappedColumn[])[]): readonly Stage[] {
  const marked: Stage[] = []
  let isWanted: readonly boolean[] = stages[stages.length - 1].map(() => true)
  for (let i = stages.length - 1; i >= 0; i--) {
    const columns = stages[i]
    marked.unshift({ columns, isWanted })
    const reads = new Set(columns.flatMap((column, at) => (isWanted[at] ? column.reads : [])))
    if (i > 0) isWanted = stages[i - 1].map((_, place) => reads.has(place))
  }
  return marked
}

/** undefined: the functions themselves must be asked. */
export function columnPlan(
  steps: readonly SettledStep[],
  own: readonly TableColumn[],
): ColumnPlan | undefined {
  const stages: (readonly MappedColumn[])[] = []
  const gone = new Set<string>()
  let columns = ownColumns(own)
  for (const step of steps) {
    const before = columns
    if (step.kind === 'choose') {
      const verdicts = before.map(({ name }) => step.isKept(name))
      if (verdicts.includes(undefined)) return undefined
      columns = before.filter((_, i) => verdicts[i])
    } else {
      const mapped = mappedColumns(step.expression, before)
      // Rows that fail are for the function to tell, which is called with them.
      if (mapped === undefined || mapped.canFail) return undefined
      stages.push(before)
      columns = mapped.columns
    }
    // Rows are what columns have: without any there are none, which is not for this way of doing it.
    if (columns.length === 0) return undefined
    const names = new Set(columns.map(({ name }) => name))
    for (const { name } of before) if (!names.has(name)) gone.add(name)
  }
  stages.push(columns)
  return new ColumnPlan(stages, gone)
}
