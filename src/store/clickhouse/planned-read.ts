// What the ways of reading share: a read whose range is cut to what has not expired, its series in runs, and which
// place of the measurement a field lies in.

import type { BatchField } from '../../column/batch.js'
import type { Predicate } from '../../column/predicate.js'
import type { Series } from '../../column/series.js'
import type { TimeRange } from '../../column/time.js'
import { aggregatedFields, countsRows, knownResultType } from '../aggregate-types.js'
import type { ReadRequest, WindowAggregate } from '../store.js'
import type { PlacedField } from './layout.js'
import type { Measurement } from './registry.js'
import type { AskedServers } from './servers.js'
import type { Ranked } from './statements.js'

export interface Run {
  /** Ranks of the run are counted from here. */
  readonly firstRank: number
  readonly keyCount: number
  /** What leaves under a rank: the key of a series or of a group. Made anew for whoever asks. */
  key(rank: number): Series
  readonly ranked: Ranked
  /** In the order of `ranked`. */
  series(at: number): Series
}

export interface PlannedRead {
  readonly servers: AskedServers
  readonly measurement: Measurement
  readonly request: ReadRequest
  /** What of it has not expired. */
  readonly range: TimeRange
  /** The part of the predicate that looks at values. */
  readonly values: Predicate | undefined
  readonly signal: AbortSignal
}

/** The fields of a window's rows. */
export function windowFields(
  { fields }: Measurement,
  { aggregates }: WindowAggregate,
): BatchField[] {
  return aggregates.flatMap(({ field, function: fn }) => {
    const type = knownResultType(fn, fields.get(field)?.type)
    return type === undefined ? [] : [{ name: field, type }]
  })
}

/** What aggregates look at. A row is one by any of its fields. */
export function computedFrom({ fields }: Measurement, window: WindowAggregate): PlacedField[] {
  if (countsRows(window)) return [...fields.values()]
  return aggregatedFields(window).flatMap((name) => fields.get(name) ?? [])
}

/** For conditions on the rows of one place. */
export function placeFinder({ fields }: Measurement, place: { table: string; chunk: number }) {
  return (name: string) => {
    const found = fields.get(name)
    if (found === undefined) return undefined
    return found.table === place.table && found.chunk === place.chunk ? found : null
  }
}
