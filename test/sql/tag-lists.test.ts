// Tags kept as numbers of a list show the same as tags kept as texts, and as tags that are not kept: with few
// values and with many, where a series has none, in comparisons and in order; also where a value comes that the
// list has not.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PullStream, streamOf } from '../../src/platform/pull-stream.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import type { NamesRequest, Store } from '../../src/store/store.js'
import { ask, openTestStore, testBucket, testScope, writeLines } from './run-sql.js'

let engine: Engine
let listed = 0

async function* shownNames(
  pages: PullStream<readonly string[]>,
  hidden: (value: string) => boolean,
): AsyncGenerator<readonly string[]> {
  for await (const page of pages) yield page.filter((each) => !hidden(each))
}

/** Counts lists that are asked for, and leaves out what `hidden` says. */
function watched(hidden: (value: string) => boolean): Store {
  return new Proxy(engine, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'names') return typeof value === 'function' ? value.bind(target) : value
      return (request: NamesRequest) => {
        if (request.kind !== 'tag-values') return target.names(request)
        listed++
        return streamOf(shownNames(target.names(request), hidden))
      }
    },
  })
}

beforeAll(async () => {
  engine = await openTestStore()
  const lines: string[] = []
  for (let i = 0; i < 24_000; i++) {
    const host = i % 7 === 0 ? '' : `,host=h'${i % 300}`
    const place = i % 5 === 0 ? '' : `,place=a\\ rather\\ long\\ name\\ ${i % 3}`
    lines.push(`many${host}${place} v=${i} ${i}`)
  }
  await writeLines(engine, testBucket, lines.join('\n'))
})

afterAll(() => engine.close())

const statements = [
  'SELECT host, place, count(*) AS n, median(v) AS s FROM many GROUP BY host, place ORDER BY host, place',
  'SELECT min(host) AS a, max(host) AS b, count(host) AS n, count(*) AS m FROM many',
  "SELECT * FROM many WHERE host > 'h''290' AND place LIKE '%2' ORDER BY time",
  'SELECT a.host || b.place AS x FROM many a JOIN many b ON a.time = b.time WHERE a.v < 50 ORDER BY a.time',
  'SELECT DISTINCT lower(place) AS p FROM many ORDER BY p DESC',
  'SELECT arrow_typeof(host) AS t FROM many LIMIT 1',
]

test.each(statements)('%s', async (text) => {
  listed = 0
  const store = watched(() => false)
  const kept = { store, streamsTables: false }
  const expected = await ask(text, testScope({ ...kept, listsTags: false }))
  expect(listed).toBe(0)
  expect(expected.length).toBeGreaterThan(1)
  expect(await ask(text, testScope(kept))).toEqual(expected)
  expect(listed).toBeGreaterThan(0)
  expect(await ask(text, testScope({ store }))).toEqual(expected)
})

test('a value that came after the list was made', async () => {
  const store = watched((value) => value === "h'150" || value.endsWith('1'))
  const [text] = statements
  const kept = { store, streamsTables: false }
  const expected = await ask(text, testScope({ ...kept, listsTags: false }))
  expect(expected.some((line) => line.startsWith("h'150"))).toBe(true)
  expect(await ask(text, testScope(kept))).toEqual(expected)
})

test('tables with few rows have no lists', async () => {
  listed = 0
  const store = watched(() => false)
  await ask(
    'SELECT * FROM home',
    testScope({ store, answersDirectly: false, streamsTables: false }),
  )
  expect(listed).toBe(0)
})
