// A SELECT whose names lead somewhere: sources with their fields and tags, references with their types, no
// wildcards. Types only.

import type { FieldType } from '../../column/column.js'
import type { BucketId } from '../../store/store.js'
import type { CompiledSelect } from './compile.js'

export interface ResolvedMeasurement {
  readonly kind: 'measurement'
  readonly bucket: BucketId
  readonly name: string
  readonly fields: ReadonlyMap<string, FieldType>
  readonly tags: ReadonlySet<string>
  /** Of its schema; undefined: this is only what has points in some range. */
  readonly version: number | undefined
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
