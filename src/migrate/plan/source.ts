// What can be moved: a source describes what it holds, tells which types its fields have, and hands its points over
// unit by unit. Types only; `sources/` has the kinds.

import type { FieldType } from '../../column/column.js'
import type { TagPredicate } from '../../column/predicate.js'
import type { TimeRange } from '../../column/time.js'
import type { WriteBatch } from '../../column/write-batch.js'
import type { DamageHandler } from '../../tsm/shard/field-stream.js'
import type { FieldTarget } from '../../tsm/shard/shard-reader.js'
import type { DayStatistics } from '../statistics/day-statistics.js'
import type { FieldPlan } from './field-plan.js'
import type { FieldWeights } from './field-weights.js'

/** A stretch of time of one policy that is read as a whole: a shard, or a day. */
export interface SourceUnit {
  /** Unique in the source, and the same when it is described again. */
  readonly id: string
  readonly range: TimeRange
  /** While it is the same, so is what the unit holds; undefined: nobody can tell. */
  readonly fingerprint: string | undefined
  /** Of its files, as the source has them; 0: unknown. */
  readonly bytes: number
}

/** Points that went while the source is moved: they go from the target too. */
export interface SourceDelete {
  /** When, by the source's clock. */
  readonly at: bigint
  readonly range: TimeRange
  readonly measurement?: string | undefined
  readonly predicate?: TagPredicate | undefined
}

export interface SourcePolicy {
  readonly name: string
  readonly isDefault: boolean
  /** 0n: for ever. */
  readonly durationNs: bigint
  readonly shardDurationNs: bigint
  /** In time order. */
  readonly units: readonly SourceUnit[]
  /** In the order in which they were done. What they took away is in no unit any more. */
  readonly deletes?: readonly SourceDelete[]
  /** Of a source with buckets: what it is called there, and whether a mapping says which policy it is. */
  readonly bucket?: { readonly name: string; readonly isMapped: boolean }
}

export interface SourceDatabase {
  readonly name: string
  readonly policies: readonly SourcePolicy[]
  readonly continuousQueries: readonly { readonly name: string; readonly text: string }[]
}

export interface SourceUser {
  readonly name: string
  readonly isAdmin: boolean
  readonly grants: readonly { readonly database: string; readonly privilege: string }[]
}

/** As InfluxDB keeps it. */
export type SourceRecord = Readonly<Record<string, unknown>>

/** What people have made beside their points, of one organization. */
export interface SourceResources {
  readonly organizationId: string
  /** By id. */
  readonly bucketNames: ReadonlyMap<string, string>
  readonly users: readonly SourceRecord[]
  readonly tokens: readonly SourceRecord[]
  /** Of buckets that clients of v1 know by several names: all but the first. */
  readonly mappings: readonly {
    readonly bucketId: string
    readonly database: string
    readonly policy: string
    readonly isDefault: boolean
  }[]
  /** Which label hangs on what. */
  readonly labelMappings: readonly {
    readonly labelId: string
    readonly resourceId: string
    /** As permissions call it: `dashboards`. */
    readonly resourceType: string
  }[]
  /** By the path of the interface. */
  readonly records: {
    readonly variables: readonly SourceRecord[]
    readonly labels: readonly SourceRecord[]
    readonly telegrafs: readonly SourceRecord[]
    readonly tasks: readonly SourceRecord[]
    readonly checks: readonly SourceRecord[]
    readonly notificationEndpoints: readonly SourceRecord[]
    readonly notificationRules: readonly SourceRecord[]
    readonly dashboards: readonly SourceRecord[]
  }
}

export interface SourceDescription {
  readonly databases: readonly SourceDatabase[]
  readonly users: readonly SourceUser[]
  /** What could not be found out, or will not come along. */
  readonly notes: readonly string[]
  readonly resources?: SourceResources
}

export interface UnitRequest {
  readonly database: string
  readonly policy: string
  readonly unit: SourceUnit
  /** Only points in here. */
  readonly range: TimeRange
  wantsMeasurement(name: string): boolean
  fieldTarget(measurement: string, field: string, type: FieldType): FieldTarget
  readonly onDamage: DamageHandler
  /** Called now and then with how much of the unit's bytes was read. */
  onBytes(bytes: number): void
}

export interface MigrationSource {
  /** In words: `InfluxDB 1.x in /var/lib/influxdb`. */
  readonly title: string
  /** May be asked again, for what has come since. */
  describe(): Promise<SourceDescription>
  fields(database: string, policy: SourcePolicy, onDamage: DamageHandler): Promise<FieldWeights>
  /** That fields weigh about as much as they have values. */
  readonly weighsValues?: boolean
  /** Where they do not: values of a unit, as the source counts them. Throws where the signal ends it. */
  readonly countUnit?: CountUnit
  /** Of a unit whose size is known only since its fields were looked at. */
  unitBytes?(unit: SourceUnit): number
  /** That have come from the source, of whatever kind, since it was opened. Absent: those of its files. */
  receivedBytes?(): number
  /** The arrays of a batch are the caller's. */
  read(request: UnitRequest): AsyncIterable<WriteBatch>
  /** Where the source can count by itself; else what was read is counted. */
  readonly statistics?: CountSource
  close(): Promise<void>
}

export type CountUnit = (
  place: { readonly database: string; readonly policy: string },
  range: TimeRange,
  measurements: ReadonlySet<string> | undefined,
  signal: AbortSignal,
) => Promise<number>

/** Figures of what the fields become. */
export type CountSource = (
  database: string,
  policy: string,
  fields: FieldPlan,
  range: TimeRange,
  selection: { readonly measurements?: ReadonlySet<string> | undefined },
) => Promise<DayStatistics>
