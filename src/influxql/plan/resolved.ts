// A SELECT whose names lead somewhere: sources with their fields and tags, references with their types, no
// wildcards. Types only.

import type { FieldType } from '../../column/column.js'
import type { BucketId } from '../../store/store.js'
import type { CompiledSelect } from './compile.js'

export interface MeasurementNames {
  readonly fields: ReadonlyMap<string, FieldType>
  readonly tags: ReadonlySet<string>
}

export interface ResolvedMeasurement extends MeasurementNames {
  readonly kind: 'measurement'
  readonly bucket: BucketId
  readonly name: string
  /** Of its schema. */
  readonly version: number
  /**
   * What wildcards stand for: names with points where the query looks. What a name means does not depend on that.
   * Absent: the SELECT has no wildcards.
   */
  readonly inRange?: MeasurementNames
}

export interface ResolvedSubquery {
  readonly kind: 'subquery'
  readonly select: ResolvedSelect
}

export type ResolvedSource = ResolvedMeasurement | ResolvedSubquery

/** References have types where they lead somewhere; no wildcards are left. */
export interface ResolvedSelect extends Omit<CompiledSelect, 'sources' | 'dimensions'> {
  readonly sources: readonly ResolvedSource[]
  /** Tags to group by, in the order written. */
  readonly dimensions: readonly string[]
}
