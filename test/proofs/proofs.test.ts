// The proofs that are run by hand for minutes and hours, for seconds: so that they cannot rot, and so that whatever a
// fuzzer ever found is tried again with every change.

import { mkdtempSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { churn } from './churn.js'
import { fuzz } from './fuzz.js'
import { soak } from './soak.js'
import { torture } from './torture.js'

const timeout = 120_000

it('loses nothing to a kill, whoever uses it', { timeout }, async () => {
  const { kills, done } = await torture({ kills: 4, seed: 3 })
  expect(Object.values(kills).reduce((sum, count) => sum + count)).toBe(4)
  // Otherwise it was killed in its sleep.
  expect(done.a + done.b + done.token).toBeGreaterThan(4)
})

it('answers everybody at once without a fault', { timeout }, async () => {
  const { answers, wrong } = await soak({ minutes: 0.1, seed: 1 })
  // Memory needs longer to settle: a hand's run looks at it.
  expect(wrong.filter((text) => !/ grew from /.test(text))).toEqual([])
  expect(Object.keys(answers).length).toBeGreaterThan(5)
})

it('takes whatever bytes come, and all that were found before', { timeout }, async () => {
  const corpus = mkdtempSync(join(tmpdir(), 'millrace-found-'))
  try {
    await cp('test/corpus/fuzz', corpus, { recursive: true })
    const { figures, wrong } = await fuzz({ minutes: 0.15, seed: 1, corpus })
    expect(wrong).toEqual([])
    // On a machine that others are busy on, not everybody gets a turn.
    expect(figures['line-protocol'].cases).toBeGreaterThan(0)
  } finally {
    rmSync(corpus, { recursive: true, force: true })
  }
})

it('forgets series that are gone, day after day', { timeout }, async () => {
  const { days, wrong } = await churn({ days: 6, series: 2000 })
  expect(wrong).toEqual([])
  expect(days.map(({ series }) => series)).toEqual([2000, 4000, 4000, 4000, 4000, 4000])
})
