// How much there is to move where nobody has counted it: a source that can count is asked about a few of its units, and
// the others are taken to be alike, by their bytes where they are known. A guess, and told as one.

import type { TimeRange } from '../../column/time.js'
import type { MigrationSource, SourceUnit } from '../plan/source.js'

/** Units that are counted of each policy, spread over its time. */
const samplesMax = 3

/** Counting may take a server long: what has not answered by then is not waited for. */
const countMs = 10_000

/** What of the source is to be moved. */
export interface ChosenPoints {
  readonly measurements?: ReadonlySet<string> | undefined
  readonly range: TimeRange
}

interface Sample {
  /** Values of a byte, or of a unit where not all of them have known bytes. */
  readonly perWeight: number
  readonly isByBytes: boolean
}

export class Estimates {
  readonly #source: MigrationSource
  readonly #selection: ChosenPoints
  /** By policy: a later look at the source does not count again. Undefined: unknown. */
  readonly #known = new Map<string, Sample | undefined>()

  constructor(source: MigrationSource, selection: ChosenPoints) {
    this.#source = source
    this.#selection = selection
  }

  /** About how many values the units hold; undefined where nobody can tell. */
  async values(
    place: { readonly database: string; readonly policy: string },
    units: readonly SourceUnit[],
  ): Promise<number | undefined> {
    if (this.#source.countUnit === undefined) return undefined
    if (units.length === 0) return 0
    const key = JSON.stringify([place.database, place.policy])
    if (!this.#known.has(key)) this.#known.set(key, await this.#sample(place, units))
    const sample = this.#known.get(key)
    return sample && Math.round(sample.perWeight * weightOf(units, sample.isByBytes))
  }

  async #sample(
    place: { readonly database: string; readonly policy: string },
    units: readonly SourceUnit[],
  ): Promise<Sample | undefined> {
    const isByBytes = units.every(({ bytes }) => bytes > 0)
    const counted: SourceUnit[] = []
    let values = 0
    for (const unit of spread(units)) {
      const found = await this.#count(place, unit)
      if (found === undefined) continue
      counted.push(unit)
      values += found
    }
    if (counted.length === 0) return undefined
    return { perWeight: values / weightOf(counted, isByBytes), isByBytes }
  }

  async #count(
    place: { readonly database: string; readonly policy: string },
    { range: unit }: SourceUnit,
  ): Promise<number | undefined> {
    const { range, measurements } = this.#selection
    const span = {
      start: range.start > unit.start ? range.start : unit.start,
      stop: range.stop < unit.stop ? range.stop : unit.stop,
    }
    try {
      const signal = AbortSignal.timeout(countMs)
      return await this.#source.countUnit?.(place, span, measurements, signal)
    } catch {
      // A limit of the server, or no time: the plan does without.
      return undefined
    }
  }
}

function weightOf(units: readonly SourceUnit[], isByBytes: boolean): number {
  return isByBytes ? units.reduce((sum, { bytes }) => sum + bytes, 0) : units.length
}

/** The first, one in the middle, and the last. */
function spread(units: readonly SourceUnit[]): SourceUnit[] {
  if (units.length <= samplesMax) return [...units]
  const at = (i: number) => units[Math.round((i * (units.length - 1)) / (samplesMax - 1))]
  return Array.from({ length: samplesMax }, (_, i) => at(i))
}
