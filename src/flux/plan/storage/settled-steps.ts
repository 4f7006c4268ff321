// What can be known of steps over a read before a table comes: which columns there can be, what `keep`
// and `drop` say of them, whether tables can come to have the same key, and whether the steps taken as
// the tables are built give what they give one after the other.

import { collectPages } from '../../../store/schema-pages.js'
import type { FluxContext } from '../../context/context.js'
import type { SettledStep } from './column-plan.js'
import { type ColumnStep, changesOneOf } from './column-step.js'
import { makesGroup } from './group-columns.js'
import type { RowPredicate } from './row-predicate.js'
import { reservedNames } from './series-columns.js'
import type { SelectedField } from './storage-read.js'
import { type TableSource, valueTypes } from './table-source.js'

export interface SettledSteps {
  readonly steps: readonly SettledStep[]
  /** No two tables come to have the same key. */
  readonly isApart: boolean
  /** Nobody looks at `_value`. */
  readonly withoutValues: boolean
}

/** undefined: they must be taken one after the other. */
export async function settledSteps(
  source: TableSource,
  steps: readonly ColumnStep[],
  fields: readonly SelectedField[],
  context: FluxContext,
): Promise<SettledSteps | undefined> {
  const isMixed = valueTypes(source, fields).size > 1
  // Such groups may be none that the store can make, which it would find out once more.
  if (isMixed && isGroupSource(source)) return undefined
  const tags = steps.some(mayMeanTags) ? await tagKeys(source, fields, context) : []
  const path = new KeyPath(source, fields, tags)
  const settled: SettledStep[] = []
  for (const step of steps) {
    if (step.kind === 'map') {
      if (changesOneOf(step, path.key)) return undefined
      settled.push(step)
      path.mapped(step.sets, step.expression.extendsRow)
    } else {
      const kept = await keptNames(step, path.columns)
      if (kept === undefined) return undefined
      settled.push({ kind: 'choose', isKept: (name) => kept.get(name) })
      path.chosen((name) => kept.get(name) === true)
    }
    if (path.isTooLong) return undefined
  }
  const hasMaps = steps.some(({ kind }) => kind === 'map')
  const withoutValues = source.kind === 'rows' && !hasMaps && !path.columns.has('_value')
  if (path.isApart) return { steps: settled, isApart: true, withoutValues }
  if (isGroupSource(source)) return undefined
  const canCollide = isMixed && (hasMaps || path.columns.has('_value'))
  return canCollide ? undefined : { steps: settled, isApart: false, withoutValues }
}

/** Whether it makes a difference to the step which tags there are. */
function mayMeanTags(step: ColumnStep): boolean {
  if (step.kind === 'map') {
    return !step.expression.extendsRow || [...step.sets].some((name) => !reservedNames.has(name))
  }
  if (step.keeps || typeof step.columns === 'function') return true
  return [...step.columns].some((name) => !reservedNames.has(name))
}

/**
 * Of more measurements than these all tags of the bucket are taken. More names than are read do no harm. A tag that is
 * written for the first time between this question and the read may leave two tables with the same key.
 */
const measurementsMax = 8

async function tagKeys(
  { read: { bucket } }: TableSource,
  fields: readonly SelectedField[],
  { scope, signal }: FluxContext,
): Promise<readonly string[]> {
  const measurements = new Set(fields.map(({ measurement }) => measurement))
  const asked = measurements.size > measurementsMax ? [undefined] : measurements
  const names = new Set<string>()
  for (const measurement of asked) {
    const keys =
      measurement === undefined
        ? await collectPages(scope.store.names({ kind: 'tag-keys', bucket }, signal))
        : (await scope.store.measurementSchema(bucket, measurement, signal)).tagKeys
    for (const name of keys) names.add(name)
  }
  return [...names]
}

