// The system clock keeps to the wall clock and does not stand still between two readings; the manual one does as it
// is told.

import { describe, expect, it } from 'vitest'
import { ManualClock, systemClock } from './clock.js'

describe('systemClock', () => {
  it('moves on with every reading and stays near the wall clock', () => {
    let previous = systemClock.now()
    for (let i = 0; i < 1000; i++) {
      const now = systemClock.now()
      expect(now >= previous).toBe(true)
      previous = now
    }
    expect(Math.abs(Number(previous / 1_000_000n) - Date.now())).toBeLessThan(1000)
  })
})

describe('ManualClock', () => {
  it('stands still until it is moved', () => {
    const clock = new ManualClock(5n)
    expect(clock.now()).toBe(5n)
    clock.advance(3n)
    expect(clock.now()).toBe(8n)
    clock.set(1n)
    expect(clock.now()).toBe(1n)
  })
})
