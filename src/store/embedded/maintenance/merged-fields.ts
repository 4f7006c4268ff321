// Whether neighbours may be merged for the fields that they have. Columns of a segment are listed for each of its
// groups of rows, so one of many segments with fields of their own has a list that is far longer than theirs together,
// and to make it takes arrays and objects for every field at once: a few megabytes of lines with a new field each would
// take a hundred. Segments with the same fields, however many, are merged as others are.

import type { Segment } from '../bucket/segment.js'

/** Fields of a measurement that a merge may bring together from segments that have fewer. */
const fieldsMax = 4096

/** A merge may have so many times the fields that one of its segments has already. */
const growthMax = 1.25

export class MergedFields {
  readonly #segments: readonly Segment[]
  /** By segment: fields of its widest measurement. */
  readonly #widths: readonly number[]

  constructor(segments: readonly Segment[]) {
    this.#segments = segments
    this.#widths = segments.map(widthOf)
  }

  /** Of the segments from `start` up to `stop`. */
  fit(start: number, stop: number): boolean {
    let sum = 0
    let widest = 0
    for (let i = start; i < stop; i++) {
      sum += this.#widths[i]
      widest = Math.max(widest, this.#widths[i])
    }
    const most = Math.max(fieldsMax, widest * growthMax)
    return sum <= most || this.#widthMerged(start, stop) <= most
  }

  #widthMerged(start: number, stop: number): number {
    const names = new Map<string, Set<string>>()
    let widest = 0
    for (const { reader } of this.#segments.slice(start, stop)) {
      const { measurements } = reader.directory
      for (const measurement of measurements.keys()) {
        const known = names.get(measurement) ?? new Set()
        names.set(measurement, known)
        for (const { name } of measurements.get(measurement)?.fields ?? []) known.add(name)
        widest = Math.max(widest, known.size)
      }
    }
    return widest
  }
}

/** Of thousands of measurements each has few: what is known of them is not kept, and to read it all takes long. */
function widthOf({ reader }: Segment): number {
  const { measurements } = reader.directory
  if (!(measurements instanceof Map)) return 0
  let widest = 0
  for (const { fields } of measurements.values()) widest = Math.max(widest, fields.length)
  return widest
}
