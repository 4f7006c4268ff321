// What a migration is going to do, found out before anything is written: which databases go where, how much there is,
// what is in the way, and what becomes of fields with several types.

import type { FieldType } from '../../column/column.js'
import type { TimeRange } from '../../column/time.js'
import { UserError } from '../../errors.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import { FieldPlan } from '../plan/field-plan.js'
import type { FieldWeights } from '../plan/field-weights.js'
import type {
  MigrationSource,
  SourceDatabase,
  SourcePolicy,
  SourceResources,
  SourceUser,
} from '../plan/source.js'
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
}

export interface PlannedPolicy {
  readonly policy: SourcePolicy
  readonly fields: FieldPlan
  readonly weights: FieldWeights
  readonly bytes: number
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
      const bytes = policy.units.reduce((sum, unit) => sum + unit.bytes, 0)
      policies.push({ policy, weights, fields: new FieldPlan(weights, taken), bytes })
    }
    databases.push({ database, name, isThere, policies })
  }
  const { users, notes, resources } = description
  return { databases, users, notes, obstacles, resources }
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
