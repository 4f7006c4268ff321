// Statements that read points. A read is about a *run* of series, each with a rank: the number under which its rows
// leave, which is that of the series or of its group. ClickHouse puts rows into the order of ranks, so that they can
// leave as they come.

import type { TimeRange } from '../../column/time.js'
import { type Place, type PlacedField, slotName } from './layout.js'
import type { Measurement } from './registry.js'
import { spanCondition } from './selection.js'
import type { AskedServers } from './servers.js'
import { int64Literal } from './sql-text.js'

/** Series and the ranks of their rows. */
export interface Ranked {
  readonly numbers: BigUint64Array
  readonly ranks: Uint32Array
  /** These are all series of the measurement in the range: there is nothing to choose. */
  readonly areAll: boolean
  /** Rows have the number of their series in the place of a rank. */
  readonly areByNumber?: boolean
}

/** Which rows of a place are meant. */
function rowCondition(
  measurement: Measurement,
  { chunk }: Place,
  range: TimeRange,
  { numbers, areAll }: Ranked,
): string {
  const parts = [
    `m = ${measurement.number}`,
    `chunk = ${chunk}`,
    `time >= ${int64Literal(range.start)} AND time < ${int64Literal(range.stop)}`,
  ]
  if (!areAll) parts.push(`series IN (${Array.from(numbers, (n) => `toUInt64(${n})`).join(',')})`)
  return `${parts.join(' AND ')}${spanCondition(measurement, range)}`
}

/** All rows have the same rank. */
function isOneRank({ ranks, areByNumber }: Ranked): boolean {
  return areByNumber !== true && ranks.every((rank) => rank === ranks[0])
}

function rankExpression(ranked: Ranked): string {
  const { numbers, ranks, areByNumber } = ranked
  if (areByNumber === true) return 'series'
  if (isOneRank(ranked)) return `toUInt32(${ranks[0]})`
  return `toUInt32(transform(series, [${numbers.join(',')}], [${ranks.join(',')}], toUInt32(0)))`
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
  const { measurement, range, ranked, descending, limit, condition } = request
  const slots = [...new Set([...fields, ...shown].map(({ slot }) => slotName(slot)))]
  const where = rowCondition(measurement, place, range, ranked)
  const from = servers.dialect.merged(place.table, slots, where)
  const names = shown.map(({ slot }) => slotName(slot))
  const any = names.map((name) => `isNotNull(${name})`).join(' OR ')
  const conditions = [`(${any})`, ...(condition === undefined ? [] : [condition])].join(' AND ')
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
  { place, fields }: PlaceRead,
  aggregated: readonly PlacedField[],
  expressions: readonly string[],
  request: WindowRequest,
): string {
  const { measurement, range, ranked, descending, limit, condition } = request
  const slots = [...new Set(fields.map(({ slot }) => slotName(slot)))]
  const where = rowCondition(measurement, place, range, ranked)
  const from = servers.dialect.merged(place.table, slots, where)
  const any = aggregated.map(({ slot }) => `isNotNull(${slotName(slot)})`).join(' OR ')
  const conditions = [`(${any})`, ...(condition === undefined ? [] : [condition])].join(' AND ')
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

/** Rounded towards minus infinity. */
function windowNumber({ everyNs, offsetNs }: WindowRequest): string {
  if (everyNs === undefined) return 'toInt64(0)'
  const t = offsetNs === 0n ? 'time' : `(time - ${int64Literal(offsetNs)})`
  const every = int64Literal(everyNs)
  return `toInt64(intDiv(${t}, ${every}) - (modulo(${t}, ${every}) < 0))`
}
