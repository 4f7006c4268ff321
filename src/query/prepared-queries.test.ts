// Queries that are prepared once: by their text, or by their shape where the language has one, and only those
// that may be cached.

import { expect, test } from 'vitest'
import { streamOf } from '../platform/pull-stream.js'
import type { Language } from './language.js'
import { PreparedQueries } from './prepared-queries.js'

/** Runs as its text, and the literals that it got. Numbers are literals, texts with `?` have no shape. */
function testLanguage() {
  const made: string[] = []
  const language: Language<undefined, string> = {
    prepare(text, parameters, shape) {
      made.push(text)
      return {
        isCacheable: !text.includes('password'),
        run: (_scope, _signal, literals) => streamOf(answer(text, parameters, shape, literals)),
      }
    },
    shape(text) {
      if (text.includes('?')) return undefined
      return { key: text.replace(/\d+/g, '#'), literals: text.match(/\d+/g) ?? [] }
    },
  }
  return { language, made }
}

async function* answer(text: string, ...more: unknown[]): AsyncGenerator<string> {
  const [parameters, shape, literals] = more
  yield JSON.stringify([text, parameters ?? null, shape !== undefined, literals ?? null])
}

const { signal } = new AbortController()

async function ask(queries: PreparedQueries, language: Language<undefined, string>, text: string) {
  return queries.prepare('test', language, text).run(undefined, signal).take()
}

test('texts of one shape are prepared once, and run with their own literals', async () => {
  const { language, made } = testLanguage()
  const queries = new PreparedQueries(1 << 20)
  expect(await ask(queries, language, 'a 1 b 22')).toBe('["a 1 b 22",null,true,["1","22"]]')
  expect(await ask(queries, language, 'a 3 b 4')).toBe('["a 1 b 22",null,true,["3","4"]]')
  expect(made).toEqual(['a 1 b 22'])
  expect(queries.figures()).toMatchObject({ entries: 1, hits: 1, misses: 1 })
})

test("a text without a shape is prepared once as it is, and is nobody else's shape", async () => {
  const { language, made } = testLanguage()
  const queries = new PreparedQueries(1 << 20)
  expect(await ask(queries, language, '#?')).toBe('["#?",null,false,null]')
  expect(await ask(queries, language, '#?')).toBe('["#?",null,false,null]')
  expect(await ask(queries, language, '1')).toBe('["1",null,true,["1"]]')
  expect(made).toEqual(['#?', '1'])
})

test('what may not be cached, or comes with parameters, is prepared each time', async () => {
  const { language, made } = testLanguage()
  const queries = new PreparedQueries(1 << 20)
  await ask(queries, language, 'password 1')
  await ask(queries, language, 'password 1')
  expect(made).toHaveLength(2)
  const parameters = { values: new Map([['a', 1]]) }
  const run = () => queries.prepare('test', language, 'x', parameters).run(undefined, signal)
  expect(await run().take()).toBe('["x",{"values":{}},false,null]')
  await run().take()
  expect(made).toHaveLength(4)
  expect(queries.figures().entries).toBe(0)
})

test('languages do not share, and memory is bounded', async () => {
  const queries = new PreparedQueries(200_000)
  for (const name of ['one', 'other']) {
    const { language, made } = testLanguage()
    queries.prepare(name, language, 'a?')
    expect(made).toEqual(['a?'])
    for (let i = 0; i < 50; i++) queries.prepare(name, language, `${i}?`)
  }
  expect(queries.figures().bytes).toBeLessThanOrEqual(200_000)
  expect(queries.figures().entries).toBeLessThan(13)
})
