// What a store without files of its own keeps in the catalog's database: numbers of measurements, their fields and
// tag keys, and in which spans of time a field has points. Nothing here is a resource: the store asks through
// `registry-access.ts`, and nobody else does. What a measurement consists of is the store's own JSON. A measurement
// that is dropped never gives its number back: it is *retired*, which every process hears of by a version, and its
// rows are deleted later.

import { createHash } from 'node:crypto'
import type { CompiledQuery } from 'kysely'
import { type CatalogContext, timestamp } from '../base/context.js'
import { listParameter } from '../base/dialect.js'

export interface RegisteredMeasurement {
  /** Never used again. */
  readonly number: number
  readonly name: string
  readonly spanClass: number
  /** Rises with every change of the body. */
  readonly version: number
  /** Rises whenever emptied series are about to leave its index. */
  readonly generation: number
  /** JSON. */
  readonly body: string
}

export interface RegisteredSpan {
  readonly number: number
  readonly span: number
  /** Fields that have points in it. */
  readonly fields: readonly string[]
}

/** Databases limit what an index holds of a text: long names are found by a hash. */
const keyLengthMax = 200

function keyOf(name: string): string {
  if (name.length <= keyLengthMax) return `=${name}`
  return `#${createHash('sha256').update(name).digest('hex')}`
}

/** Numbers in one statement. */
const numbersMax = 500

/** Stand where the values of a kept text will be. */
const [bucketSign, nameSign] = ['bucket sign', 'name sign']

type NowQuery = CompiledQuery<RegisteredRow & { replicasVersion: number | null }>

export class StoreRegistry {
  readonly #context: CatalogContext
  readonly #outside: CatalogContext['db']
  #nowText: NowQuery | undefined

  /** `outside`: for single statements, where the database has connections of another kind for them. */
  constructor(context: CatalogContext, outside = context.db) {
    this.#context = context
    this.#outside = outside
  }

  /**
   * As they are now, by whomever they were changed, with the version that the states of replicas have at that moment: a
   * process that has not heard of a change yet would read from a replica that misses what was acknowledged since.
   */
  async findNow(bucket: string, names?: readonly string[]) {
    const { rows } = await this.#outside.executeQuery(this.#nowQuery(bucket, names))
    const replicasVersion = Number(rows[0]?.replicasVersion ?? 0)
    return { replicasVersion, measurements: rows.map(measurementOf) }
  }

  /** Every read asks this about one name: building the text took longer than PostgreSQL does, so that it is kept. */
  #nowQuery(bucket: string, names: readonly string[] | undefined): NowQuery {
    if (names?.length !== 1) return this.#foundNow(bucket, names).compile()
    this.#nowText ??= this.#foundNow(bucketSign, [nameSign]).compile()
    const values = new Map<unknown, string>([
      [bucketSign, bucket],
      [keyOf(nameSign), keyOf(names[0])],
    ])
    const parameters = this.#nowText.parameters.map((sign) => values.get(sign) ?? sign)
    return { ...this.#nowText, parameters }
  }

