// What deletes have emptied leaves the index: series without points in a span, fields, and whole measurements, whose
// types then begin anew. Others may be writing the same series: a series is removed only as it was told before the
// measurement's generation rose, and whoever writes after that tells of it again. Deletes are noted in the registry, so
// that what a process leaves undone another one does.

import type { BucketId } from '../store.js'
import type { ChangesSent } from './changes-sent.js'
import { eachTable, indexTables, slotName } from './layout.js'
import type { ReadBlock } from './native-format.js'
import type { FieldSpans, Measurement, Registry } from './registry.js'
import type { Servers } from './servers.js'
import { int64Literal } from './sql-text.js'
import { byPlace } from './statements.js'

export interface EmptiedParts {
  readonly servers: Servers
  readonly changes: ChangesSent
  readonly registry: Registry
}

/** In one statement, which holds the series of all of them in the server's memory. */
const [numbersMax, spansMax] = [500, 8]
/** Series in one statement that removes them. */
const listedMax = 2500

/** Spans by the number of the measurement. */
type Spans = ReadonlyMap<number, readonly number[]>

export class EmptiedSeries {
  readonly #parts: EmptiedParts

  constructor(parts: EmptiedParts) {
    this.#parts = parts
  }

  /** Of measurements of a bucket; `isTouched` says which spans may have lost points. */
  async leave(
    bucket: BucketId,
    measurements: readonly Measurement[],
    isTouched: (measurement: Measurement, span: number) => boolean,
  ): Promise<void> {
    const { registry } = this.#parts
    const byNumber = new Map(measurements.map((one) => [one.number, one]))
    const known = await registry.storage.spans([...byNumber.keys()])
    const touched = known.filter(({ number, span }) => isTouched(byNumber.get(number)!, span))
    const emptied = await this.#emptied(measurements, touched)
    if (emptied.size === 0) return
    const generations = await registry.storage.nextGeneration([...emptied.keys()])
    // Read again: a field that has come since may be the only one that a series has points of.
    for (const one of await registry.all(bucket)) {
      const [spans, generation] = [emptied.get(one.number), generations.get(one.number)]
      if (spans === undefined || generation === undefined) continue
      await this.#leaveOne(bucket, one, spans, generation - 1)
    }
  }

  /** As it was told of before the generation rose. */
  async #leaveOne(bucket: BucketId, one: Measurement, spans: readonly number[], before: number) {
    const { storage } = this.#parts.registry
    await storage.saveLeft(one.number, before, await this.#fieldsLeft(one, spans))
    if (await storage.retireEmpty(bucket, one.number)) return
    for (const span of spans) await this.#removeSeries(one, span, before)
  }

  /** In which spans a measurement has series without points. */
  async #emptied(all: readonly Measurement[], touched: readonly FieldSpans[]): Promise<Spans> {
    const found = new Map<number, number[]>()
    const spansOf = new Map<number, number[]>()
    for (const { number, span } of touched) {
      spansOf.set(number, [...(spansOf.get(number) ?? []), span])
    }
    for (const own of byClass(all.filter(({ number }) => spansOf.has(number)))) {
      const spans = [...new Set(own.flatMap(({ number }) => spansOf.get(number)!))]
      for (const some of parted(own, numbersMax)) {
        for (const few of parted(spans, spansMax)) {
          const sql = `SELECT DISTINCT m, span FROM ${indexTables.series} WHERE ${withoutPoints(some, few)}`
          for (const [number, span] of await this.#numbers(sql, ['UInt32', 'Int64'])) {
            found.set(Number(number), [...(found.get(Number(number)) ?? []), Number(span)])
          }
        }
      }
    }
    for (const [number, spans] of found) found.set(number, [...new Set(spans)])
    return found
  }

  /** What has points in these spans. */
  async #fieldsLeft(one: Measurement, spans: readonly number[]): Promise<FieldSpans[]> {
    const left = new Map(spans.map((span) => [span, new Set<string>()]))
    for (const { place, fields } of byPlace(one.fields.values())) {
      const columns = fields.map(({ slot }) => `max(isNotNull(${slotName(slot)}))`).join(', ')
      const where = `${rowsOf([one], spans)} AND chunk = ${place.chunk}`
      const sql = `SELECT span, ${columns} FROM ${place.table} WHERE ${where} GROUP BY span`
      const types = ['Int64', ...fields.map((): 'UInt8' => 'UInt8')] as const
      for (const [span, ...has] of await this.#numbers(sql, types)) {
        const names = left.get(Number(span))
        for (const [i, { name }] of fields.entries()) if (has[i] === 1n) names?.add(name)
      }
    }
    return [...left].map(([span, names]) => ({ number: one.number, span, fields: [...names] }))
  }

  /** Told of in this generation or an earlier one, and without points now. */
  async #removeSeries(one: Measurement, span: number, generation: number): Promise<void> {
    const own = ` AND generation <= ${generation}`
    const where = `${withoutPoints([one], [span])}${own}`
    const sql = `SELECT DISTINCT series FROM ${indexTables.series} WHERE ${where}`
    const series = (await this.#numbers(sql, ['UInt64'])).map(([number]) => `toUInt64(${number})`)
    for (const some of parted(series, listedMax)) {
      const gone = `${rowsOf([one], [span])}${own} AND series IN (${some.join(',')})`
      await Promise.all(
        [indexTables.series, indexTables.tags].map((table) =>
          this.#parts.changes.delete(table, gone),
        ),
      )
    }
  }

  async #numbers(
    sql: string,
    types: readonly ('UInt8' | 'UInt32' | 'Int64' | 'UInt64')[],
  ): Promise<bigint[][]> {
    return (await this.#parts.servers.rowsOfAll(sql, types)).flatMap(numbersOf)
  }
}

function numbersOf({ rowCount, columns }: ReadBlock): bigint[][] {
  return Array.from({ length: rowCount }, (_, row) =>
    columns.map((column) => (column.base === 'String' ? 0n : BigInt(column.values[row]))),
  )
}

/** All of one class. */
function rowsOf(measurements: readonly Measurement[], spans: readonly number[]): string {
  const numbers = measurements.map(({ number }) => number).join(',')
  const listed = spans.map((span) => int64Literal(BigInt(span))).join(',')
  return `class = ${measurements[0].spanClass} AND m IN (${numbers}) AND span IN (${listed})`
}

function withoutPoints(measurements: readonly Measurement[], spans: readonly number[]): string {
  const rows = rowsOf(measurements, spans)
  const used = new Set(
    measurements.flatMap(({ fields }) => [...fields.values()].map(({ table }) => table)),
  )
  const parts = eachTable
    .filter(({ name }) => used.has(name))
    .map(({ name }) => `SELECT DISTINCT m, span, series FROM ${name} WHERE ${rows}`)
  return `${rows} AND (m, span, series) NOT IN (${parts.join(' UNION ALL ')})`
}

function byClass(measurements: readonly Measurement[]): Measurement[][] {
  const classes = new Map<number, Measurement[]>()
  for (const one of measurements) {
    const own = classes.get(one.spanClass) ?? []
    classes.set(one.spanClass, own)
    own.push(one)
  }
  return [...classes.values()]
}

function* parted<T>(all: readonly T[], countMax: number): Generator<T[], void, void> {
  for (let at = 0; at < all.length; at += countMax) yield all.slice(at, at + countMax)
}
