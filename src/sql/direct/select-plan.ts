// What a plain query is over the store: one read, and which of its columns the answer is made of. The store filters,
// groups and aggregates; nothing is computed from its rows but their order. A query that is more than that has no plan
// here, and DuckDB carries it out.

import type { FieldType } from '../../column/column.js'
import { floorDiv } from '../../column/time.js'
import type { ColumnRole } from '../../query/language.js'
import type { Aggregate, AggregateFunction, PrepareRequest } from '../../store/store.js'
import type { TimeBound } from '../plan/conditions.js'
import type { TableColumn, TableSchema } from '../plan/schema.js'
import { groupExpressions } from '../statement/groups.js'
import { intervalOf } from '../statement/intervals.js'
import { outsideName } from '../statement/names.js'
import type { TableUse } from '../statement/table-uses.js'
import { fingerprint, type TreeNode, textValue, wholeNumber } from '../statement/tree.js'
import { exactConditions } from './exact-conditions.js'
import { momentOf } from './moments.js'

/** Where a column of the answer comes from, in a batch of the store. */
export type Source =
  | { readonly kind: 'time' }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'field'; readonly field: string; readonly type: FieldType }
  /** Of a window: the aggregate at this place; counts are never null. */
  | {
      readonly kind: 'aggregate'
      readonly at: number
      readonly type: FieldType
      readonly isCount: boolean
    }
  /** When the point of the aggregate at this place was. */
  | { readonly kind: 'point-time'; readonly at: number }

export interface OrderKey {
  readonly source: Source
  readonly isDescending: boolean
  readonly nullsFirst: boolean
}

export interface SelectPlan {
  readonly columnNames: readonly string[]
  readonly columnRoles: readonly ColumnRole[]
  readonly sources: readonly Source[]
  readonly order: readonly OrderKey[]
  readonly limit: number
  readonly offset: number
  readonly bounds: readonly TimeBound[]
  readonly read: Omit<PrepareRequest, 'bucket' | 'measurement'>
  /** It has one row whatever is read: aggregates without groups. */
  readonly isOneRow: boolean
}

/** Undefined where the query is not of this kind. */
export function planSelect(
  use: TableUse,
  schema: TableSchema,
  now: bigint,
): SelectPlan | undefined {
  return new Planner(use, schema, now).plan()
}

class NoPlan extends Error {}

/** Some 26 days: the starts of neighbouring windows are in reach of one base (`TimeColumn`). */
const widthMaxNs = 2n ** 51n

interface Window {
  readonly everyNs?: bigint
  readonly offsetNs?: bigint
}

class Planner {
  readonly #query: TreeNode
  readonly #use: TableUse
  readonly #schema: TableSchema
  readonly #now: bigint
  readonly #aggregates: Aggregate[] = []
  #hasPointTimes = false

  constructor(use: TableUse, schema: TableSchema, now: bigint) {
    this.#query = use.query!
    this.#use = use
    this.#schema = schema
    this.#now = now
  }

  plan(): SelectPlan | undefined {
    const conditions = exactConditions(this.#query.where_clause, this.#columnOf)
    if (conditions === undefined) return undefined
    try {
      const groups = groupExpressions(this.#query, (name) =>
        this.#schema.columns.some(({ insideName }) => insideName === name),
      )
      const items = (this.#query.select_list ?? []).flatMap((item) => this.#expanded(item))
      const isGrouped = groups.length > 0 || items.some(isCall)
      const sources = items.map((item) =>
        isGrouped ? this.#groupedSource(item, groups) : this.#rowSource(item),
      )
      const columnNames = items.map((item) => this.#nameOf(item))
      if (new Set(columnNames.map((name) => name.toLowerCase())).size < items.length)
        return undefined
      const order = this.#order(items, sources, isGrouped)
      const { bounds, predicate } = conditions
      const read = isGrouped
        ? this.#windows(groups)
        : this.#rows([...sources, ...order.map(({ source }) => source)], conditions)
      return {
        columnNames,
        columnRoles: items.map((item) => this.#columnOf(item)?.kind),
        sources,
        order,
        ...this.#limits(),
        bounds,
        read: { ...read, predicate },
        isOneRow: isGrouped && groups.length === 0,
      }
    } catch (error) {
      if (error instanceof NoPlan) return undefined
      throw error
    }
  }

  readonly #columnOf = (node: TreeNode | undefined): TableColumn | undefined => {
    if (node?.class !== 'COLUMN_REF') return undefined
    const [name, table, ...more] = [...node.column_names!].reverse()
    const isOurs = more.length === 0 && (table === undefined || table === this.#use.alias)
    return isOurs ? this.#schema.columns.find(({ insideName }) => insideName === name) : undefined
  }

  /** `*` is all columns. */
  #expanded(item: TreeNode): TreeNode[] {
    if (item.class !== 'STAR') return [item]
    return this.#schema.columns.map(({ insideName }) => ({
      class: 'COLUMN_REF',
      type: 'COLUMN_REF',
      alias: '',
      column_names: [insideName],
    }))
  }

