// Answers are made once and hold exactly as long as the catalog stays as it was: not over a change,
// not over one that happens while they are made, and not for another key.

import { expect, it } from 'vitest'
import { RememberedAnswers } from './remembered-answers.js'

function setUp() {
  const state = { changes: 0, made: 0 }
  const answers = new RememberedAnswers(() => state.changes)
  const make = async () => ({ made: ++state.made })
  return { state, answers, make, ask: (key: string) => answers.json(key, make) }
}

it('makes an answer once per key and change', async () => {
  const { state, ask } = setUp()
  expect(await ask('a')).toBe('{"made":1}')
  expect(await ask('a')).toBe('{"made":1}')
  expect(await ask('b')).toBe('{"made":2}')
  state.changes++
  expect(await ask('a')).toBe('{"made":3}')
  expect(await ask('b')).toBe('{"made":4}')
  expect(await ask('a')).toBe('{"made":3}')
})

it('does not keep an answer that a change overtook', async () => {
  const { state, answers, make, ask } = setUp()
  const overtaken = answers.json('a', async () => {
    state.changes++
    return make()
  })
  expect(await overtaken).toBe('{"made":1}')
  expect(await ask('a')).toBe('{"made":2}')
  expect(await ask('a')).toBe('{"made":2}')
})

it('does not keep failures', async () => {
  const { answers, ask } = setUp()
  const failing = answers.json('a', () => Promise.reject(new Error('not there')))
  await expect(failing).rejects.toThrow('not there')
  expect(await ask('a')).toBe('{"made":1}')
})

it('keeps no more than it may', async () => {
  const { answers, state } = setUp()
  const large = (key: string, characters: number) =>
    answers.json(key, async () => ({ made: ++state.made, text: 'x'.repeat(characters) }))
  await large('whole', 5_000_000)
  await large('whole', 5_000_000)
  expect(state.made).toBe(2)
  for (let i = 0; i < 5; i++) await large(`part-${i}`, 1_000_000)
  expect(state.made).toBe(7)
  await large('part-4', 1_000_000)
  expect(state.made).toBe(7)
  await large('part-0', 1_000_000)
  expect(state.made).toBe(8)
})
