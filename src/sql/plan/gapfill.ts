// `date_bin_gapfill`: a row for every bin of the WHERE clause's range, in every group, and `locf` and
// `interpolate` for the values that are missing in them. A query with it becomes the query without it, a
// grid of its groups and all bins, both joined, the gaps filled by windows, and the select list over that:
//
//   WITH mr_inner  AS (the query with date_bin, its groups as mr_g0…, its aggregates as mr_v0…),
//        mr_grid   AS (every bin for every group that there is),
//        mr_joined AS (mr_grid LEFT JOIN mr_inner),
//        mr_filled AS (the same and mr_f0…, the filled values)
//   SELECT the original list, in terms of these columns, FROM mr_filled

import { allTime, floorDiv } from '../../column/time.js'
import type { QueryMeter } from '../../query/limits.js'
import type { Session } from '../engine/session.js'
import { aggregates } from '../statement/allowed-functions.js'
import { planningError } from '../statement/failure.js'
import { groupExpressions } from '../statement/groups.js'
import { intervalOf } from '../statement/intervals.js'
import { conjunctsOf } from '../statement/table-uses.js'
import { column, fingerprint, replaceNodes, type TreeNode, walk } from '../statement/tree.js'
import { boundedRange, type Evaluate, timeBounds } from './conditions.js'

export interface GapfillContext {
  readonly session: Session
  readonly evaluate: Evaluate
  readonly meter: QueryMeter
}

const fillers = new Set(['locf', 'interpolate'])
const ungapped: Readonly<Record<string, string>> = {
  date_bin_gapfill: 'date_bin',
  date_bin_wallclock_gapfill: 'date_bin_wallclock',
}

/** Changes the tree where it has gaps to fill. */
export async function fillGaps(tree: TreeNode, context: GapfillContext): Promise<TreeNode> {
  const queries = [...walk(tree)].filter((node) => node.type === 'SELECT_NODE')
  // Queries within come behind those that hold them.
  for (const query of queries.reverse()) {
    const groups = groupExpressions(query, (name) => name === 'time')
    if (groups.some(isGapfill)) await fillQuery(query, groups, context)
  }
  for (const { function_name: name = '' } of walk(tree)) {
    if (Object.hasOwn(ungapped, name))
      throw planningError(`${name} must be used in the GROUP BY clause`)
    if (fillers.has(name)) throw planningError(`${name} may only be used with date_bin_gapfill`)
  }
  return tree
}

function isGapfill({ function_name = '' }: TreeNode): boolean {
  return Object.hasOwn(ungapped, function_name)
}

async function fillQuery(
  query: TreeNode,
  groups: readonly TreeNode[],
  context: GapfillContext,
): Promise<void> {
  const bins = await binsOf(query, groups.find(isGapfill)!, context)
  const terms = new Terms(groups)
  const items = (query.select_list ?? []).map((item) => ({
    ...terms.outside(item),
    alias: item.alias || (item.class === 'COLUMN_REF' ? item.column_names!.at(-1)! : ''),
  }))
  const modifiers = terms.outside(query.modifiers ?? [])
  const outer = await context.session.parse(template(terms, groups.findIndex(isGapfill), bins))
  const inner: TreeNode = { ...query, modifiers: [], select_list: terms.inside() }
  inner.group_expressions = terms.groupsInside()
  for (const { key, value } of outer.cte_map!.map) if (key === 'mr_inner') value.query.node = inner
  for (const key of Object.keys(query)) delete query[key as keyof TreeNode]
  Object.assign(query, outer, { select_list: items, modifiers })
}

interface Bins {
  readonly start: bigint
  readonly stop: bigint
  readonly width: bigint
}

async function binsOf(query: TreeNode, bin: TreeNode, context: GapfillContext): Promise<Bins> {
  const [interval, , origin] = bin.children ?? []
  const width = interval === undefined ? undefined : intervalOf(interval)
  if (width === undefined || width.months !== 0n || width.ns <= 0n) {
    throw planningError('date_bin_gapfill: the interval must be a constant of weeks or less')
  }
  const bounds = conjunctsOf(query.where_clause).flatMap((each) => timeBounds(each) ?? [])
  const range = boundedRange(bounds, await context.evaluate(bounds.map(({ value }) => value)))
  const lower = range === undefined || range.start > allTime.start
  const upper = range === undefined || range.stop < allTime.stop
  if (!lower) throw planningError('gap-filling query is missing lower time bound')
  if (!upper) throw planningError('gap-filling query is missing upper time bound')
  const [from] = (origin === undefined ? undefined : await context.evaluate([origin])) ?? [0n]
  const floor = (time: bigint) => floorDiv(time - from, width.ns) * width.ns + from
  if (range === undefined) return { start: 0n, stop: 0n, width: width.ns }
  const [start, stop] = [floor(range.start), floor(range.stop - 1n) + width.ns]
  context.meter.checkBuckets(Number((stop - start) / width.ns))
  return { start, stop, width: width.ns }
}