  #foundNow(bucket: string, names: readonly string[] | undefined) {
    return this.#found(this.#outside, bucket, names).select((row) =>
      row
        .selectFrom('versions')
        .select('version')
        .where('kind', '=', 'store_replicas')
        .as('replicasVersion'),
    )
  }

  /** Those of these names, or all of the bucket. */
  async find(bucket: string, names?: readonly string[]): Promise<RegisteredMeasurement[]> {
    return (await this.#found(this.#context.db, bucket, names).execute()).map(measurementOf)
  }

  #found(db: CatalogContext['db'], bucket: string, names: readonly string[] | undefined) {
    const query = db
      .selectFrom('store_measurements as m')
      .leftJoin('store_generations as g', 'g.number', 'm.number')
      .select(['m.number', 'm.name', 'm.span_class', 'm.version', 'm.body', 'g.generation'])
      .where('m.bucket_id', '=', bucket)
    if (names === undefined) return query
    if (names.length === 1) return query.where('m.name_key', '=', keyOf(names[0]))
    return query.where('m.name_key', 'in', listParameter(db, names.map(keyOf)))
  }

  /**
   * In a transaction: makes the measurement or changes its body. `change` is given the body that is there, and answers
   * with the one that is to be there; undefined: it may stay.
   */
  async save(
    bucket: string,
    name: string,
    spanClass: number,
    change: (body: string | undefined) => string | undefined,
  ): Promise<RegisteredMeasurement> {
    const { db } = this.#context
    const [found] = await this.find(bucket, [name])
    const body = change(found?.body)
    if (found === undefined) return this.#make(bucket, name, spanClass, body ?? '{}')
    if (body === undefined) return found
    const version = found.version + 1
    await db
      .updateTable('store_measurements')
      .set({ version, body })
      .where('number', '=', found.number)
      .execute()
    return { ...found, version, body }
  }

  async #make(bucket: string, name: string, spanClass: number, body: string) {
    const { db } = this.#context
    const number =
      1 +
      Math.max(await this.#greatest('store_measurements'), await this.#greatest('store_retired'))
    const made = { number, name, version: 1, body }
    await db
      .insertInto('store_measurements')
      .values({ ...made, bucket_id: bucket, name_key: keyOf(name), span_class: spanClass })
      .execute()
    return { ...made, spanClass, generation: 0 }
  }

  async #greatest(table: 'store_measurements' | 'store_retired'): Promise<number> {
    const { db } = this.#context
    const query = db.selectFrom(table).select(({ fn }) => fn.max('number').as('number'))
    return Number((await query.executeTakeFirst())?.number ?? 0)
  }

  /** In a transaction. */
  async saveSpan(
    number: number,
    span: number,
    fields: readonly string[],
    generation: number,
  ): Promise<void> {
    const { db } = this.#context
    const query = db.selectFrom('store_spans').select(['fields', 'generation'])
    const found = await query
      .where('number', '=', number)
      .where('span', '=', span)
      .executeTakeFirst()
    const known: string[] = found === undefined ? [] : JSON.parse(found.fields)
    const all = [...new Set([...known, ...fields])]
    const isNewer = found === undefined || found.generation < generation
    if (!isNewer && all.length === known.length) return
    const row = {
      fields: JSON.stringify(all),
      generation: isNewer ? generation : found.generation,
    }
    await db
      .insertInto('store_spans')
      .values({ number, span, ...row })
      .onConflict((conflict) => conflict.columns(['number', 'span']).doUpdateSet(row))
      .execute()
  }

  async spans(numbers: readonly number[]): Promise<RegisteredSpan[]> {
    const found: RegisteredSpan[] = []
    for (let at = 0; at < numbers.length; at += numbersMax) {
      const some = numbers.slice(at, at + numbersMax)
      const query = this.#context.db
        .selectFrom('store_spans')
        .selectAll()
        .where('number', 'in', some)
      for (const row of await query.execute()) {
        found.push({ number: row.number, span: row.span, fields: JSON.parse(row.fields) })
      }
    }
    return found
  }

  async forgetSpan(number: number, span: number): Promise<void> {
    const query = this.#context.db.deleteFrom('store_spans')
    await query.where('number', '=', number).where('span', '=', span).execute()
  }

  /** In a transaction. Those of these numbers, or all of the bucket. */
  async retire(bucket: string, numbers?: readonly number[]): Promise<void> {
    const { db } = this.#context
    const all = await this.find(bucket)
    const gone = all.filter(({ number }) => numbers === undefined || numbers.includes(number))
    const retired_at = timestamp(this.#context)
    for (const { number } of gone) {
      await db.insertInto('store_retired').values({ number, retired_at, is_done: 0 }).execute()
      await db.deleteFrom('store_measurements').where('number', '=', number).execute()
      await db.deleteFrom('store_spans').where('number', '=', number).execute()
      await db.deleteFrom('store_emptied').where('number', '=', number).execute()
    }
  }

  /** Whose rows are not deleted yet. */
  async retired(): Promise<number[]> {
    const query = this.#context.db.selectFrom('store_retired').select('number')
    return (await query.where('is_done', '=', 0).execute()).map(({ number }) => number)
  }

  async deleted(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) {
      const query = this.#context.db.updateTable('store_retired').set({ is_done: 1 })
      await query.where('number', '=', number).execute()
    }
  }

  /** In a transaction: true where nobody else is at this work before `until`. */
  async claim(work: string, holder: string, now: string, until: string): Promise<boolean> {
    const { db } = this.#context
    const query = db.selectFrom('store_leases').selectAll().where('name', '=', work)
    const found = await query.executeTakeFirst()
    if (found !== undefined && found.holder !== holder && found.until > now) return false
    const lease = { holder, until }
    await db
      .insertInto('store_leases')
      .values({ name: work, ...lease })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(lease))
      .execute()
    return true
  }
}

/** A row of the database. */
interface RegisteredRow {
  readonly number: number
  readonly name: string
  readonly span_class: number
  readonly version: number
  readonly body: string
  readonly generation: number | null
}

function measurementOf(row: RegisteredRow): RegisteredMeasurement {
  const { number, name, span_class: spanClass, version, body, generation } = row
  return { number, name, spanClass, version, body, generation: generation ?? 0 }
}
