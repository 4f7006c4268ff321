// A SELECT that is planned once: with other literals, and at another time, its plan is what it would be if it
// were planned for itself. The sources are looked up each time, with the right to read them.

import { expect, test } from 'vitest'
import type { FieldType } from '../../column/column.js'
import { UserError } from '../../errors.js'
import type { MaybePromise, PullStream } from '../../platform/pull-stream.js'
import { listOf, SchemaPages } from '../../store/schema-pages.js'
import type { FieldSchema, MeasurementSchema, Store } from '../../store/store.js'
import type { ResolveContext } from '../plan/resolve.js'
import type { Databases } from '../scope/scope.js'
import type { Select } from '../syntax/ast.js'
import { numberSlots } from '../syntax/literal-slots.js'
import { parseQuery } from '../syntax/parser.js'
import { shapeOf } from '../syntax/query-shape.js'
import { PreparedSelect } from './prepared-select.js'

function schemaOf(type: FieldType, version: number): MeasurementSchema {
  const fields = [
    { measurement: 'm', name: 'f', type },
    { measurement: 'm', name: 's', type: 'string' as const },
  ]
  return { version, fields, tagKeys: ['t'] }
}

/** A store with one measurement. `isSynchronous` false: it has to ask elsewhere. */
class OneMeasurement {
  schema = schemaOf('float', 1)
  isSynchronous = true

  schemaVersion(): number | undefined {
    return this.isSynchronous ? this.schema.version : undefined
  }

  measurementSchema(): MaybePromise<MeasurementSchema> {
    return this.isSynchronous ? this.schema : Promise.resolve(this.schema)
  }

  fields(): PullStream<readonly FieldSchema[]> {
    return new SchemaPages(() => listOf(this.schema.fields), undefined)
  }

  names(): PullStream<readonly string[]> {
    return new SchemaPages(() => listOf(this.schema.tagKeys), undefined)
  }
}

function contextOf(bucket: () => string | Promise<string>, store: OneMeasurement): ResolveContext {
  const databases = { bucket } as unknown as Databases
  return { store: store as unknown as Store, databases, database: 'd', policy: undefined }
}

const usual = contextOf(() => 'b', new OneMeasurement())

function prepare(text: string): PreparedSelect {
  const statements = parseQuery(text)
  const shape = shapeOf(text)
  const [select] = shape === undefined ? statements : numberSlots(statements, shape)!
  return new PreparedSelect(select as Select)
}

const likeEachOther = [
  [
    "SELECT max(f) FROM m WHERE t = 'a' AND time >= '2020-01-01T00:00:00Z' AND f > 5 GROUP BY time(1m)",
    "SELECT max(f) FROM m WHERE t = 'b' AND time >= '2021-02-01T00:00:00Z' AND f > 7 GROUP BY time(1m)",
  ],
  [
    "SELECT f FROM m WHERE (f > 1.5 OR s = 'x') AND time > 5ms AND time < 10s",
    "SELECT f FROM m WHERE (f > 2.5 OR s = '') AND time > 6ms AND time < 11s",
  ],
  [
    "SELECT mean(f) FROM (SELECT f FROM m WHERE t = 'a' AND time > 1) WHERE time < 5",
    "SELECT mean(f) FROM (SELECT f FROM m WHERE t = 'c' AND time > 2) WHERE time < 9",
  ],
  ['SELECT * FROM m WHERE time > 1', 'SELECT * FROM m WHERE time > 2'],
  [
    "SELECT f + 1 FROM m WHERE f + 1 > 5 AND f * 2 = 4 AND t = 'a' AND time > now() - 1h",
    "SELECT f + 1 FROM m WHERE f + 1 > 5 AND f * 2 = 4 AND t = 'b' AND time > now() - 1h",
  ],
]

