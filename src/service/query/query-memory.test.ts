// All queries share one budget: what one holds another cannot have until the first has ended. Who keeps account of a
// single query is told all the same.

import { expect, test } from 'vitest'
import { OverloadError } from '../../errors.js'
import { QueryMemory } from './query-memory.js'

test('a query that would go beyond the budget is refused, and fits when another has ended', () => {
  const memory = new QueryMemory(100, 60)
  const [first, second] = [memory.open(), memory.open()]
  first.bytesMax = 60
  second.bytesMax = 30
  expect(() => {
    second.bytesMax = 50
  }).toThrow(OverloadError)
  expect(memory.heldBytes).toBe(90)
  first.close()
  second.bytesMax = 50
  expect(memory.heldBytes).toBe(50)
  second.close()
  expect(memory.heldBytes).toBe(0)
})

test('an engine counts with all that it may take, and is waited for', async () => {
  const memory = new QueryMemory(100, 60)
  const { signal } = new AbortController()
  const stopped = new AbortController()
  const release = await memory.open().reserve(80, signal)
  const gone = memory.open().reserve(80, stopped.signal)
  const waiting = memory.open().reserve(1000, signal)
  stopped.abort(new Error('gone'))
  await expect(gone).rejects.toThrow('gone')
  release()
  const releaseAll = await waiting
  expect(memory.heldBytes).toBe(100)
  releaseAll()
  expect(memory.heldBytes).toBe(0)
})

test('who waits for too long is told so', async () => {
  const memory = new QueryMemory(100, 0.01)
  const { signal } = new AbortController()
  await memory.open().reserve(80, signal)
  await expect(memory.open().reserve(80, signal)).rejects.toThrow('80 of 100 bytes held, 80 wanted')
})

test('who keeps account is told at the end', () => {
  const told = { rowsRead: 1, bytesMax: 5 }
  const figures = new QueryMemory(0, 60).open(told)
  figures.rowsRead += 10
  figures.bytesMax = 3
  figures.close()
  expect(told).toEqual({ rowsRead: 11, bytesMax: 5 })
})
