// Statements that read points. A read is about a *run* of series, each with a rank: the number under which its rows
// leave, which is that of the series or of its group. ClickHouse puts rows into the order of ranks, so that they can
// leave as they come.

import type { TimeRange } from '../../column/time.js'
import { type Place, type PlacedField, slotName } from './layout.js'
import type { Measurement } from './registry.js'
import { spanCondition } from './selection.js'
import type { AskedServers } from './servers.js'
import { comparedInt64, int64Literal } from './sql-text.js'

/** Series and the ranks of their rows. */
export interface Ranked {
  readonly numbers: BigUint64Array
  readonly ranks: Uint32Array
  /**
   * These are all series of the measurement in the range: there is nothing to choose. Those that come meanwhile are
   * read too, and have no rank.
   */
  readonly areAll: boolean
  /** Of one rank, which is also that of series that come meanwhile. */
  readonly takesAny?: boolean | undefined
  /** Rows have the number of their series in the place of a rank. */
  readonly areByNumber?: boolean
}

/** Which rows of a place are meant. */
function rowCondition(
  measurement: Measurement,
  { chunk }: Place,
  range: TimeRange,
  ranked: Ranked,
): string {
  const { numbers } = ranked
  const parts = [
    `m = ${measurement.number}`,
    `chunk = ${chunk}`,
    `time >= ${comparedInt64(range.start)} AND time < ${comparedInt64(range.stop)}`,
  ]
  if (isOneSeries(ranked)) parts.push(`series = ${numbers[0]}`)
  else if (!readsAll(ranked)) {
    parts.push(`series IN (${Array.from(numbers, (n) => `toUInt64(${n})`).join(',')})`)
  }
  return `${parts.join(' AND ')}${spanCondition(measurement, range)}`
}

/** No list in the condition. Where rows get their one rank whatever their series is, the list keeps others away. */
function readsAll(ranked: Ranked): boolean {
  return ranked.areAll && (ranked.takesAny === true || !isOneRank(ranked))
}

function isOneSeries(ranked: Ranked): boolean {
  return ranked.numbers.length === 1 && isOneRank(ranked) && !readsAll(ranked)
}

/** All rows have the same rank. */
function isOneRank({ ranks, areByNumber }: Ranked): boolean {
  return areByNumber !== true && ranks.every((rank) => rank === ranks[0])
}

function rankExpression(ranked: Ranked): string {
  const { numbers, ranks, areByNumber } = ranked
  if (areByNumber === true) return 'series'
  if (isOneRank(ranked)) return `toUInt32(${ranks[0]})`
  const lists = `[${numbers.join(',')}], [${ranks.join(',')}]`
  return `toUInt32(transform(series, ${lists}, toUInt32(${noRank})))`
}

/** Of series that came after the list of them was made. */
const noRank = 2 ** 32 - 1

/** On rows of a place, brought together. */
function valueConditions(ranked: Ranked, slots: readonly string[], more: string | undefined) {
  const conditions = [`(${slots.map((slot) => `isNotNull(${slot})`).join(' OR ')})`]
  if (more !== undefined) conditions.push(more)
  const hasStrangers = readsAll(ranked) && !isOneRank(ranked) && ranked.areByNumber !== true
  if (hasStrangers) conditions.push(`r != ${noRank}`)
  return conditions.join(' AND ')
}

function mergedRows(
  { dialect }: AskedServers,
  { place, fields }: PlaceRead,
  { measurement, range, ranked }: RowsRequest,
): string {
  const slots = [...new Set(fields.map(({ slot }) => slotName(slot)))]
  const where = rowCondition(measurement, place, range, ranked)
  return dialect.merged(place.table, isOneSeries(ranked) ? 'time' : 'series, time', slots, where)
}

export interface PlaceRead {
  readonly place: Place
  readonly fields: readonly PlacedField[]
}

/** By table and chunk. */
export function byPlace(fields: Iterable<PlacedField>): PlaceRead[] {
  const found = new Map<string, { place: Place; fields: PlacedField[] }>()
  for (const field of fields) {
    const name = `${field.table} ${field.chunk}`
    const own = found.get(name) ?? { place: field, fields: [] }
    found.set(name, own)
    if (!own.fields.includes(field)) own.fields.push(field)
  }
  return [...found.values()]
}

export interface RowsRequest {
  readonly measurement: Measurement
  readonly range: TimeRange
  readonly ranked: Ranked
  readonly descending: boolean
  readonly limit: number | undefined
  /** On the values of the row; absent: none. */
  readonly condition: string | undefined
}

/** Columns: rank (UInt32), time (Int64), a slot for each field. */
export function rowsStatement(
  servers: AskedServers,
  { place, fields }: PlaceRead,
  shown: readonly PlacedField[],
  request: RowsRequest,
): string {
  const { ranked, descending, limit, condition } = request
  const from = mergedRows(servers, { place, fields: [...fields, ...shown] }, request)
  const names = shown.map(({ slot }) => slotName(slot))
  const conditions = valueConditions(ranked, names, condition)
  const order = descending ? ' DESC' : ''
  const cut = limit === undefined ? '' : ` LIMIT ${limit} BY r`
  const columns = [`${rankExpression(ranked)} AS r`, 'time', ...names].join(', ')
  return `SELECT ${columns} FROM ${from} WHERE ${conditions} ORDER BY r, time${order}${cut}`
}

export interface WindowRequest extends RowsRequest {
  readonly everyNs: bigint | undefined
  readonly offsetNs: bigint
}

/** Columns: rank (UInt32), number of the window (Int64), then the expressions. */
export function windowStatement(
  servers: AskedServers,
  read: PlaceRead,
  aggregated: readonly PlacedField[],
  expressions: readonly string[],
  request: WindowRequest,
): string {
  const { ranked, descending, limit, condition } = request
  const from = mergedRows(servers, read, request)
  const slots = aggregated.map(({ slot }) => slotName(slot))
  const conditions = valueConditions(ranked, slots, condition)
  const columns = [
    `${rankExpression(ranked)} AS r`,
    `${windowNumber(request)} AS w`,
    ...expressions.map((expression, i) => `${expression} AS a${i}`),
  ].join(', ')
  const order = descending ? ' DESC' : ''
  const cut = limit === undefined ? '' : ` LIMIT ${limit} BY r`
  const by = isOneRank(ranked) ? 'w' : 'r, w'
  return `SELECT ${columns} FROM ${from} WHERE ${conditions} GROUP BY ${by} ORDER BY ${by}${order}${cut}`
}

/** Rounded towards minus infinity, which is how numbers that are not negative are divided anyway. */
function windowNumber({ everyNs, offsetNs, range }: WindowRequest): string {
  if (everyNs === undefined) return 'toInt64(0)'
  if (offsetNs === 0n && range.start >= 0n) return `intDiv(time, ${everyNs})`
  const t = offsetNs === 0n ? 'time' : `(time - ${int64Literal(offsetNs)})`
  const every = int64Literal(everyNs)
  return `toInt64(intDiv(${t}, ${every}) - (modulo(${t}, ${every}) < 0))`
}
