// Memory that nobody needs any more: it is given back soon, however much of it comes, and what is still in use
// stays.

import { expect, test } from 'vitest'
import { letGo } from './spent-memory.js'

const pieceBytes = 1 << 16

test('of a gigabyte in pieces only some megabytes wait at any time', () => {
  const before = process.memoryUsage().arrayBuffers
  let waitingMax = 0
  for (let i = 0; i < 1 << 14; i++) {
    letGo(Buffer.allocUnsafeSlow(pieceBytes).length)
    waitingMax = Math.max(waitingMax, process.memoryUsage().arrayBuffers - before)
  }
  expect(waitingMax).toBeLessThan(16 << 20)
})

test('what is held on to stays as it is', () => {
  const kept: Buffer[] = []
  for (let i = 0; i < 256; i++) {
    if (i % 16 === 0) kept.push(Buffer.allocUnsafeSlow(pieceBytes).fill(i))
    letGo(pieceBytes)
  }
  for (const [i, piece] of kept.entries()) {
    expect(piece.equals(Buffer.alloc(pieceBytes, i * 16))).toBe(true)
  }
})