  #nameOf(item: TreeNode): string {
    const name = item.alias || this.#columnOf(item)?.name
    if (name === undefined) throw new NoPlan()
    return outsideName(name)
  }

  #rowSource(item: TreeNode): Source {
    const column = this.#columnOf(item)
    switch (column?.kind) {
      case 'time':
        return { kind: 'time' }
      case 'tag':
        return { kind: 'tag', tag: column.name }
      case 'field':
        return { kind: 'field', field: column.name, type: column.type }
    }
    throw new NoPlan()
  }

  #groupedSource(item: TreeNode, groups: readonly TreeNode[]): Source {
    if (item.function_name !== 'date_bin' && isCall(item)) return this.#aggregate(item)
    const print = fingerprint(item)
    if (!groups.some((group) => fingerprint(group) === print)) throw new NoPlan()
    return item.function_name === 'date_bin' ? { kind: 'time' } : this.#rowSource(item)
  }

  #aggregate(item: TreeNode): Source {
    if (item.type === 'ARRAY_EXTRACT') return this.#selected(item)
    const field = this.#fieldOf(item)
    const isNumber = ['float', 'integer', 'unsigned'].includes(field.type)
    switch (item.function_name) {
      case 'count':
        return this.#value(field.name, 'count', 'integer')
      case 'avg':
      case 'mean':
        if (isNumber) return this.#value(field.name, 'mean', 'float')
        break
      case 'sum':
        if (isNumber && field.type !== 'unsigned') return this.#value(field.name, 'sum', field.type)
        break
      case 'min':
      case 'max':
        if (isNumber) return this.#value(field.name, item.function_name, field.type)
    }
    throw new NoPlan()
  }

  /** `selector_last(f, time)['value']`. */
  #selected(item: TreeNode): Source {
    const [selector, part] = item.children!
    const field = this.#fieldOf(selector)
    const name = /^selector_(first|last|min|max)$/.exec(selector.function_name!)?.[1]
    const time = this.#columnOf(selector.children![1])
    const isSelector = name !== undefined && time?.kind === 'time'
    if (!isSelector || (/m/.test(name) && !['float', 'integer', 'unsigned'].includes(field.type))) {
      throw new NoPlan()
    }
    const value = this.#value(field.name, name as AggregateFunction, field.type)
    if (textValue(part) === 'value') return value
    if (textValue(part) !== 'time') throw new NoPlan()
    this.#hasPointTimes = true
    return { kind: 'point-time', at: value.at }
  }

  #fieldOf({ children = [], function_name }: TreeNode): Extract<TableColumn, { kind: 'field' }> {
    const expected = function_name!.startsWith('selector_') ? 2 : 1
    const column = this.#columnOf(children[0])
    if (column?.kind !== 'field' || children.length !== expected) throw new NoPlan()
    return column
  }

  #value(field: string, name: AggregateFunction, type: FieldType) {
    let at = this.#aggregates.findIndex((each) => each.field === field && each.function === name)
    if (at < 0) at = this.#aggregates.push({ field, function: name }) - 1
    return { kind: 'aggregate', at, type, isCount: name === 'count' } as const
  }

  #windows(groups: readonly TreeNode[]): SelectPlan['read'] {
    if (this.#aggregates.length === 0) throw new NoPlan()
    const bins = groups.filter(({ class: kind }) => kind !== 'COLUMN_REF')
    const groupBy = groups.flatMap((group) => {
      const column = this.#columnOf(group)
      if (column === undefined && !bins.includes(group)) throw new NoPlan()
      if (column !== undefined && column.kind !== 'tag') throw new NoPlan()
      return column === undefined ? [] : [column.name]
    })
    if (bins.length > 1 || new Set(groupBy).size < groupBy.length) throw new NoPlan()
    const window = bins.length === 0 ? {} : this.#windowOf(bins[0])
    this.#countAll()
    return {
      window: {
        ...window,
        aggregates: this.#aggregates,
        groupBy,
        refusesOverflow: true,
        pointTimes: this.#hasPointTimes,
      },
    }
  }

  #windowOf(bin: TreeNode): Window {
    const [interval, time, origin, ...more] = bin.children ?? []
    const isBin = bin.function_name === 'date_bin' && this.#columnOf(time)?.kind === 'time'
    const width = isBin && more.length === 0 ? intervalOf(interval) : undefined
    if (width === undefined || width.months !== 0n || width.ns <= 0n) throw new NoPlan()
    if (width.ns > widthMaxNs) throw new NoPlan()
    const start = origin === undefined ? 0n : momentOf(origin, this.#now)
    if (start === undefined) throw new NoPlan()
    return { everyNs: width.ns, offsetNs: start - floorDiv(start, width.ns) * width.ns }
  }

  /** Also fields that the query does not name: a bin with points is a row, whatever values they have. */
  #countAll(): void {
    const named = new Set(this.#aggregates.map(({ field }) => field))
    for (const { kind, name } of this.#schema.columns) {
      if (kind === 'field' && !named.has(name)) this.#value(name, 'count', 'integer')
    }
  }

  #rows(
    sources: readonly Source[],
    conditions: { readonly needsValue: boolean; readonly fields: readonly string[] },
  ): SelectPlan['read'] {
    const named = sources.flatMap((each) => (each.kind === 'field' ? [each.field] : []))
    const fields = [...new Set([...named, ...conditions.fields])]
    return { fields, everyRow: !conditions.needsValue }
  }

  #order(items: readonly TreeNode[], sources: readonly Source[], isGrouped: boolean): OrderKey[] {
    const modifier = this.#query.modifiers?.find(({ type }) => type === 'ORDER_MODIFIER')
    return (modifier?.orders ?? []).map(({ type, null_order, expression }) => {
      const isDescending = type === 'DESCENDING'
      const isDefault = null_order === 'ORDER_DEFAULT'
      return {
        source: this.#ordered(expression, items, sources, isGrouped),
        isDescending,
        nullsFirst: isDefault ? isDescending : null_order === 'NULLS_FIRST',
      }
    })
  }

  /** By a place in the select list, a name of it, the same expression, or a column of the table. */
  #ordered(
    expression: TreeNode,
    items: readonly TreeNode[],
    sources: readonly Source[],
    isGrouped: boolean,
  ): Source {
    const place = wholeNumber(expression)
    if (place !== undefined) {
      const source = sources[Number(place) - 1]
      if (source === undefined) throw new NoPlan()
      return source
    }
    const name = expression.column_names?.length === 1 ? expression.column_names[0] : undefined
    const print = fingerprint(expression)
    const named = name === undefined ? -1 : items.findIndex(({ alias }) => alias === name)
    const same = items.findIndex((item) => fingerprint(item) === print)
    // A name of the select list that is another column's, too, means either.
    if (named >= 0 && same !== named && this.#columnOf(expression) !== undefined) throw new NoPlan()
    const at = named >= 0 ? named : same
    if (at >= 0) return sources[at]
    if (isGrouped) throw new NoPlan()
    return this.#rowSource(expression)
  }

  #limits(): { limit: number; offset: number } {
    const modifier = this.#query.modifiers?.find(({ type }) => type === 'LIMIT_MODIFIER') as
      | { limit: TreeNode | null; offset: TreeNode | null }
      | undefined
    const number = (node: TreeNode | null | undefined, absent: number) =>
      node == null ? absent : Number(wholeNumber(node))
    return {
      limit: number(modifier?.limit, Number.POSITIVE_INFINITY),
      offset: number(modifier?.offset, 0),
    }
  }
}

function isCall(node: TreeNode): boolean {
  return node.class === 'FUNCTION' || node.type === 'ARRAY_EXTRACT'
}