interface Filling {
  readonly kind: 'locf' | 'interpolate'
  readonly value: number
}

/** The parts of a query that are computed within, and their names without. */
class Terms {
  readonly groups: readonly TreeNode[]
  readonly values: TreeNode[] = []
  readonly fillings: Filling[] = []
  readonly #groupPrints: readonly string[]
  readonly #valuePrints: string[] = []

  constructor(groups: readonly TreeNode[]) {
    this.groups = groups
    this.#groupPrints = groups.map(fingerprint)
  }

  /** The expression in terms of the columns within. */
  outside<T>(expression: T): T {
    return replaceNodes(expression, (node) => {
      const group = this.#groupPrints.indexOf(fingerprint(node))
      if (group >= 0) return { ...column(`mr_g${group}`), alias: node.alias ?? '' }
      if (node.class !== 'FUNCTION') return undefined
      const name = node.function_name!
      if (fillers.has(name)) return { ...this.#filling(name, node), alias: node.alias ?? '' }
      if (!aggregates.has(name)) return undefined
      return { ...column(`mr_v${this.#value(node)}`), alias: node.alias ?? '' }
    })
  }

  #filling(name: string, node: TreeNode): TreeNode {
    const [argument] = node.children ?? []
    if (argument === undefined) throw planningError(`${name} takes an aggregate`)
    this.fillings.push({ kind: name as Filling['kind'], value: this.#value(argument) })
    return column(`mr_f${this.fillings.length - 1}`)
  }

  #value(node: TreeNode): number {
    const print = fingerprint(node)
    const known = this.#valuePrints.indexOf(print)
    if (known >= 0) return known
    this.#valuePrints.push(print)
    return this.values.push(node) - 1
  }

  inside(): TreeNode[] {
    return [
      ...this.groupsInside().map((node, i) => ({ ...node, alias: `mr_g${i}` })),
      ...this.values.map((node, i) => ({ ...node, alias: `mr_v${i}` })),
    ]
  }

  groupsInside(): TreeNode[] {
    return this.groups.map((node) =>
      isGapfill(node)
        ? { ...node, function_name: ungapped[node.function_name!], alias: '' }
        : { ...node, alias: '' },
    )
  }
}

function template(terms: Terms, bin: number, { start, stop, width }: Bins): string {
  const groups = terms.groups.map((_, i) => `mr_g${i}`)
  const others = groups.filter((_, i) => i !== bin)
  const time = groups[bin]
  const values = terms.values.map((_, i) => `mr_v${i}`)
  const list = (names: readonly string[]) => names.map((name) => `, ${name}`).join('')
  const same = others.map((name) => ` AND mr_grid.${name} IS NOT DISTINCT FROM mr_inner.${name}`)
  const fillings = terms.fillings.map(
    (filling, i) => `, ${fillingText(filling, time, others)} AS mr_f${i}`,
  )
  return `WITH mr_inner AS (SELECT 1),
    mr_groups AS (SELECT DISTINCT 1 AS mr_one${list(others)} FROM mr_inner),
    mr_grid AS (SELECT make_timestamp_ns(mr_bin) AS ${time}${list(others)}
      FROM mr_groups CROSS JOIN range(${start}, ${stop}, ${width}) AS mr_bins(mr_bin)),
    mr_joined AS (SELECT mr_grid.${time}${list(others.map((name) => `mr_grid.${name}`))}${list(values)}
      FROM mr_grid LEFT JOIN mr_inner ON mr_grid.${time} = mr_inner.${time}${same.join('')}),
    mr_filled AS (SELECT *${fillings.join('')} FROM mr_joined)
    SELECT 1 FROM mr_filled`
}

/** Before the first value and behind the last there is nothing to interpolate between. */
function fillingText({ kind, value }: Filling, time: string, others: readonly string[]): string {
  const of = `mr_v${value}`
  const parts = others.length === 0 ? '' : `PARTITION BY ${others.join(', ')} `
  const before = `OVER (${parts}ORDER BY ${time} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`
  if (kind === 'locf') return `last_value(${of} IGNORE NULLS) ${before}`
  const after = `OVER (${parts}ORDER BY ${time} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)`
  const at = `CASE WHEN ${of} IS NOT NULL THEN epoch_ns(${time}) END`
  const left = `CAST(last_value(${of} IGNORE NULLS) ${before} AS DOUBLE)`
  const right = `CAST(first_value(${of} IGNORE NULLS) ${after} AS DOUBLE)`
  const from = `last_value(${at} IGNORE NULLS) ${before}`
  const to = `first_value(${at} IGNORE NULLS) ${after}`
  return `CASE WHEN ${of} IS NOT NULL THEN CAST(${of} AS DOUBLE)
    ELSE ${left} + (${right} - ${left}) * (epoch_ns(${time}) - ${from}) / (${to} - ${from}) END`
}
