// What a plain query is over the store: one read, and which of its columns the answer is made of. The store filters,
// groups and aggregates; from its rows only columns are computed, what they must pass, and their order. A query that is
// more than that has no plan here, and DuckDB carries it out.

import type { FieldType } from '../../column/column.js'
import { AggregateList } from '../../query/aggregate-list.js'
import type { ColumnRole } from '../../query/language.js'
import type { AggregateFunction, PrepareRequest } from '../../store/store.js'
import { binOf, windowOfBin } from '../plan/bins.js'
import type { TimeBound } from '../plan/conditions.js'
import { momentOf } from '../plan/moments.js'
import { hasOtherFields, type TableColumn, type TableSchema } from '../plan/schema.js'
import { groupExpressions } from '../statement/groups.js'
import { outsideName } from '../statement/names.js'
import type { TableUse } from '../statement/table-uses.js'
import { fingerprint, type TreeNode, textValue, walk, wholeNumber } from '../statement/tree.js'
import type { ComputedType, Expression } from './computed-column.js'
import { exactConditions } from './exact-conditions.js'
import { readExpression } from './expression-reader.js'

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
  /** Worked out from others. */
  | {
      readonly kind: 'computed'
      readonly type: ComputedType
      readonly inputs: readonly Source[]
      readonly expression: Expression
    }
  /** When the points of the aggregates at these places were: the earliest of them, or the latest. */
  | { readonly kind: 'point-time'; readonly places: readonly number[]; readonly isLatest: boolean }

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
  /** What a row must pass that the store cannot be told. */
  readonly filter: Source | undefined
  /** Something is worked out from the rows, which may turn out to be for an engine. */
  readonly isComputed: boolean
  /** It has one row whatever is read: aggregates without groups. */
  readonly isOneRow: boolean
  /** Nothing else is asked for than this tag: its values, or how many there are. */
  readonly onlyTag: { readonly tag: string; readonly isCounted: boolean } | undefined
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
  readonly #byName: ReadonlyMap<string, TableColumn>
  readonly #now: bigint
  readonly #aggregates = new AggregateList()
  #groups: readonly TreeNode[] = []
  #isGrouped = false
  #hasPointTimes = false
  /** The tag of which different values are counted. */
  #countedTag: string | undefined

  constructor(use: TableUse, schema: TableSchema, now: bigint) {
    this.#query = use.query!
    this.#use = use
    this.#schema = schema
    this.#byName = new Map(schema.columns.map((column) => [column.insideName, column]))
    this.#now = now
  }

  plan(): SelectPlan | undefined {
    const conditions = exactConditions(this.#query.where_clause, this.#columnOf)
    try {
      this.#groups = groupExpressions(this.#query, (name) =>
        this.#schema.columns.some(({ insideName }) => insideName === name),
      )
      const items = (this.#query.select_list ?? []).flatMap((item) => this.#expanded(item))
      this.#isGrouped = this.#groups.length > 0 || items.some(hasAggregate)
      if (this.#isDistinct) this.#groupBy(items)
      const sources = items.map((item) => this.#source(item))
      const columnNames = items.map((item) => this.#nameOf(item))
      if (new Set(columnNames.map((name) => name.toLowerCase())).size < items.length)
        return undefined
      const order = this.#order(items, sources)
      const filter = this.#filter(conditions.rest)
      const used = [...sources, ...order.map(({ source }) => source), ...(filter ? [filter] : [])]
      if (this.#countedTag !== undefined) this.#mustCountOnly(used, order)
      const onlyTag = this.#onlyTag()
      const { bounds, predicate } = conditions
      const read = this.#isGrouped ? this.#windows() : this.#rows(used, conditions)
      return {
        columnNames,
        columnRoles: items.map((item) => this.#columnOf(item)?.kind),
        sources,
        order,
        ...this.#limits(),
        bounds,
        read: { ...read, predicate },
        filter,
        isComputed: used.some(isWorkedOut),
        isOneRow: this.#isGrouped && this.#groups.length === 0,
        onlyTag,
      }
    } catch (error) {
      if (error instanceof NoPlan) return undefined
      throw error
    }
  }

  get #isDistinct(): boolean {
    return this.#query.modifiers?.some(({ type }) => type === 'DISTINCT_MODIFIER') ?? false
  }

  /** Rows that differ are the groups of their columns. */
  #groupBy(items: readonly TreeNode[]): void {
    if (this.#isGrouped) throw new NoPlan()
    this.#groups = items
    this.#isGrouped = true
  }

  readonly #columnOf = (node: TreeNode | undefined): TableColumn | undefined => {
    if (node?.class !== 'COLUMN_REF') return undefined
    const [name, table, ...more] = [...node.column_names!].reverse()
    const isOurs = more.length === 0 && (table === undefined || table === this.#use.alias)
    return isOurs ? this.#byName.get(name) : undefined
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

  #source(item: TreeNode): Source {
    return this.#known(item) ?? this.#computed(item)
  }

  /** What the store gives; undefined: it must be computed. */
  #known(item: TreeNode): Source | undefined {
    return this.#isGrouped ? this.#groupedSource(item) : this.#rowSource(item)
  }

  #computed(item: TreeNode): Source {
    const inputs: Source[] = []
    const expression = readExpression(item, (node) => {
      const source = this.#known(node)
      if (source === undefined) return undefined
      const type = 'type' in source ? source.type : undefined
      if (type !== 'float' && type !== 'integer' && type !== 'boolean') throw new NoPlan()
      // DuckDB goes on with 128 bits.
      if (type === 'integer' && node.function_name === 'sum') throw new NoPlan()
      return { type, place: inputs.push(source) - 1 }
    })
    // What looks at no column is of a type that DuckDB says.
    if (expression === undefined || inputs.length === 0) throw new NoPlan()
    return { kind: 'computed', type: expression.type, inputs, expression }
  }

  /** HAVING, or what of the conditions the store was not told. */
  #filter(rest: readonly TreeNode[]): Source | undefined {
    const { having } = this.#query
    if (having != null && (!this.#isGrouped || this.#groups.length === 0)) throw new NoPlan()
    if (rest.length > 0 && this.#isGrouped) throw new NoPlan()
    const parts = having == null ? rest : [having]
    if (parts.length === 0) return undefined
    const all: TreeNode = { class: 'CONJUNCTION', type: 'CONJUNCTION_AND', children: [...parts] }
    const source = this.#computed(parts.length === 1 ? parts[0] : all)
    if (source.kind !== 'computed' || source.type !== 'boolean') throw new NoPlan()
    return source
  }

  #rowSource(item: TreeNode): Source | undefined {
    const column = this.#columnOf(item)
    switch (column?.kind) {
      case 'time':
        return { kind: 'time' }
      case 'tag':
        return { kind: 'tag', tag: column.name }
      case 'field':
        return { kind: 'field', field: column.name, type: column.type }
    }
    return undefined
  }

  #groupedSource(item: TreeNode): Source | undefined {
    if (isAggregate(item)) return this.#aggregate(item)
    const print = fingerprint(item)
    if (!this.#groups.some((group) => fingerprint(group) === print)) return undefined
    return item.function_name === 'date_bin' ? { kind: 'time' } : this.#rowSource(item)
  }

  #aggregate(item: TreeNode): Source {
    if (item.type === 'ARRAY_EXTRACT') return this.#selected(item)
    if (item.distinct === true) return this.#differentValues(item)
    if (item.function_name === 'count_star') return this.#value('', 'rows', 'integer')
    const isOfTime = this.#columnOf(item.children![0])?.kind === 'time'
    if (isOfTime && /^(min|max)$/.test(item.function_name!)) {
      return this.#rowTime(item.function_name === 'max')
    }
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

  /** `count(DISTINCT tag)`: how many groups there are that have the tag. */
  #differentValues({ children = [] }: TreeNode): Source {
    const column = this.#columnOf(children[0])
    const isOther = this.#countedTag !== undefined && this.#countedTag !== column?.name
    if (column?.kind !== 'tag' || children.length !== 1 || isOther) throw new NoPlan()
    this.#countedTag = column.name
    return { kind: 'aggregate', at: 0, type: 'integer', isCount: true }
  }

  #mustCountOnly(used: readonly Source[], order: readonly OrderKey[]): void {
    const isAlone = this.#groups.length === 0 && this.#aggregates.all.length === 0
    const isPlain = used.every(({ kind }) => kind === 'aggregate') && order.length === 0
    if (!isAlone || !isPlain) throw new NoPlan()
  }

  /** To be asked before rows are counted to find groups. */
  #onlyTag(): SelectPlan['onlyTag'] {
    if (this.#countedTag !== undefined) return { tag: this.#countedTag, isCounted: true }
    if (this.#groups.length !== 1 || this.#aggregates.all.length > 0) return undefined
    const column = this.#columnOf(this.#groups[0])
    return column?.kind === 'tag' ? { tag: column.name, isCounted: false } : undefined
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
    return { kind: 'point-time', places: [value.at], isLatest: false }
  }

  /** Of the first or last row: the store tells when each field has its first or last value. */
  #rowTime(isLatest: boolean): Source {
    const places = this.#schema.columns.flatMap((column) => {
      const name = isLatest ? 'last' : 'first'
      return column.kind === 'field' ? [this.#value(column.name, name, column.type).at] : []
    })
    this.#hasPointTimes = true
    return { kind: 'point-time', places, isLatest }
  }

  #fieldOf({ children = [], function_name }: TreeNode): Extract<TableColumn, { kind: 'field' }> {
    const expected = function_name!.startsWith('selector_') ? 2 : 1
    const column = this.#columnOf(children[0])
    if (column?.kind !== 'field' || children.length !== expected) throw new NoPlan()
    return column
  }

  #value(field: string, name: AggregateFunction, type: FieldType) {
    const at = this.#aggregates.placeOf(field, name)
    const isCount = name === 'count' || name === 'rows'
    return { kind: 'aggregate', at, type, isCount } as const
  }

  #windows(): SelectPlan['read'] {
    const groups = this.#groups
    const bins = groups.filter(({ class: kind }) => kind !== 'COLUMN_REF')
    const groupBy = groups.flatMap((group) => {
      const column = this.#columnOf(group)
      if (column === undefined && !bins.includes(group)) throw new NoPlan()
      if (column !== undefined && column.kind !== 'tag') throw new NoPlan()
      return column === undefined ? [] : [column.name]
    })
    if (bins.length > 1 || new Set(groupBy).size < groupBy.length) throw new NoPlan()
    const window = bins.length === 0 ? {} : this.#windowOf(bins[0])
    if (hasOtherFields(this.#schema, this.#aggregates.all)) this.#value('', 'rows', 'integer')
    return {
      window: {
        ...window,
        aggregates: this.#aggregates.all,
        groupBy: this.#countedTag === undefined ? groupBy : [this.#countedTag],
        refusesOverflow: true,
        pointTimes: this.#hasPointTimes,
      },
    }
  }

  #windowOf(bin: TreeNode): Window {
    const read = binOf(bin, (node) => this.#columnOf(node)?.kind === 'time')
    if (read === undefined || read.widthNs > widthMaxNs) throw new NoPlan()
    const start = read.origin === undefined ? 0n : momentOf(read.origin, this.#now)
    if (start === undefined) throw new NoPlan()
    return windowOfBin(read, start)
  }

  #rows(
    sources: readonly Source[],
    conditions: { readonly needsValue: boolean; readonly fields: readonly string[] },
  ): SelectPlan['read'] {
    const fields = [...new Set([...sources.flatMap(fieldsOf), ...conditions.fields])]
    return { fields, everyRow: !conditions.needsValue }
  }

  #order(items: readonly TreeNode[], sources: readonly Source[]): OrderKey[] {
    const modifier = this.#query.modifiers?.find(({ type }) => type === 'ORDER_MODIFIER')
    return (modifier?.orders ?? []).map(({ type, null_order, expression }) => {
      const isDescending = type === 'DESCENDING'
      const isDefault = null_order === 'ORDER_DEFAULT'
      return {
        source: this.#ordered(expression, items, sources),
        isDescending,
        nullsFirst: isDefault ? isDescending : null_order === 'NULLS_FIRST',
      }
    })
  }

  /** By a place in the select list, a name of it, the same expression, or a column of the table. */
  #ordered(expression: TreeNode, items: readonly TreeNode[], sources: readonly Source[]): Source {
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
    return this.#source(expression)
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

function fieldsOf(source: Source): readonly string[] {
  if (source.kind === 'computed') return source.inputs.flatMap(fieldsOf)
  return source.kind === 'field' ? [source.field] : []
}

const aggregateNames: ReadonlySet<string> = new Set(
  'avg mean sum min max count count_star selector_first selector_last selector_min selector_max'.split(
    ' ',
  ),
)

function isWorkedOut(source: Source): boolean {
  return source.kind === 'computed' || (source.kind === 'point-time' && source.places.length > 1)
}

function isAggregate(node: TreeNode): boolean {
  if (node.type === 'ARRAY_EXTRACT') return true
  return node.class === 'FUNCTION' && aggregateNames.has(node.function_name!)
}

function hasAggregate(item: TreeNode): boolean {
  for (const node of walk(item)) if (isAggregate(node)) return true
  return false
}
