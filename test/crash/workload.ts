// Random points for the reliability tests: a small space of series, fields and moments, so that
// writes overwrite each other all the time, with new series and fields appearing as they go. Values
// hold the number of their write: a cell tells which write it came from.

import type { TagPredicate } from '../../src/column/predicate.js'
import { nsPerDay, nsPerWeek } from '../../src/column/time.js'
import type { Random } from '../../src/platform/random.js'
import type { BucketId } from '../../src/store/store.js'

/** One value of one point, `series field time`, and how it is printed in line protocol. */
export type Cells = Map<string, string>

export const buckets: readonly BucketId[] = ['00000000000000aa', '00000000000000bb']

export interface Batch {
  readonly lines: string
  readonly cells: ReadonlyMap<string, string>
}

export interface Erasure {
  readonly start: bigint
  readonly stop: bigint
  readonly measurement?: string
  readonly predicate?: TagPredicate
}

/** Where a shard begins, as all do that are a whole number of weeks before or after it. */
export const firstTime = 2_000n * nsPerWeek - 3n * nsPerDay
const shardCount = 3
const momentsPerShard = 6

function momentAt(shard: number, position: number): bigint {
  return firstTime + BigInt(shard) * nsPerWeek + BigInt(position) * 1_000_000_007n
}

function randomMoment(random: Random): bigint {
  return momentAt(random.below(shardCount), random.below(momentsPerShard))
}

/** The type of a field follows from its number, so that no write meets a conflict. */
function randomValue(field: number, number: number, random: Random): string {
  switch (field % 5) {
    case 0:
      return `${number}.5`
    case 1:
      return `${number}i`
    case 2:
      return `"v${number}${'x'.repeat(random.below(8) === 0 ? 700 : random.below(20))}"`
    case 3:
      return number % 2 === 0 ? 'true' : 'false'
    default:
      return `${number}u`
  }
}

/** `number` says which write of the history this is; the later, the more names there are. */
export function randomBatch(random: Random, number: number): Batch {
  const seriesMax = 3 + Math.floor(number / 4)
  const fieldsMax = 3 + Math.floor(number / 6)
  const lines: string[] = []
  for (let left = 1 + random.below(8); left > 0; left--) {
    // Half of the points go to the oldest names: these are overwritten again and again.
    const tag = random.below(random.below(2) === 0 ? 3 : seriesMax)
    const series = `m${random.below(3)},s=${tag}`
    const fields = new Map<string, string>()
    for (let f = 1 + random.below(3); f > 0; f--) {
      const field = random.below(random.below(2) === 0 ? 3 : fieldsMax)
      fields.set(`f${field}`, randomValue(field, number, random))
    }
    const list = Array.from(fields, ([name, value]) => `${name}=${value}`).join(',')
    lines.push(`${series} ${list} ${randomMoment(random)}`)
  }
  return { lines: lines.join('\n'), cells: cellsOf(lines) }
}

/** Values of these tests hold neither spaces nor commas, so that lines can simply be split. */
export function cellsOf(lines: Iterable<string>): Cells {
  const cells: Cells = new Map()
  for (const line of lines) {
    if (line === '') continue
    const [series, list, time] = line.split(' ')
    for (const field of list.split(',')) {
      const at = field.indexOf('=')
      cells.set(`${series} ${field.slice(0, at)} ${time}`, field.slice(at + 1))
    }
  }
  return cells
}

export function randomErasure(random: Random): Erasure {
  const a = randomMoment(random)
  const b = randomMoment(random)
  const range = { start: a < b ? a : b, stop: (a < b ? b : a) + BigInt(random.below(2)) }
  const measurement = random.below(3) === 0 ? {} : { measurement: `m${random.below(3)}` }
  const value = String(random.below(4))
  const predicate: { predicate?: TagPredicate } =
    random.below(2) === 0 ? {} : { predicate: { kind: 'tag', tag: 's', op: '=', value } }
  return { ...range, ...measurement, ...predicate }
}

/** Whether a cell is gone by the erasure; only the predicates that `randomErasure` makes are known. */
export function isErased(cell: string, erasure: Erasure): boolean {
  const [series, , timeText] = cell.split(' ')
  const time = BigInt(timeText)
  if (time < erasure.start || time >= erasure.stop) return false
  const [measurement, tag] = series.split(',')
  if (erasure.measurement !== undefined && erasure.measurement !== measurement) return false
  const { predicate } = erasure
  return predicate?.kind !== 'tag' || tag === `${predicate.tag}=${predicate.value}`
}
