// Whether neighbours may be merged for the fields that they have. Columns of a segment are listed for each of its
// groups of rows, so one of many segments with fields of their own has a list that is far longer than theirs together,
// and to make it takes arrays and objects for every field at once: a few megabytes of lines with a new field each would
// take a hundred. Segments with the same fields, however many, are merged as others are.
//
// This is asked on the serving thread, after every flush: names are compared by their hashes, which are kept, and what
// could not be brought together is remembered.

import type { Work } from '../../../platform/turns.js'
import type { Segment } from '../bucket/segment.js'
import type { Directory } from '../segment/directory.js'

/** Fields of a measurement that a merge may bring together from segments that have fewer. */
const fieldsMax = 4096

/** A merge may have so many times the fields that one of its segments has already. */
const growthMax = 1.25

/** Measurements with fewer fields reach no limit, unless a hundred segments of them have nothing in common. */
const fieldsMin = 32

type FieldHashes = ReadonlyMap<string, Uint32Array>

/** What is known of the fields of segments, as long as they are there. */
export class KnownFields {
  /** By the first of neighbours: up to which others they have too many fields together. */
  readonly #apart = new WeakMap<Directory, WeakSet<Directory>>()
  /** Four bytes a field, of segments that have many. */
  readonly #hashes = new WeakMap<Directory, FieldHashes>()

  apartFrom(first: Directory): WeakSet<Directory> {
    const known = this.#apart.get(first) ?? new WeakSet()
    this.#apart.set(first, known)
    return known
  }

  /** After a start nothing is known: what will be asked for is read in turns, as it may be a million names. */
  *readAhead(neighbours: readonly Segment[]): Work<void> {
    const sum = neighbours.reduce((total, segment) => total + widthOf(segment), 0)
    if (sum <= fieldsMax) return
    for (const segment of neighbours) {
      if (widthOf(segment) > 0) this.hashesOf(segment.reader.directory)
      yield
    }
  }

  hashesOf(directory: Directory): FieldHashes {
    let hashes = this.#hashes.get(directory)
    if (hashes === undefined) {
      hashes = readHashes(directory)
      this.#hashes.set(directory, hashes)
    }
    return hashes
  }
}

/** The fields of neighbours that are taken one after the other. */
export class MergedFields {
  readonly #known: KnownFields
  #sum = 0
  #widest = 0
  /** Those that were taken while the sum of all was small enough anyway. */
  #waiting: Segment[] = []
  /** By measurement: hashes of the names, rising. */
  readonly #merged = new Map<string, Uint32Array>()
  #widestMerged = 0
  #apart: WeakSet<Directory> | undefined

  constructor(known: KnownFields) {
    this.#known = known
  }

  /** Whether the next one may be merged with those before it. After a no nothing more is asked. */
  take(segment: Segment): boolean {
    const { directory } = segment.reader
    this.#apart ??= this.#known.apartFrom(directory)
    if (this.#apart.has(directory)) return false
    const isFitting = this.#fits(segment)
    if (!isFitting) this.#apart.add(directory)
    return isFitting
  }

  #fits(segment: Segment): boolean {
    const width = widthOf(segment)
    this.#sum += width
    this.#widest = Math.max(this.#widest, width)
    this.#waiting.push(segment)
    const most = Math.max(fieldsMax, this.#widest * growthMax)
    if (this.#sum <= most) return true
    for (const each of this.#waiting) this.#merge(each)
    this.#waiting = []
    return this.#widestMerged <= most
  }

  #merge({ reader }: Segment): void {
    for (const [measurement, hashes] of this.#known.hashesOf(reader.directory)) {
      const before = this.#merged.get(measurement)
      const merged = before === undefined ? hashes : unionOf(before, hashes)
      this.#merged.set(measurement, merged)
      this.#widestMerged = Math.max(this.#widestMerged, merged.length)
    }
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

function readHashes({ measurements }: Directory): FieldHashes {
  const hashes = new Map<string, Uint32Array>()
  for (const measurement of measurements.keys()) {
    const fields = measurements.get(measurement)?.fields ?? []
    if (fields.length < fieldsMin) continue
    hashes.set(measurement, Uint32Array.from(fields, ({ name }) => hashOf(name)).sort())
  }
  return hashes
}

/** FNV-1a. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Of two that rise; the first itself where it has all of the second. */
function unionOf(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(a.length + b.length)
  let count = 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const [x, y] = [a[i], b[j]]
    both[count++] = x < y ? x : y
    if (x <= y) i++
    if (y <= x) j++
  }
  both.set(a.subarray(i), count)
  count += a.length - i
  both.set(b.subarray(j), count)
  count += b.length - j
  return count === a.length ? a : both.slice(0, count)
}
