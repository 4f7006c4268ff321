// Turns of the serving thread, with a clock of the test's own: what begins before the thread is free shares one turn,
// and whoever gave way has a whole one.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { inTurns, Turn, type Work } from './turns.js'

let nowMs = 0

afterEach(async () => {
  vi.restoreAllMocks()
  await threadIsFree()
})

const threadIsFree = () => new Promise((resolve) => setImmediate(resolve))

function withClock(): void {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
}

function* steps(count: number, msPerStep: number): Work<number> {
  for (let i = 0; i < count; i++) {
    nowMs += msPerStep
    yield
  }
  return count
}

describe('turns', () => {
  it('end together where they begin before the thread is free', async () => {
    withClock()
    const first = new Turn()
    nowMs += 4
    expect(new Turn().isOver).toBe(false)
    nowMs += 1
    expect([first.isOver, new Turn().isOver]).toEqual([true, true])
    await threadIsFree()
    expect(new Turn().isOver).toBe(false)
  })

  it('let works one after the other hold the thread for one turn only', async () => {
    withClock()
    expect(inTurns(steps(4, 1), undefined)).toBe(4)
    const second = inTurns(steps(4, 1), undefined)
    expect(second).toBeInstanceOf(Promise)
    expect(await second).toBe(4)
  })

  it('give whoever waited a whole turn', async () => {
    withClock()
    const turn = new Turn()
    nowMs += 6
    await turn.others()
    nowMs += 4
    expect(turn.isOver).toBe(false)
  })
})
