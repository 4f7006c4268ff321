// A kept plan is used while its sources are what they were, looked at without waiting where everything
// is known; what has to be waited for leads to the same plan.

import { expect, test } from 'vitest'
import { UserError } from '../../errors.js'
import type { SchemaAnswer, SchemaRequest, Store } from '../../store/store.js'
import type { Databases } from '../scope.js'
import type { Select } from '../syntax/ast.js'
import { parseQuery } from '../syntax/parser.js'
import { keepPlanOf, planOf } from './kept-plans.js'
import type { ResolveContext } from './resolve.js'

const fields: SchemaAnswer = {
  kind: 'fields',
  fields: [{ measurement: 'm', name: 'f', type: 'float' }],
}
const tags: SchemaAnswer = { kind: 'names', names: ['t'] }

function contextOf(
  bucket: () => string | Promise<string>,
  answer: (request: SchemaRequest) => SchemaAnswer,
  isAtOnce: boolean,
): ResolveContext {
  const schema = async (request: SchemaRequest) => answer(request)
  const store = (isAtOnce ? { schema, schemaAtOnce: answer } : { schema }) as unknown as Store
  const databases = { bucket } as unknown as Databases
  return { store, databases, database: 'd', policy: undefined }
}

function asKnown({ kind }: SchemaRequest): SchemaAnswer {
  return kind === 'fields' ? fields : tags
}

function keptSelect(): Select {
  const [select] = parseQuery('SELECT max(f) FROM m WHERE time < 100', new Map())
  keepPlanOf(select as Select)
  return select as Select
}

const refused = new UserError('forbidden', 'not authorized')

test('at once where everything is known, and the same plan where something is waited for', async () => {
  const select = keptSelect()
  const first = planOf(
    select,
    1000n,
    contextOf(() => 'b', asKnown, true),
  )
  expect(first).not.toBeInstanceOf(Promise)
  for (const isAtOnce of [true, false]) {
    for (const bucket of [() => 'b', async () => 'b']) {
      expect(await planOf(select, 2000n, contextOf(bucket, asKnown, isAtOnce))).toBe(first)
    }
  }
})

test('another bucket, or other fields, make another plan', async () => {
  for (const isAtOnce of [true, false]) {
    const select = keptSelect()
    const first = await planOf(
      select,
      1000n,
      contextOf(() => 'b', asKnown, isAtOnce),
    )
    const elsewhere = await planOf(
      select,
      1000n,
      contextOf(() => 'c', asKnown, isAtOnce),
    )
    expect(elsewhere).not.toBe(first)
    expect(elsewhere.sources).toMatchObject([{ bucket: 'c' }])
    const integers: SchemaAnswer = {
      kind: 'fields',
      fields: [{ measurement: 'm', name: 'f', type: 'integer' }],
    }
    const changed = await planOf(
      select,
      1000n,
      contextOf(
        () => 'c',
        ({ kind }) => (kind === 'fields' ? integers : tags),
        isAtOnce,
      ),
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
    contextOf(() => 'b', asKnown, true),
  )
  const refusing = () => {
    throw refused
  }
  expect(() => planOf(select, 1000n, contextOf(refusing, asKnown, true))).toThrow(refused)
  const later = planOf(
    select,
    1000n,
    contextOf(() => Promise.reject(refused), asKnown, true),
  )
  await expect(later).rejects.toBe(refused)
})