test.each(likeEachOther)('%s', async (first, second) => {
  for (const now of [1_000_000_000_000n, 1_600_000_000_000_000_000n]) {
    const prepared = prepare(first)
    expect(shapeOf(second)!.key).toBe(shapeOf(first)!.key)
    for (const text of [first, second, first]) {
      const { literals } = shapeOf(text)!
      const [alone] = parseQuery(text)
      const { plan } = await new PreparedSelect(alone as Select).plan(usual, now, undefined)
      const bound = await prepared.plan(usual, now, literals)
      expect(withoutPlaces(bound.plan)).toEqual(withoutPlaces(plan))
    }
  }
})

/** Literals that were put in have no place in a text. */
function withoutPlaces(plan: unknown): unknown {
  return JSON.parse(
    JSON.stringify(plan, (key, value) => {
      if (key === 'at' || key === 'slot') return undefined
      if (typeof value === 'bigint') return `${value}n`
      return value instanceof Map || value instanceof Set ? [...value] : value
    }),
  )
}

const text = 'SELECT max(f) FROM m WHERE time < 100'

test('without waiting where everything is known, and the same where something is waited for', async () => {
  const prepared = prepare(text)
  const store = new OneMeasurement()
  const first = prepared.plan(
    contextOf(() => 'b', store),
    1000n,
    undefined,
  )
  expect(first).not.toBeInstanceOf(Promise)
  const { plan, steps } = await first
  for (const isSynchronous of [true, false]) {
    store.isSynchronous = isSynchronous
    for (const bucket of [() => 'b', async () => 'b']) {
      const again = await prepared.plan(contextOf(bucket, store), 1000n, undefined)
      expect(again.plan).toEqual(plan)
      expect(again.steps).toBe(steps)
    }
  }
})

test('another bucket, another store, or other fields, make another plan', async () => {
  for (const isSynchronous of [true, false]) {
    const prepared = prepare(text)
    const store = new OneMeasurement()
    store.isSynchronous = isSynchronous
    const planIn = (bucket: string, of: OneMeasurement) =>
      prepared.plan(
        contextOf(() => bucket, of),
        1000n,
        undefined,
      )
    const first = await planIn('b', store)
    const elsewhere = await planIn('c', store)
    expect(elsewhere.steps).not.toBe(first.steps)
    expect(elsewhere.plan.sources).toMatchObject([{ bucket: 'c' }])
    store.schema = schemaOf('integer', 2)
    const changed = await planIn('c', store)
    expect(changed.plan.columnTypes).toEqual(['integer'])
    const other = new OneMeasurement()
    other.schema = schemaOf('unsigned', 2)
    expect((await planIn('c', other)).plan.columnTypes).toEqual(['unsigned'])
  }
})

test('a wildcard is planned anew where it stands for something else than before', async () => {
  const prepared = prepare('SELECT * FROM m WHERE time > 1')
  const store = new OneMeasurement()
  const plan = () =>
    prepared.plan(
      contextOf(() => 'b', store),
      1000n,
      undefined,
    )
  const first = await plan()
  expect((await plan()).steps).toBe(first.steps)
  const { fields } = store.schema
  const others = [
    { fields: fields.slice(1), columns: ['time', 's', 't'] },
    { fields, columns: ['time', 'f', 's', 't'] },
    { fields: [...fields, { ...fields[0], name: 'g' }], columns: ['time', 'f', 'g', 's', 't'] },
  ]
  for (const { fields, columns } of others) {
    store.schema = { ...store.schema, fields }
    const changed = await plan()
    expect(changed.steps).not.toBe(first.steps)
    expect(changed.plan.columnNames).toEqual(columns)
  }
  store.schema = { ...schemaOf('integer', 1), tagKeys: ['t', 'u'] }
  expect((await plan()).plan.columnNames).toEqual(['time', 'f', 's', 't', 'u'])
})

const refused = new UserError('forbidden', 'not authorized')

test('who may not read is refused although there is a plan', async () => {
  const prepared = prepare(text)
  const store = new OneMeasurement()
  const planIn = (bucket: () => string | Promise<string>) =>
    prepared.plan(contextOf(bucket, store), 1000n, undefined)
  await planIn(() => 'b')
  const refusing = () => {
    throw refused
  }
  expect(() => planIn(refusing)).toThrow(refused)
  await expect(planIn(() => Promise.reject(refused))).rejects.toBe(refused)
})
