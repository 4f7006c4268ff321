// What a migration is going to do, found out before anything is written: which databases go where, how much there is,
// what is in the way, and what becomes of fields with several types.

import { bucketNameProblem } from '../../catalog/storage/buckets.js'
import type { FieldType } from '../../column/column.js'
import type { TimeRange } from '../../column/time.js'
import { UserError } from '../../errors.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import { bucketName } from '../plan/bucket-name.js'
import { FieldPlan } from '../plan/field-plan.js'
import type { FieldWeights } from '../plan/field-weights.js'
import type {
  MigrationSource,
  SourceDatabase,
  SourcePolicy,
  SourceResources,
  SourceUnit,
  SourceUser,
} from '../plan/source.js'
import type { Estimates } from './estimate.js'
import type { TagChanges } from './tag-changes.js'
import type { MigrationTarget } from './target.js'

export interface Selection {
  /** Only these databases; undefined: all. */
  readonly databases?: ReadonlySet<string> | undefined
  /** What a database is called in the target, where it is called otherwise. */
  readonly renames: ReadonlyMap<string, string>
  readonly measurements?: ReadonlySet<string> | undefined
  readonly range: TimeRange
  /** Write into databases that are there already. */
  readonly isInto: boolean
  /** Tags that go or get another name. */
  readonly tags?: TagChanges | undefined
}

export interface PlannedPolicy {
  readonly policy: SourcePolicy
  /** What the bucket of it is called in the target. */
  readonly bucket: string
  readonly fields: FieldPlan
  readonly weights: FieldWeights
  /** Of the span of time that was chosen. */
  readonly units: number
  /** Of their files; 0: unknown. */
  readonly bytes: number
  /** About; before what is deleted, expired or written twice is left out. Undefined: unknown. */
  readonly values: number | undefined
}

export interface PlannedDatabase {
  readonly database: SourceDatabase
  /** Its name in the target. */
  readonly name: string
  readonly isThere: boolean
  readonly policies: readonly PlannedPolicy[]
}

export interface MigrationPlan {
  readonly databases: readonly PlannedDatabase[]
  readonly users: readonly SourceUser[]
  readonly resources: SourceResources | undefined
  readonly notes: readonly string[]
  /** Why it cannot be carried out as it stands. */
  readonly obstacles: readonly string[]
}

/** `made`: databases that an earlier start of the same migration has made, which are in nobody's way. */
export async function planMigration(
  source: MigrationSource,
  target: MigrationTarget | undefined,
  selection: Selection,
  made: { has(name: string): boolean },
  estimates: Estimates,
  onDamage: DamageHandler,
): Promise<MigrationPlan> {
  const description = await source.describe()
  const wanted = chosen(description.databases, selection)
  const present = target === undefined ? new Set<string>() : await target.databases()
  const obstacles: string[] = []
  const databases: PlannedDatabase[] = []
  for (const database of wanted) {
    const name = selection.renames.get(database.name) ?? database.name
    const isThere = present.has(name)
    const hasPoints = database.policies.some(({ units }) => units.length > 0)
    if (isThere && hasPoints && !selection.isInto && !made.has(name)) {
      obstacles.push(`the target has a database "${name}" already: rename it, or write into it`)
    }
    const policies: PlannedPolicy[] = []
    for (const policy of database.policies) {
      const weights = await source.fields(database.name, policy, onDamage)
      const taken =
        isThere && target !== undefined ? await target.fieldTypes(name, policy.name) : none
      const fields = new FieldPlan(weights, taken)
      const units = policy.units.filter((unit) => isChosen(unit, selection))
      const parts = { source, estimates, selection, onDamage }
      const values = await valuesOf(parts, database.name, { ...policy, units })
      const bytes = units.reduce((sum, unit) => sum + bytesOf(source, unit), 0)
      const bucket = bucketName(policy, name)
      const problem = isThere ? undefined : nameProblem(bucket)
      if (problem !== undefined) obstacles.push(`the bucket "${bucket}" ${problem}`)
      policies.push({ policy, bucket, weights, fields, units: units.length, bytes, values })
    }
    databases.push({ database, name, isThere, policies })
  }
  const { users, notes, resources } = description
  return { databases, users, notes, obstacles, resources }
}

/** Whether any of a unit's points may be wanted. */
export function isChosen({ range }: SourceUnit, { range: wanted }: Selection): boolean {
  return range.stop > wanted.start && range.start < wanted.stop
}

function bytesOf(source: MigrationSource, unit: SourceUnit): number {
  return source.unitBytes?.(unit) ?? unit.bytes
}

/** As the target would refuse it. */
function nameProblem(name: string): string | undefined {
  const problem = bucketNameProblem(name)
  return problem && `cannot be made: ${problem}; --rename gives its database another name`
}

export interface ValueParts {
  readonly source: MigrationSource
  readonly estimates: Estimates
  readonly selection: Selection
  readonly onDamage: DamageHandler
}

/** Of the policy's units. What shards weigh is remembered by their source: asking again is cheap. */
export async function valuesOf(
  { source, estimates, selection, onDamage }: ValueParts,
  database: string,
  policy: SourcePolicy,
): Promise<number | undefined> {
  if (source.weighsValues !== true) {
    return estimates.values({ database, policy: policy.name }, policy.units)
  }
  let values = 0
  for (const [measurement, fields] of await source.fields(database, policy, onDamage)) {
    if (selection.measurements?.has(measurement) === false) continue
    for (const types of fields.values()) for (const weight of types.values()) values += weight
  }
  return Math.round(values)
}

const none: ReadonlyMap<string, ReadonlyMap<string, FieldType>> = new Map()

function chosen(
  databases: readonly SourceDatabase[],
  { databases: names, renames }: Selection,
): readonly SourceDatabase[] {
  for (const name of [...(names ?? []), ...renames.keys()]) {
    if (!databases.some((database) => database.name === name)) {
      throw new UserError('not found', `the source has no database "${name}"`)
    }
  }
  return databases.filter(({ name }) => names?.has(name) ?? true)
}
