// Garbage is collected where it has grown by much, with the flag that `main.ts` sets. V8's collector is shown to nobody
// else. In a process of its own: what others left behind, and goes meanwhile, would hide what has grown.

import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { expect, test } from 'vitest'
import { Garbage, PassingMemory } from './garbage.js'

const held: string[][] = []

/** In a function of its own: nothing on the stack holds on to them. */
function hold(): void {
  for (let i = 0; i < 64; i++) held.push(new Array(1 << 17).fill('x'))
}

test('what is no longer needed is gone after it', () => {
  setFlagsFromString('--expose-gc')
  const garbage = new Garbage()
  garbage.collect(0)
  hold()
  const { used_heap_size: before } = getHeapStatistics()
  held.length = 0
  garbage.collect()
  const { used_heap_size: after } = getHeapStatistics()
  expect(before - after).toBeGreaterThan(32 << 20)
  expect(globalThis).not.toHaveProperty('gc')
})

test('memory that passes does not pile up behind young objects', () => {
  setFlagsFromString('--expose-gc')
  const passing = new PassingMemory()
  const { arrayBuffers: before } = process.memoryUsage()
  let most = 0
  for (let i = 0; i < 512; i++) {
    const piece = Buffer.allocUnsafeSlow(64 << 10)
    passing.note(piece.length)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  // Without it all of them: 32 MB.
  expect(most).toBeLessThan(20 << 20)
})
