// Rules for functions that only change the columns of tables: what they say is done as the tables of a
// read are built, so that a column that is left out is never made, and arithmetic is applied to the
// arrays as they come.

import type { CellType, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { areColumnsAllowed } from '../../table/column-expression.js'
import { changedTables } from '../storage/changed-tables.js'
import { columnPlan, type SettledStep } from '../storage/column-plan.js'
import {
  type ChooseStep,
  type ColumnStep,
  changesOneOf,
  chooseStep,
  columnsRead,
  type MapStep,
  mapStep,
} from '../storage/column-step.js'
import { makesGroup } from '../storage/group-columns.js'
import { reservedNames } from '../storage/series-columns.js'
import type { TableSource } from '../storage/table-source.js'
import type { Planned, Rule, Shape } from './shape.js'

type TablesShape = Shape & { readonly kind: 'tables' }

function tablesOf(input: Shape): TablesShape | undefined {
  if (input.kind === 'tables') return input
  if (input.kind !== 'rows') return undefined
  return { kind: 'tables', source: { kind: 'rows', read: input.read }, steps: [] }
}

function withStep(
  { source, steps }: TablesShape,
  step: ColumnStep,
  context: FluxContext,
  groups?: TablesShape['groups'],
): Planned {
  const all = [...steps, step]
  return {
    shape: { kind: 'tables', source, steps: all, groups },
    run: (general) => changedTables(source, all, context, general),
  }
}

/** `keep` and `drop`. */
export const chooseRule: Rule = (node, input, context) => {
  const tables = tablesOf(input)
  const step = tables === undefined ? undefined : chooseStep(node)
  if (tables === undefined || step === undefined) return undefined
  return withStep(tables, step, context, groupsOf(input, step))
}

/** undefined: more than columns of the key goes. */
function groupsOf(input: Shape, { columns: names, keeps }: ChooseStep): TablesShape['groups'] {
  if (input.kind !== 'rows' || typeof names === 'function') return undefined
  const columns = { names, isExcept: !keeps, isCut: true }
  const needed = ['_start', '_stop', '_time', '_value']
  if (!needed.every((name) => makesGroup(columns, name))) return undefined
  return { read: input.read, columns }
}

/** `map` whose record can be worked out column by column, for some type of value at least. */
export const mapRule: Rule = async (node, input, context) => {
  const tables = tablesOf(input)
  const step = tables === undefined ? undefined : mapStep(node)
  if (tables === undefined || step === undefined) return undefined
  if (!(await areColumnsAllowed(context)) || !canBeTaken([...tables.steps, step])) return undefined
  if (isSeries(tables.source) && tables.steps.length === 0 && changesOneOf(step, keyOfSeries)) {
    return undefined
  }
  return withStep(tables, step, context)
}

/** In the key of every series; what else is, tags and columns of groups, is looked at when the query runs. */
const keyOfSeries: ReadonlySet<string> = new Set(['_start', '_stop', '_field', '_measurement'])

function isSeries({ kind }: TableSource): boolean {
  return kind === 'rows' || kind === 'bare' || kind === 'windows'
}

const valueTypes: readonly CellType[] = ['float', 'int', 'uint', 'bool', 'string']

function canBeTaken(steps: readonly ColumnStep[]): boolean {
  const maps = steps.filter((step): step is MapStep => step.kind === 'map')
  const read = new Set(maps.flatMap((step) => [...columnsRead(step)]))
  const set = new Set(maps.flatMap((step) => [...step.sets]))
  const tags = [...read].filter((name) => !set.has(name) && !reservedNames.has(name))
  const settled = steps.map(supposed)
  return valueTypes.some((type) => columnPlan(settled, likelyColumns(type, tags)) !== undefined)
}

/** What a function says of columns is not asked here: it may keep all. */
function supposed(step: ColumnStep): SettledStep {
  if (step.kind === 'map') return step
  const { columns, keeps } = step
  if (typeof columns === 'function') return { kind: 'choose', isKept: () => true }
  return { kind: 'choose', isKept: (name) => columns.has(name) === keeps }
}

function likelyColumns(type: CellType, tags: readonly string[]): readonly TableColumn[] {
  const texts = ['_field', '_measurement', ...tags]
  return [
    ...['_start', '_stop', '_time'].map((name): TableColumn => ({ name, type: 'time' })),
    { name: '_value', type },
    ...texts.map((name): TableColumn => ({ name, type: 'string' })),
  ]
}
