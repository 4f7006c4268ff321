// Answers are made once and hold exactly as long as the kinds that they were made from stay as they were: not over a
// change, not over one that happens while they are made, and not for another key.

import { expect, it } from 'vitest'
import type { Catalog } from '../../catalog/catalog.js'
import { VersionedCache } from './versioned-cache.js'

function setUp() {
  const state = { buckets: 0, labels: 0, made: 0 }
  const catalog = { versions: state } as unknown as Catalog
  const answers = new VersionedCache<string>(catalog, ['buckets', 'labels'], {
    bytesMax: 4_000_000,
    sizeOf: (text, key) => text.length + key.length,
  })
  const make = async () => `made ${++state.made}`
  return { state, answers, make, ask: (key: string) => answers.find(key, make) }
}

it('makes an answer once per key and change of one of its kinds', async () => {
  const { state, answers, ask } = setUp()
  expect(answers.cached('a')).toBeUndefined()
  expect(await ask('a')).toBe('made 1')
  expect(await ask('a')).toBe('made 1')
  expect(answers.cached('a')).toBe('made 1')
  expect(await ask('b')).toBe('made 2')
  state.buckets++
  expect(answers.cached('a')).toBeUndefined()
  expect(await ask('a')).toBe('made 3')
  state.labels++
  expect(await ask('b')).toBe('made 4')
})

it('does not cache an answer that a change overtook', async () => {
  const { state, answers, make, ask } = setUp()
  const overtaken = answers.find('a', async () => {
    state.buckets++
    return make()
  })
  expect(await overtaken).toBe('made 1')
  expect(await ask('a')).toBe('made 2')
  expect(await ask('a')).toBe('made 2')
})

it('does not cache failures', async () => {
  const { answers, ask } = setUp()
  const failing = answers.find('a', () => Promise.reject(new Error('not there')))
  await expect(failing).rejects.toThrow('not there')
  expect(await ask('a')).toBe('made 1')
})

it('holds no more than it may', async () => {
  const { answers, state } = setUp()
  const large = (key: string, characters: number) =>
    answers.find(key, async () => `${++state.made}${'x'.repeat(characters)}`)
  await large('whole', 5_000_000)
  await large('whole', 5_000_000)
  expect(state.made).toBe(2)
  for (let i = 0; i < 5; i++) await large(`part-${i}`, 1_000_000)
  await large('part-4', 1_000_000)
  expect(state.made).toBe(7)
  await large('part-0', 1_000_000)
  expect(state.made).toBe(8)
  expect(answers.figures().bytes).toBeLessThanOrEqual(4_000_000)
})
