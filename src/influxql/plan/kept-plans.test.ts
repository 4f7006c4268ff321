// A kept plan is used while its sources are what they were, looked at without waiting where everything
// is known; what has to be waited for leads to the same plan.

import { expect, test } from 'vitest'
import type { FieldType } from '../../column/column.js'
import { UserError } from '../../errors.js'
import type { MeasurementSchema, Store } from '../../store/store.js'
import type { Databases } from '../scope.js'
import type { Select } from '../syntax/ast.js'
import { parseQuery } from '../syntax/parser.js'
import { keepPlanOf, planOf } from './kept-plans.js'
import type { ResolveContext } from './resolve.js'

function schemaOf(type: FieldType): MeasurementSchema {
  return { version: 1, fields: [{ measurement: 'm', name: 'f', type }], tagKeys: ['t'] }
}

const floats = schemaOf('float')

function contextOf(
  bucket: () => string | Promise<string>,
  schema: MeasurementSchema,
  isSynchronous: boolean,
): ResolveContext {
  const measurementSchema = () => (isSynchronous ? schema : Promise.resolve(schema))
  const databases = { bucket } as unknown as Databases
  const store = { measurementSchema } as unknown as Store
  return { store, databases, database: 'd', policy: undefined }
}

function keptSelect(): Select {
  const [select] = parseQuery('SELECT max(f) FROM m WHERE time < 100', new Map())
  keepPlanOf(select as Select)
  return select as Select
}

const refused = new UserError('forbidden', 'not authorized')

test('synchronously where everything is known, and the same plan where something is waited for', async () => {
  const select = keptSelect()
  const first = planOf(
    select,
    1000n,
    contextOf(() => 'b', floats, true),
  )
  expect(first).not.toBeInstanceOf(Promise)
  for (const isSynchronous of [true, false]) {
    for (const bucket of [() => 'b', async () => 'b']) {
      expect(await planOf(select, 2000n, contextOf(bucket, floats, isSynchronous))).toBe(first)
    }
  }
})

test('another bucket, or other fields, make another plan', async () => {
  for (const isSynchronous of [true, false]) {
    const select = keptSelect()
    const first = await planOf(
      select,
      1000n,
      contextOf(() => 'b', floats, isSynchronous),
    )
    const elsewhere = await planOf(
      select,
      1000n,
      contextOf(() => 'c', floats, isSynchronous),
    )
    expect(elsewhere).not.toBe(first)
    expect(elsewhere.sources).toMatchObject([{ bucket: 'c' }])
    const changed = await planOf(
      select,
      1000n,
      contextOf(() => 'c', schemaOf('integer'), isSynchronous),
    )
    expect(changed).not.toBe(elsewhere)
    expect(changed.sources).toMatchObject([{ fields: new Map([['f', 'integer']]) }])
  }
})

test('who may not read is refused although there is a plan', async () => {
  const select = keptSelect()
  await planOf(
    select,
    1000n,
    contextOf(() => 'b', floats, true),
  )
  const refusing = () => {
    throw refused
  }
  expect(() => planOf(select, 1000n, contextOf(refusing, floats, true))).toThrow(refused)
  const later = planOf(
    select,
    1000n,
    contextOf(() => Promise.reject(refused), floats, true),
  )
  await expect(later).rejects.toBe(refused)
})
