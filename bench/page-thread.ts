// The CPU time of a page's own thread, as Chromium tells it: what somebody waits for, and what a busy machine does not
// change much.

import type { CDPSession, Page } from 'playwright-core'

/** An idle page still has some timers. */
const quietMs = 10
const quietRounds = 6

/** Begins to count; what was done before counts as well. */
export async function watchThread(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return session
}

export async function threadMs(session: CDPSession): Promise<number> {
  return (await metric(session, 'TaskDuration')) * 1000
}

export async function metric(session: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === wanted)!.value
}

/** When the thread has done next to nothing for a while. */
export async function quietThreadMs(page: Page, session: CDPSession): Promise<number> {
  let [spent, quiet] = [await threadMs(session), 0]
  while (quiet < quietRounds) {
    await page.waitForTimeout(500)
    const now = await threadMs(session)
    quiet = now - spent < quietMs ? quiet + 1 : 0
    spent = now
  }
  return spent
}