/** undefined: the function failed, which matters only if there is such a column. */
async function keptNames(
  { columns, keeps }: ColumnStep & { readonly kind: 'choose' },
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, boolean> | undefined> {
  const kept = new Map<string, boolean>()
  try {
    for (const name of names) {
      const isNamed = typeof columns === 'function' ? await columns([name]) : columns.has(name)
      kept.set(name, (isNamed === true) === keeps)
    }
  } catch {
    return undefined
  }
  return kept
}

/** Columns that can be there, and those of the key among them, from step to step. */
class KeyPath {
  key: ReadonlySet<string>
  columns: ReadonlySet<string>
  readonly #source: TableSource
  readonly #fields: readonly SelectedField[]
  readonly #pinned: ReadonlySet<string>
  /** Tags that no table shows: tables may have the same key without them. */
  readonly #hasHiddenTags: boolean
  readonly #gone = new Set<string>()
  #isApartBefore = true
  #mapsBefore = 0
  #maps = 0

  constructor(source: TableSource, fields: readonly SelectedField[], tags: readonly string[]) {
    this.#source = source
    this.#fields = fields
    this.#pinned = pinnedColumns(source.read.predicates)
    this.#hasHiddenTags = tags.some((name) => reservedNames.has(name))
    this.columns = new Set([...reservedNames, ...tags])
    this.key = keyNames(source, tags)
  }

  chosen(isKept: (name: string) => boolean): void {
    this.#go(new Set([...this.columns].filter(isKept)))
  }

  mapped(sets: ReadonlySet<string>, extendsRow: boolean): void {
    this.#maps++
    this.#go(extendsRow ? new Set([...this.columns, ...sets]) : sets)
  }

  #go(columns: ReadonlySet<string>): void {
    const gone = [...this.key].filter((name) => !columns.has(name))
    if (gone.length > 0) {
      this.#isApartBefore = this.isApart
      this.#mapsBefore = this.#maps
      for (const name of gone) this.#gone.add(name)
      this.key = new Set([...this.key].filter((name) => columns.has(name)))
    }
    this.columns = columns
  }

  /**
   * Tables that meet twice come behind each other in the order of their first meeting, which one meeting in the end
   * does not tell. Nor may functions before and behind a meeting see different columns.
   */
  get isTooLong(): boolean {
    if (!this.#isApartBefore) return true
    return !this.isApart && this.#mapsBefore > 0 && this.#maps > this.#mapsBefore
  }

  /** Whether everything that left the key is the same in all tables that are the same in the rest of it. */
  get isApart(): boolean {
    if (this.#gone.size === 0) return true
    return !this.#hasHiddenTags && [...this.#gone].every((name) => this.#isUniform(name))
  }

  #isUniform(name: string): boolean {
    if (name === '_start' || name === '_stop' || this.#pinned.has(name)) return true
    if (name === '_measurement') return this.#count(({ measurement }) => measurement) === 1
    if (name !== '_field') return false
    if (this.#count((field) => field.name) === 1) return true
    const isMeasurementKept = this.key.has('_measurement') && !isGroupSource(this.#source)
    const measurementCount = this.#count(({ measurement }) => measurement)
    return isMeasurementKept && measurementCount === this.#fields.length
  }

  #count(of: (field: SelectedField) => string): number {
    return new Set(this.#fields.map(of)).size
  }
}

function isGroupSource({ kind }: TableSource): boolean {
  return kind === 'groups' || kind === 'group-windows'
}

function keyNames(source: TableSource, tags: readonly string[]): ReadonlySet<string> {
  const bounds = ['_start', '_stop']
  const all = [...bounds, '_field', '_measurement', ...tags]
  switch (source.kind) {
    case 'groups':
      return new Set(all.filter((name) => makesGroup(source.by, name)))
    case 'group-windows':
      return new Set([...all.filter((name) => makesGroup(source.by, name)), ...bounds])
    default:
      return new Set(all)
  }
}

/** Columns that have one value in all rows that match. */
function pinnedColumns(predicates: readonly RowPredicate[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const predicate of predicates) {
    if (predicate.kind === 'and') for (const name of pinnedColumns(predicate.parts)) names.add(name)
    if (predicate.kind === 'compare' && predicate.op === '=') names.add(predicate.column)
    if (predicate.kind === 'among' && predicate.values.length === 1) names.add(predicate.column)
  }
  return names
}
